import GatehouseWire

/// A password hash that this server can check, parsed from its text.
package struct StoredHash: Sendable {
    private enum Format: Sendable {
        case argon2(Argon2Hash), bcrypt(BcryptHash), firebaseScrypt(FirebaseScryptHash)
    }

    private let format: Format

    /// Accepts Argon2 within the limits of ``Argon2Settings``, bcrypt with a cost of 4…16, and Firebase scrypt with
    /// 128·N·r·p of at most 1 GiB that BoringSSL can compute. Refuses Argon2d and Argon2 before version 19.
    ///
    /// - Returns: `nil` for any other text.
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

    /// `nil` for an imported hash of another kind.
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

    /// Whether to replace the hash: true unless it is Argon2id and at least as hard to attack as `settings`. Less
    /// memory counts as weaker even with more passes, because attackers' hardware is limited by memory. Also true if
    /// the hash costs the server more than four times as much.
    package func needsUpgrade(to settings: Argon2Settings) -> Bool {
        guard case .argon2(let hash) = format, hash.variant == .argon2id else { return true }
        return hash.settings.isWeaker(than: settings) || hash.settings.isDear(beside: settings)
    }

    /// Whether an import may bring it: its check takes a quarter of a second at most, on a machine where Argon2id at
    /// ``Argon2Settings/owasp`` takes 20 ms, and 64 MiB. Older hashes above this limit are still checked.
    package var isAffordable: Bool {
        switch format {
        case .argon2(let hash):
            hash.settings.memoryKiB <= 64 * 1_024 && hash.settings.memoryKiB * hash.settings.passes <= 256 * 1_024
        case .bcrypt(let hash): hash.cost <= 12
        case .firebaseScrypt(let hash): hash.bytes <= 32 << 20
        }
    }

    /// The limits of ``isAffordable`` for messages.
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
