import CCrypt
import GatehouseWire

/// As stored by Supabase Auth: `$2a$10$`, 22 characters of salt, 31 of digest.
struct BcryptHash: Hashable, Sendable {
    /// bcrypt ignores the rest of a longer password.
    static let longestPassword = 72

    let text: String
    let cost: Int

    /// Parses `$2a$`, `$2b$` and `$2y$` with a cost of 4…16. Each step doubles the time: 16 takes about 4 s of one
    /// core, 20 would take a minute per sign-in.
    init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        guard bytes.count == 60, ["$2a$", "$2b$", "$2y$"].contains(where: text.hasPrefix),
            bytes[6] == UInt8(ascii: "$"), bytes[7...].allSatisfy(Self.isInAlphabet),
            bytes[4...5].allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let cost = Int(String(decoding: bytes[4...5], as: UTF8.self)), (4...16).contains(cost)
        else { return nil }
        self.text = String(text)
        self.cost = cost
    }

    /// A password over 72 bytes or with a NUL never matches, because crypt_r would compare only its beginning. It is
    /// hashed nevertheless, so that timing reveals nothing.
    ///
    /// - Returns: `nil` if crypt_r failed.
    func matches(_ password: [UInt8]) -> Bool? {
        let isWhole = password.count <= Self.longestPassword && !password.contains(0)
        let readable = password.prefix(Self.longestPassword).prefix { $0 != 0 }
        var phrase = [UInt8](repeating: 0, count: Self.longestPassword + 1)
        phrase.replaceSubrange(..<readable.count, with: readable)
        defer { phrase.erase() }
        guard let computed = Self.crypt(phrase, setting: text) else { return nil }
        // crypt_r clears bits in the salt's last character, so only the digests are compared.
        return Array(computed.suffix(31)).matchesInConstantTime(text.utf8.suffix(31)) && isWhole
    }

    /// - Parameter phrase: NUL-terminated.
    private static func crypt(_ phrase: [UInt8], setting: String) -> [UInt8]? {
        // 32 KiB, too large for a thread's stack. crypt_r requires zeroed memory.
        let scratch = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MemoryLayout<crypt_data>.size, alignment: MemoryLayout<crypt_data>.alignment)
        scratch.initializeMemory(as: UInt8.self, repeating: 0)
        defer {
            erase(scratch)
            scratch.deallocate()
        }
        let data = scratch.baseAddress?.bindMemory(to: crypt_data.self, capacity: 1)
        let output = phrase.withUnsafeBytes { phrase in
            crypt_r(phrase.baseAddress?.assumingMemoryBound(to: CChar.self), setting, data)
        }
        guard let output else { return nil }
        let text = Array(String(cString: output).utf8)
        return text.count == 60 ? text : nil
    }

    private static func isInAlphabet(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "./".utf8.contains(byte) }
}
