import AccountDomain
import GatehouseWire
import SQLDatabase

extension ProviderCalls {
    /// Stores a provider's refresh token, encrypted. Does not revoke the token that it replaces, because some providers
    /// would then also revoke the new one.
    func keep(_ grant: ProviderGrant, of identity: IdentityID, at now: Instant, in db: any Connection) throws {
        let sealed = try secrets.seal(
            Array(grant.refreshToken.reveal().utf8), name: Self.grantName(identity), nonce: randomBytes(12))
        try db.run(
            """
            INSERT INTO provider_tokens (identity_id, client, sealed, created_at)
            VALUES (\(identity), \(grant.client), \(sealed), \(now))
            ON CONFLICT (identity_id) DO UPDATE SET
                client = excluded.client, sealed = excluded.sealed, created_at = excluded.created_at
            """)
    }

    /// The tokens stay encrypted, so that deletion works without a lost server secret.
    func promiseRevocation(ofTokensOf user: UserID, at now: Instant, in db: any Connection) throws {
        try promiseRevocation(
            of: """
                SELECT identities.id, identities.provider, provider_tokens.client, provider_tokens.sealed
                FROM identities JOIN provider_tokens ON provider_tokens.identity_id = identities.id
                WHERE identities.user_id = \(user)
                """, at: now, in: db)
    }

    func promiseRevocation(ofTokenOf identity: IdentityID, at now: Instant, in db: any Connection) throws {
        try promiseRevocation(
            of: """
                SELECT identities.id, identities.provider, provider_tokens.client, provider_tokens.sealed
                FROM identities JOIN provider_tokens ON provider_tokens.identity_id = identities.id
                WHERE identities.id = \(identity)
                """, at: now, in: db)
    }

    private func promiseRevocation(of statement: SQL, at now: Instant, in db: any Connection) throws {
        let found = try db.rows(statement) { row in
            (identity: IdentityID(trusted: row.text()), provider: row.text(), client: row.text(), row.bytes())
        }
        for (identity, provider, client, sealed) in found {
            let details: AuthJSON = ["provider": .string(provider), "client": .string(client)]
            let id: Identifier<OutboxItem> = accounts.newID()
            try db.run(
                """
                INSERT INTO outbox (id, kind, details, sealed, sealed_name, next_at, created_at)
                VALUES (\(id), \(OutboxMessage.Kind.revokeToken.rawValue), \(details.text), \(sealed),
                    \(Self.grantName(identity)), \(now), \(now))
                """)
        }
    }

    static func grantName(_ identity: IdentityID) -> String { "provider token \(identity.text)" }
}
