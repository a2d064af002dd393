package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Signs access tokens.
package struct StoredSigningKey: Sendable {
    package let id: String
    /// A JWK.
    package let privateKey: Secret
    package let createdAt: Instant
    /// nil for the current key.
    package let retiredAt: Instant?

    package init(id: String, privateKey: Secret, createdAt: Instant, retiredAt: Instant? = nil) {
        self.id = id
        self.privateKey = privateKey
        self.createdAt = createdAt
        self.retiredAt = retiredAt
    }
}

/// Encrypted with a server secret. The newest active key signs. Retired keys verify until their last token expires.
///
/// Every method throws ``UnknownServerSecret`` if the configuration lacks a key's secret.
package struct SigningKeys: Sendable {
    let database: any Database
    let secrets: ServerSecrets
    let randomBytes: @Sendable (Int) -> [UInt8]

    package init(
        database: any Database, secrets: ServerSecrets, randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.database = database
        self.secrets = secrets
        self.randomBytes = randomBytes
    }

    /// Newest first.
    package func all() async throws -> [StoredSigningKey] {
        try await database.rows(Self.listing, opened)
    }

    /// Adds a key unless there is a current one, so that nodes that start together agree on one.
    package func ensure(_ key: StoredSigningKey) async throws -> [StoredSigningKey] {
        try await database.write { db in
            let keys = try list(db)
            if keys.contains(where: { $0.retiredAt == nil }) { return keys }
            try insert(key, in: db)
            return try list(db)
        }
    }

    /// Retires the current key, adds a new one, and deletes retired keys whose tokens have all expired.
    ///
    /// - Parameters:
    ///   - expired: Keys retired before this time are deleted.
    ///   - beside: Runs in the same transaction.
    @discardableResult
    package func rotate(
        to key: StoredSigningKey, forgettingRetiredBefore expired: Instant,
        beside: @escaping @Sendable (any Connection) throws -> Void = { _ in }
    ) async throws -> [StoredSigningKey] {
        try await database.write { db in
            try beside(db)
            try db.run("DELETE FROM signing_keys WHERE retired_at < \(expired)")
            try db.run("UPDATE signing_keys SET retired_at = \(key.createdAt) WHERE retired_at IS NULL")
            try insert(key, in: db)
            return try list(db)
        }
    }

    /// Deletes a leaked key. All tokens that it signed become invalid.
    ///
    /// If it was the current key, `replacement` becomes current. The newest retired key signs until every node has
    /// loaded the replacement; its retirement time is therefore reset to now. All keys are opened, so one under a
    /// missing secret prevents the deletion of another.
    ///
    /// - Parameter expired: Keys retired before this time are deleted.
    /// - Returns: nil, without changes, if no key has this id.
    package func revoke(_ id: String, replacement: StoredSigningKey, forgettingRetiredBefore expired: Instant)
        async throws -> [StoredSigningKey]?
    {
        try await database.write { db in
            guard try list(db).contains(where: { $0.id == id }) else { return nil }
            try db.run("DELETE FROM signing_keys WHERE id = \(id) OR retired_at < \(expired)")
            let left = try list(db)
            guard left.allSatisfy({ $0.retiredAt != nil }) else { return left }
            if let next = left.first {
                try db.run("UPDATE signing_keys SET retired_at = \(replacement.createdAt) WHERE id = \(next.id)")
            }
            try insert(replacement, in: db)
            return try list(db)
        }
    }

    private func insert(_ key: StoredSigningKey, in db: any Connection) throws {
        let sealed = try secrets.seal(
            Array(key.privateKey.reveal().utf8), name: Self.sealName(key.id), nonce: randomBytes(12))
        try db.run(
            "INSERT INTO signing_keys (id, private_key, created_at) VALUES (\(key.id), \(sealed), \(key.createdAt))")
    }

    private func list(_ db: any Connection) throws -> [StoredSigningKey] {
        try db.rows(Self.listing, opened)
    }

    static func sealName(_ id: String) -> String { "signing key \(id)" }

    private static let listing: SQL =
        "SELECT id, private_key, created_at, retired_at FROM signing_keys ORDER BY created_at DESC, id DESC"

    @Sendable private func opened(_ row: inout Row) throws -> StoredSigningKey {
        let id = row.text()
        let opened = try secrets.open(row.bytes(), name: Self.sealName(id))
        return StoredSigningKey(
            id: id, privateKey: Secret(String(decoding: opened, as: UTF8.self)), createdAt: row.instant(),
            retiredAt: row.instantIfPresent())
    }
}

extension Accounts {
    package func rotate(
        _ keys: SigningKeys, to key: StoredSigningKey, forgettingRetiredBefore expired: Instant,
        recording entry: AuditEntry, at now: Instant
    ) async throws -> [StoredSigningKey] {
        try await keys.rotate(to: key, forgettingRetiredBefore: expired) { db in
            try record([entry], at: now, in: db)
        }
    }
}
