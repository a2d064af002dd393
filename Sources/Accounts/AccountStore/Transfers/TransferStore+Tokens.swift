package import AccountDomain
import Crypto
package import GatehouseWire
package import SQLDatabase

/// Supabase Auth's: 12 or 22 letters and digits, or text that contains its session and a counter. Stored as a keyed
/// digest.
package struct ImportedRefreshToken: Sendable {
    private let bytes: [UInt8]
    fileprivate let session: SessionID?

    /// - Returns: nil for any other form.
    package init?(_ text: Secret) {
        let bytes = Array(text.reveal().utf8)
        switch bytes.count {
        case 12, 22:
            guard bytes.allSatisfy({ $0.isAlphanumeric || "-_".utf8.contains($0) }) else { return nil }
            session = nil
        case 51...63:
            guard let named = Self.sessionOfSecondVersion(bytes) else { return nil }
            session = named
        default: return nil
        }
        self.bytes = bytes
    }

    /// The last bytes are a checksum.
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

/// Position in the session's sequence, which starts at `current`, so imported tokens follow our own rules
/// (Docs/decisions/0004).
package enum ImportedTokenAge: Int64, Sendable {
    /// Presenting it means that it was copied.
    case older
    /// Its response may have been lost.
    case previous
    case current
}

extension TransferStore {
    static let importKeySeal = "import key"

    /// Exchanges an imported token as if it were the native token at its position.
    ///
    /// - Returns: nil for a token that was never imported; `unknown` if its session has ended.
    package func refresh(
        _ presented: ImportedRefreshToken, from device: Device, recordsRepeats: Bool = true, at now: Instant
    ) async throws -> RefreshOutcome? {
        guard let key = try await importKey() else { return try await outcome(ofUnknown: presented) }
        let lookup = Self.importedTokenLookup(presented.digest(key))
        let found = try await database.row(lookup) { (session: SessionID(trusted: $0.text()), counter: $0.int()) }
        guard let found else { return try await outcome(ofUnknown: presented) }
        return try await accounts.sessions.refresh(
            found.session, counter: found.counter, from: device, recordsRepeats: recordsRepeats, at: now)
    }

    /// An ended session is reported so that the app signs out; a live one has no such counter.
    private func outcome(ofUnknown presented: ImportedRefreshToken) async throws -> RefreshOutcome? {
        guard let session = presented.session else { return nil }
        let isThere = try await database.row("SELECT 1 FROM sessions WHERE id = \(session)") { _ in true } ?? false
        return isThere ? nil : .unknown()
    }

    /// For the query plan's test.
    package static func importedTokenLookup(_ digest: [UInt8]) -> SQL {
        "SELECT session_id, counter FROM imported_refresh_tokens WHERE digest = \(digest)"
    }

    /// Without a key, an attacker could guess all 60-bit tokens from their digests together.
    ///
    /// - Returns: nil before the first import, or if the configuration lacks the secret.
    private func importKey() async throws -> SymmetricKey? {
        let sealed = try await database.row("SELECT sealed FROM import_keys WHERE id = 1") { $0.bytes() }
        guard let sealed else { return nil }
        do {
            return SymmetricKey(data: try secrets.open(sealed, name: Self.importKeySeal))
        } catch is UnknownServerSecret {
            return nil
        }
    }

    /// A dry run does not store a new key.
    ///
    /// - Throws: `UnknownServerSecret` if the configuration lacks the secret.
    func makeImportKey(isDryRun: Bool, at now: Instant) async throws -> SymmetricKey {
        if let known = try await importKey() { return known }
        if isDryRun { return SymmetricKey(data: randomBytes(32)) }
        let fresh = try secrets.seal(randomBytes(32), name: Self.importKeySeal, nonce: randomBytes(12))
        let sealed = try await database.write { db in
            let known = try db.row("SELECT sealed FROM import_keys WHERE id = 1") { $0.bytes() }
            if let known { return known }
            try db.run("INSERT INTO import_keys (id, sealed, created_at) VALUES (1, \(fresh), \(now))")
            return fresh
        }
        return SymmetricKey(data: try secrets.open(sealed, name: Self.importKeySeal))
    }
}
