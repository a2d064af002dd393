import Crypto
import CryptoExtras
import GatehouseWire

/// scrypt derives a key that encrypts the Firebase project's signer key.
struct FirebaseScryptHash: Hashable, Sendable {
    /// N = 2^exponent.
    let exponent: Int
    let blockSize: Int
    let lanes: Int
    let separator: [UInt8]
    let signerKey: [UInt8]
    let salt: [UInt8]
    let tag: [UInt8]

    /// Parses `$fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$salt$hash` with padded Base64; `ss` is optional.
    ///
    /// At most 1 GiB for 128·N·r·p, which bounds the memory (128·N·r) and the time, about 4 s of one core.
    ///
    /// - Returns: `nil` outside this limit; for what BoringSSL cannot compute, N of 2^(16·r) and more (RFC 7914 §2) and
    ///   r above 16 with p of 1; and if signer key and hash differ in length, which can never match.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, parts[0].isEmpty, parts[1] == "fbscrypt",
            let salt = Base64.decode(parts[3]), let tag = Base64.decode(parts[4]), !salt.isEmpty
        else { return nil }
        var costs = parts[2].split(separator: ",", omittingEmptySubsequences: false)[...]
        func next(_ name: String) -> (some StringProtocol)? {
            costs.first?.hasPrefix(name) == true ? costs.removeFirst().dropFirst(name.count) : nil
        }
        guard next("v=") == "1", let exponent = next("n=")?.plainDecimal,
            let blockSize = next("r=")?.plainDecimal, let lanes = next("p=")?.plainDecimal,
            let separator = Base64.decode(next("ss=") ?? ""),
            let signerKey = next("sk=").flatMap({ Base64.decode($0) }), costs.isEmpty,
            (16...128).contains(signerKey.count), signerKey.count == tag.count,
            Self.isBounded(exponent, blockSize, lanes)
        else { return nil }
        (self.exponent, self.blockSize, self.lanes) = (exponent, blockSize, lanes)
        (self.separator, self.signerKey, self.salt, self.tag) = (separator, signerKey, salt, tag)
    }

    /// Times the lanes.
    var bytes: Int { (128 * blockSize * lanes) << exponent }

    private static func isBounded(_ exponent: Int, _ blockSize: Int, _ lanes: Int) -> Bool {
        (1...23).contains(exponent) && (1...1_024).contains(blockSize) && (1...16).contains(lanes)
            && (128 * blockSize * lanes) << exponent <= 1 << 30
            && isComputable(exponent, blockSize, lanes)
    }

    /// swift-crypto allows 128·N·r·p bytes plus a page; BoringSSL needs 128·r·(N + p + 1). Assumes the smallest page
    /// size, so that every machine accepts the same hashes.
    private static func isComputable(_ exponent: Int, _ blockSize: Int, _ lanes: Int) -> Bool {
        let spare = 4_096 / (128 * blockSize)
        return exponent < 16 * blockSize && (lanes << exponent) + spare >= (1 << exponent) + lanes + 1
    }

    /// - Returns: `nil` if BoringSSL failed, usually for lack of memory.
    func matches(_ password: [UInt8]) -> Bool? {
        guard var computed = encryptedSignerKey(password) else { return nil }
        defer { computed.erase() }
        return computed.matchesInConstantTime(tag)
    }

    private func encryptedSignerKey(_ password: [UInt8]) -> [UInt8]? {
        do {
            let key = try KDF.Scrypt.deriveKey(
                from: password, salt: salt + separator, outputByteCount: 32,
                rounds: 1 << exponent, blockSize: blockSize, parallelism: lanes)
            let nonce = try AES._CTR.Nonce(nonceBytes: [UInt8](repeating: 0, count: 16))
            return Array(try AES._CTR.encrypt(signerKey, using: key, nonce: nonce))
        } catch {
            return nil
        }
    }
}
