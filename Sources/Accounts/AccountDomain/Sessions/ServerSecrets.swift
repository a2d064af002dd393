import Crypto
package import GatehouseWire

/// Newest first. The first secret protects new values; the others keep older values valid until their sessions have
/// refreshed.
package struct ServerSecrets: Sendable {
    private struct Key: Sendable {
        let number: UInt8
        /// Initialized once, which is most of an HMAC's work for a short text.
        let code: HMAC<SHA256>
        let sealing: SymmetricKey
    }

    private let keys: [Key]

    package static let minimumBytes = 32

    /// - Returns: nil for an empty list, a duplicate number, or a secret shorter than ``minimumBytes``.
    package init?(_ secrets: [(number: UInt8, bytes: [UInt8])]) {
        guard !secrets.isEmpty, Set<UInt8>(secrets.map(\.number)).count == secrets.count,
            secrets.allSatisfy({ $0.bytes.count >= Self.minimumBytes })
        else { return nil }
        keys = secrets.map { number, bytes in
            let code = HMAC<SHA256>(key: SymmetricKey(data: bytes))
            return Key(number: number, code: code, sealing: Self.derive(code, "gatehouse sealed", []))
        }
    }

    package func refreshTokenKey(for session: SessionID) -> RefreshTokenKey { key(for: session, keys[0]) }

    /// - Returns: nil for an unknown secret.
    func refreshTokenKey(for session: SessionID, secretNumber: UInt8) -> RefreshTokenKey? {
        keys.first { $0.number == secretNumber }.map { key(for: session, $0) }
    }

    private func key(for session: SessionID, _ secret: Key) -> RefreshTokenKey {
        let bytes = session.bytes
        let key = Self.derive(secret.code, "gatehouse refresh token", bytes)
        return RefreshTokenKey(secretNumber: secret.number, session: bytes, code: HMAC(key: key))
    }

    package func isCurrent(_ key: RefreshTokenKey) -> Bool { key.secretNumber == keys[0].number }

    /// Encrypts with AES-256-GCM (RFC 5116).
    ///
    /// - Parameters:
    ///   - name: Bound to the ciphertext, so it cannot replace another name's.
    ///   - nonce: 12 random bytes. Another length throws an error of the crypto library.
    /// - Returns: The secret's number, nonce, ciphertext and tag: 29 bytes more than the data.
    package func seal(_ bytes: [UInt8], name: String, nonce: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            bytes, using: keys[0].sealing, nonce: AES.GCM.Nonce(data: nonce), authenticating: Array(name.utf8))
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return [keys[0].number] + combined
    }

    /// - Throws: ``UnknownServerSecret`` for a missing secret or fewer than 29 bytes; an error of the crypto library
    ///   for modified ciphertext or another name.
    package func open(_ sealed: [UInt8], name: String) throws -> [UInt8] {
        guard sealed.count >= 29, let key = keys.first(where: { $0.number == sealed[0] })?.sealing else {
            throw UnknownServerSecret(number: sealed.first)
        }
        let box = try AES.GCM.SealedBox(combined: sealed.dropFirst())
        return Array(try AES.GCM.open(box, using: key, authenticating: Array(name.utf8)))
    }

    var currentNumber: UInt8 { keys[0].number }

    /// 32 bytes; nil for an unknown secret.
    func deviceSignature(_ bytes: [UInt8], number: UInt8) -> [UInt8]? {
        signature("gatehouse device mark", bytes, number)
    }

    /// Identifies the password of a device mark.
    func devicePassword(_ bytes: [UInt8], number: UInt8) -> [UInt8]? {
        signature("gatehouse device password", bytes, number)
    }

    /// A digest of a code too short to be hashed without a secret: the secret's number, then 32 bytes.
    ///
    /// - Parameter owner: Equal codes of different owners have different digests.
    package func codeDigest(_ code: Secret, of owner: String) -> [UInt8] {
        [keys[0].number] + digest(code, of: owner, keys[0].code)
    }

    /// false if the digest's secret is missing.
    package func isDigest(_ stored: [UInt8], ofCode code: Secret, of owner: String) -> Bool {
        guard let key = keys.first(where: { $0.number == stored.first }) else { return false }
        let expected = digest(code, of: owner, key.code)
        return stored.count == 33 && zip(stored.dropFirst(), expected).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private func digest(_ code: Secret, of owner: String, _ key: HMAC<SHA256>) -> [UInt8] {
        let context = Array(owner.utf8) + [0] + Array(code.reveal().utf8)
        return Self.derive(key, "gatehouse one-time code", context).withUnsafeBytes(Array.init)
    }

    /// Replaces an address where it must not be stored, such as in an index.
    package func mark(of address: Recipient) -> [UInt8] {
        Self.derive(keys[0].code, "gatehouse address", Array(address.text.utf8)).withUnsafeBytes(Array.init)
    }

    /// 16 bytes. Repeated sign-ups with the same password have equal hashes, and are recognized without another
    /// computation. Later passwords get random salts.
    package func signUpSalt(of address: Recipient) -> [UInt8] {
        Self.derive(keys[0].code, "gatehouse sign-up salt", Array(address.text.utf8)).withUnsafeBytes {
            Array($0.prefix(16))
        }
    }

    /// For proofs of keys (RFC 9449 §8), under each secret, newest first.
    ///
    /// - Parameter slot: A span of time, which the nonce names.
    package func proofNonces(_ slot: Int64) -> [String] {
        keys.map { key in
            let code = Self.derive(key.code, "gatehouse proof nonce", Array(String(slot).utf8))
            return "\(slot)." + Base64URL.text(code.withUnsafeBytes { Array($0.prefix(16)) })
        }
    }

    /// An authorization's code: derived, so that a lost answer can be repeated and nothing that opens it is stored.
    package func authorizationCode(of authorization: Identifier<OAuthAuthorization>) -> Secret {
        let key = Self.derive(keys[0].code, "gatehouse authorization code", authorization.bytes)
        return Secret(Base64URL.text(key.withUnsafeBytes(Array.init)))
    }

    /// 32 bytes under each secret, newest first.
    func challengeProofs(_ context: [UInt8]) -> [[UInt8]] {
        keys.map { Self.derive($0.code, "gatehouse passkey challenge", context).withUnsafeBytes(Array.init) }
    }

    private func signature(_ purpose: String, _ bytes: [UInt8], _ number: UInt8) -> [UInt8]? {
        keys.first { $0.number == number }.map { Self.derive($0.code, purpose, bytes).withUnsafeBytes(Array.init) }
    }

    /// One key per purpose and context. HKDF's expand step is sufficient for a uniformly random secret (RFC 5869 §3.3).
    private static func derive(_ code: HMAC<SHA256>, _ purpose: String, _ context: [UInt8]) -> SymmetricKey {
        var code = code
        code.update(data: Array(purpose.utf8) + context + [1])
        return SymmetricKey(data: code.finalize())
    }
}

extension ServerSecrets: CustomReflectable {
    /// Hides the HMAC states, which are equivalent to the secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

package struct UnknownServerSecret: Error, Equatable, Sendable {
    package let number: UInt8?
}
