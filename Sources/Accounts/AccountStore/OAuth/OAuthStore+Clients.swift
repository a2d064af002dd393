package import AccountDomain
package import GatehouseWire
import SQLDatabase

extension OAuthStore {
    package func client(_ id: OAuthClientID) async throws -> OAuthClient? {
        try await database.row(Self.clientLookup(id)) { $0.client() }
    }

    package func client(document: String) async throws -> OAuthClient? {
        try await database.row(Self.clientLookup(document: document)) { $0.client() }
    }

    /// Newest first.
    ///
    /// - Parameter limit: 1 to 1,000.
    package func clients(limit: Int, offset: Int) async throws -> (clients: [OAuthClient], total: Int) {
        try await database.read { db in
            let total = try db.row("SELECT count(*) FROM oauth_clients") { Int($0.int()) } ?? 0
            let found = try db.rows(
                """
                SELECT \(columns: Self.clientColumns) FROM oauth_clients
                ORDER BY created_at DESC, id DESC LIMIT \(max(1, min(limit, 1_000))) OFFSET \(max(0, offset))
                """
            ) { $0.client() }
            return (found, total)
        }
    }

    /// - Parameters:
    ///   - secret: nil for a public client.
    ///   - administrator: nil for an API key; ignored unless an administrator registers it.
    package func create(
        _ client: OAuthClient, secret: Secret?, administrator: String?, at now: Instant
    ) async throws {
        let digest = secret.map { SQLValue.bytes(TokenDigest.of($0)) } ?? .null
        try await database.write { db in
            try db.insert(client, secretDigest: digest)
            guard client.registration == .manual else { return }
            try accounts.record(
                [Self.entry(.oauthClientCreated, client, by: administrator)], at: now, in: db)
        }
    }

    /// - Returns: nil for an unknown client.
    package func update(
        _ id: OAuthClientID, administrator: String?, at now: Instant,
        _ change: @escaping @Sendable (inout OAuthClient) -> Void
    ) async throws -> OAuthClient? {
        try await database.write { db in
            guard var client = try db.row(Self.clientLookup(id), { $0.client() }) else { return nil }
            change(&client)
            client.updatedAt = now
            try db.update(client)
            try accounts.record([Self.entry(.oauthClientUpdated, client, by: administrator)], at: now, in: db)
            return client
        }
    }

    /// - Returns: nil for an unknown client.
    package func setSecret(
        _ secret: Secret, of id: OAuthClientID, administrator: String?, at now: Instant
    ) async throws -> OAuthClient? {
        let digest = TokenDigest.of(secret)
        return try await database.write { db in
            let changed = try db.run(
                "UPDATE oauth_clients SET secret_digest = \(digest), updated_at = \(now) WHERE id = \(id)")
            guard changed == 1, let client = try db.row(Self.clientLookup(id), { $0.client() }) else { return nil }
            try accounts.record(
                [Self.entry(.oauthClientSecretRegenerated, client, by: administrator)], at: now, in: db)
            return client
        }
    }

    /// In constant time.
    package func isSecret(_ secret: Secret, of id: OAuthClientID) async throws -> Bool {
        let stored = try await database.row("SELECT secret_digest FROM oauth_clients WHERE id = \(id)") {
            $0.bytesIfPresent()
        }
        guard let digest = stored ?? nil else { return false }
        return zip(digest, TokenDigest.of(secret)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Ends the client's sessions.
    ///
    /// - Returns: Whether there was one.
    package func delete(
        _ id: OAuthClientID, administrator: String?, from device: Device?, at now: Instant
    ) async throws -> Bool {
        try await accounts.sessions.revoking(at: now) { db in
            guard let client = try db.row(Self.clientLookup(id), { $0.client() }) else { return false }
            try accounts.sessions.endSessions(
                where: "oauth_client_id = \(id)", .byAdministrator(.clientDeleted, from: device), at: now, in: db)
            try db.run("DELETE FROM oauth_clients WHERE id = \(id)")
            try accounts.record([Self.entry(.oauthClientDeleted, client, by: administrator)], at: now, in: db)
            return true
        }
    }

    /// Stores what the document says now. Another name or logo has to be verified again.
    package func store(document client: OAuthClient, at now: Instant) async throws -> OAuthClient {
        try await database.write { db in
            guard let url = client.document else { return client }
            let lookup = Self.clientLookup(document: url)
            guard var known = try db.row(lookup, { $0.client() }) else {
                try db.insert(client, secretDigest: .null)
                return client
            }
            let isAsVerified =
                known.metadata.name == client.metadata.name && known.metadata.logo == client.metadata.logo
            known.isVerified = known.isVerified && isAsVerified
            (known.metadata, known.freshUntil, known.updatedAt) = (client.metadata, client.freshUntil, now)
            try db.update(known)
            return known
        }
    }

    static func clientLookup(_ id: OAuthClientID) -> SQL {
        "SELECT \(columns: clientColumns) FROM oauth_clients WHERE id = \(id)"
    }

    static func clientLookup(document: String) -> SQL {
        "SELECT \(columns: clientColumns) FROM oauth_clients WHERE document_url = \(document)"
    }

    private static func entry(
        _ action: AuditEntry.Action, _ client: OAuthClient, by administrator: String?
    ) -> AuditEntry {
        AuditEntry(
            action, administrator: administrator,
            traits: ["client_id": .string(client.publicID), "name": .string(client.metadata.name)])
    }
}

extension Connection {
    func insert(_ client: OAuthClient, secretDigest: SQLValue) throws {
        try run(
            """
            INSERT INTO oauth_clients (
                id, document_url, registration, metadata, secret_digest, is_verified, created_at, updated_at,
                fresh_until)
            VALUES (
                \(client.id), \(client.document), \(client.registration.rawValue), \(client.metadata.json.text),
                \(secretDigest), \(client.isVerified), \(client.createdAt), \(client.updatedAt), \(client.freshUntil))
            """)
    }

    func update(_ client: OAuthClient) throws {
        try run(
            """
            UPDATE oauth_clients SET metadata = \(client.metadata.json.text), is_verified = \(client.isVerified),
                updated_at = \(client.updatedAt), fresh_until = \(client.freshUntil)
            WHERE id = \(client.id)
            """)
    }
}
