import GatehouseWire

/// A password hash that this server can check. There is no other way to make one than to read its text.
package struct StoredHash: Sendable {
    private enum Format: Sendable {
        case argon2(Argon2Hash), bcrypt(BcryptHash), firebaseScrypt(FirebaseScryptHash)
    }

    private let format: Format

    /// Limits of what is checked at all: Argon2 as in ``Argon2Settings``; bcrypt with a
    /// cost of 4…16; Firebase scrypt with 128·N·r·p of at most 1 GiB that BoringSSL can compute. Argon2d and Argon2
    /// before version 19 are refused.
    ///
    /// - Returns: `nil` for every other text.
    package init?(_ text: String) {
        // Every format is ASCII. Splitting other text into characters takes time without a bound.
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

    package var algorithm: HashAlgorithm {
        switch format {
        case .argon2(let hash): hash.variant == .argon2id ? .argon2id : .argon2i
        case .bcrypt: .bcrypt
        case .firebaseScrypt: .firebaseScrypt
        }
    }

    /// True for everything but an Argon2id hash that costs an attacker as much as `settings` or more. A hash with
    /// less memory and more passes counts as weaker too: memory is what guessing machines lack. True as well for one
    /// that costs us more than four times as much.
    package func needsUpgrade(to settings: Argon2Settings) -> Bool {
        guard case .argon2(let hash) = format, hash.variant == .argon2id else { return true }
        return hash.settings.isWeaker(than: settings) || hash.settings.isDear(beside: settings)
    }

    /// Whether an import may bring it: its check takes a quarter of a second at most, on a machine where Argon2id at
    /// ``Argon2Settings/owasp`` takes 20 ms, and 64 MiB. Hashes from before this limit are still checked.
    package var isAffordable: Bool {
        switch format {
        case .argon2(let hash):
            hash.settings.memoryKiB <= 64 * 1_024 && hash.settings.memoryKiB * hash.settings.passes <= 256 * 1_024
        case .bcrypt(let hash): hash.cost <= 12
        case .firebaseScrypt(let hash): hash.bytes <= 32 << 20
        }
    }

    /// ``isAffordable`` in words.
    package static let importLimits =
        "bcrypt up to 12, Argon2 up to 64 MiB and 256 MiB in all passes, Firebase scrypt up to 32 MiB"

    /// - Returns: `nil` when the machine could not compute, which says nothing about the password.
    func matches(_ password: inout [UInt8]) -> Bool? {
        switch format {
        case .argon2(let hash): hash.matches(&password)
        case .bcrypt(let hash): hash.matches(password)
        case .firebaseScrypt(let hash): hash.matches(password)
        }
    }
}

extension StoredHash: CustomStringConvertible, CustomReflectable {
    package var description: String { "<\(algorithm.rawValue) hash>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
