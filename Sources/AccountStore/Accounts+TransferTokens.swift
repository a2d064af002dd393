package import AccountDomain
import Crypto
package import GatehouseWire
package import SQLDatabase

/// A refresh token that another server of the protocol gave out: 12 or 22 letters and digits, or a text that names
/// its session and carries a counter (contract 4.1, 4.4). The database knows it by a digest.
package struct ImportedRefreshToken: Sendable {
    private let bytes: [UInt8]
    /// The session that the text names; nil for one that names none.
    fileprivate let session: SessionID?

    /// - Returns: nil for text of another form. It costs no look into the database.
    package init?(_ text: Secret) {
        let bytes = Array(text.reveal().utf8)
        switch bytes.count {
        case 12, 22:
            guard bytes.allSatisfy(Self.isTokenCharacter) else { return nil }
            session = nil
        case 51...63:
            guard let named = Self.sessionOfSecondVersion(bytes) else { return nil }
            session = named
        default: return nil
        }
        self.bytes = bytes
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// It ends with the start of a digest over the rest, which tells typing errors.
    private static func sessionOfSecondVersion(_ text: [UInt8]) -> SessionID? {
        guard let bytes = Base64URL.decode(text[...]), bytes.count >= 38, bytes[0] == 0,
            SHA256.hash(data: bytes.dropLast(4)).prefix(4).elementsEqual(bytes.suffix(4))
        else { return nil }
        return SessionID(bytes: Array(bytes[1..<17]))
    }

    func digest(_ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
    }
}

/// Which token of ours an imported one stands for. The session starts with the counter of `current`, so that the
/// rules of our own tokens hold for the imported ones as they are (Docs/decisions/0004).
package enum ImportedTokenAge: Int64, Sendable {
    /// Used up long ago: whoever presents it has a copy.
    case older
    /// Its successor was given out, but the answer may have been lost.
    case previous
    case current
}

extension Accounts {
    private static let sealedAs = "import key"

    /// Trades a token that came with an import, as if it were the one of ours that it stands for.
    ///
    /// - Returns: nil when no import brought it; `unknown` when it names a session that is not here any more.
    package func refresh(
        _ presented: ImportedRefreshToken, from device: Device, at now: Instant
    ) async throws -> RefreshOutcome? {
        guard let key = try await importKey() else { return try await outcome(ofUnknown: presented) }
        let lookup = Self.importedTokenLookup(presented.digest(key))
        let found = try await database.read { db in
            try db.row(lookup) { (session: SessionID(trusted: $0.text(0)), counter: $0.int(1)) }
        }
        guard let found else { return try await outcome(ofUnknown: presented) }
        return try await refresh(found.session, counter: found.counter, from: device, at: now)
    }

    /// A token of a session that has ended is told as such, so that its app signs out; of one that goes on it is some
    /// counter that no import brought.
    private func outcome(ofUnknown presented: ImportedRefreshToken) async throws -> RefreshOutcome? {
        guard let session = presented.session else { return nil }
        let isThere = try await database.read { db in
            try db.row("SELECT 1 FROM sessions WHERE id = \(session)") { _ in true } ?? false
        }
        return isThere ? nil : .unknown
    }

    package static func importedTokenLookup(_ digest: [UInt8]) -> SQL {
        "SELECT session_id, counter FROM imported_refresh_tokens WHERE digest = \(digest)"
    }

    /// The key of the digests: tokens of 60 bits could be guessed from plain ones, all at once.
    ///
    /// - Returns: nil before the first import, and when it was sealed under a secret that is no longer known.
    private func importKey() async throws -> SymmetricKey? {
        let sealed = try await database.read { db in
            try db.row("SELECT sealed FROM import_keys WHERE id = 1") { $0.bytes(0) }
        }
        guard let sealed else { return nil }
        do {
            return SymmetricKey(data: try secrets.open(sealed, name: Self.sealedAs))
        } catch is UnknownServerSecret {
            return nil
        }
    }

    /// The key, made when there is none; a rehearsal makes none that stays.
    ///
    /// - Throws: `UnknownServerSecret` when the one that is there was sealed under a secret that is no longer known.
    func makeImportKey(isDryRun: Bool, at now: Instant) async throws -> SymmetricKey {
        if let known = try await importKey() { return known }
        if isDryRun { return SymmetricKey(data: randomBytes(32)) }
        let fresh = try secrets.seal(randomBytes(32), name: Self.sealedAs, nonce: randomBytes(12))
        let sealed = try await database.write { db in
            let known = try db.row("SELECT sealed FROM import_keys WHERE id = 1") { $0.bytes(0) }
            if let known { return known }
            try db.run("INSERT INTO import_keys (id, sealed, created_at) VALUES (1, \(fresh), \(now))")
            return fresh
        }
        return SymmetricKey(data: try secrets.open(sealed, name: Self.sealedAs))
    }
}
