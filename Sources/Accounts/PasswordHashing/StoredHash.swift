import GatehouseWire

package struct StoredHash: Sendable {
    private enum Format: Sendable {
        case argon2(Argon2Hash), bcrypt(BcryptHash), firebaseScrypt(FirebaseScryptHash)
    }

    private let format: Format

    /// - Returns: `nil` unless the text is Argon2i or Argon2id version 19 within the limits of ``Argon2Settings``,
    ///   bcrypt with a cost of 4…16, or Firebase scrypt with 128·N·r·p of at most 1 GiB that BoringSSL can compute.
    package init?(_ text: String) {
        // All formats are ASCII. Splitting other text into characters takes unbounded time.
        guard text.utf8.count <= 1_024, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if let hash = Argon2Hash(text) {
            format = .argon2(hash)
        } else if let hash = BcryptHash(text) {
            format = .bcrypt(hash)
        } else if let hash = FirebaseScryptHash(text) {
            format = .firebaseScrypt(hash)
        } else {
            return nil
        }
    }

    init(_ hash: Argon2Hash) { format = .argon2(hash) }

    var argon2: Argon2Hash? {
        guard case .argon2(let hash) = format else { return nil }
        return hash
    }

    package var algorithm: HashAlgorithm {
        switch format {
        case .argon2(let hash): hash.variant == .argon2id ? .argon2id : .argon2i
        case .bcrypt: .bcrypt
        case .firebaseScrypt: .firebaseScrypt
        }
    }

    /// Whether to replace the hash: unless it is Argon2id, at least as hard to attack as `settings`, and at most four
    /// times as costly. Less memory is weaker even with more passes, because memory limits attackers' hardware.
    package func needsUpgrade(to settings: Argon2Settings) -> Bool {
        guard case .argon2(let hash) = format, hash.variant == .argon2id else { return true }
        return hash.settings.isWeaker(than: settings) || hash.settings.isDear(beside: settings)
    }

    /// Checking takes at most 64 MiB, and a quarter of a second where ``Argon2Settings/owasp`` takes 20 ms. For
    /// imports; stored hashes above this limit are still checked.
    package var isAffordable: Bool {
        switch format {
        case .argon2(let hash):
            hash.settings.memoryKiB <= 64 * 1_024 && hash.settings.memoryKiB * hash.settings.passes <= 256 * 1_024
        case .bcrypt(let hash): hash.cost <= 12
        case .firebaseScrypt(let hash): hash.bytes <= 32 << 20
        }
    }

    /// ``isAffordable``'s limits, for messages.
    package static let importLimits =
        "bcrypt up to 12, Argon2 up to 64 MiB and 256 MiB in all passes, Firebase scrypt up to 32 MiB"

    /// - Returns: `nil` if the computation failed, which reveals nothing about the password.
    func matches(_ password: inout [UInt8]) -> Bool? {
        switch format {
        case .argon2(let hash): hash.matches(&password)
        case .bcrypt(let hash): hash.matches(password)
        case .firebaseScrypt(let hash): hash.matches(password)
        }
    }
}

extension StoredHash: Unprinted {
    package var description: String { "<\(algorithm.rawValue) hash>" }
}
