package import GatehouseWire
package import SQLDatabase

/// Each method is one transaction: one statement besides the caller's condition, or two if the change depends on stored
/// fields or teams.
///
/// A trigger creates each account's profile; for another issuer's tokens, the first change does.
package struct Profiles: Sendable {
    private let database: any Database
    private let fields: ConfiguredFields

    package init(database: any Database, fields: ConfiguredFields = ConfiguredFields()) {
        (self.database, self.fields) = (database, fields)
    }

    /// - Throws: ``DatabaseFailure``.
    package func profile(of id: AccountID) async throws -> ProfileRecord? {
        let hasTeams = fields.teams != nil
        return try await database.row(Self.lookup(id)) { ProfileRecord(&$0, hasTeams: hasTeams) }
    }

    /// Creates a missing profile.
    ///
    /// - Parameter isAllowed: Checked in the same transaction.
    /// - Throws: ``UnknownAccount`` if `isAllowed` returns false or the account does not exist here; errors of
    ///   `isAllowed`; ``InvalidProfileChange`` for refused fields; ``DatabaseFailure``. Nothing changes, except
    ///   possibly with the reason `unknownOutcome`.
    package func change(
        _ id: AccountID, _ changes: ProfileChanges, at now: Instant,
        if isAllowed: @escaping @Sendable (any Connection) throws -> Bool = { _ in true }
    ) async throws -> ProfileRecord {
        let (fields, hasTeams) = (fields, fields.teams != nil)
        let givenTeams = changes.favoriteTeams ?? []
        let readsFirst = changes.data != .keep || !givenTeams.allSatisfy(fields.isKnown)
        let ready = readsFirst ? nil : Self.upsert(id, changes, nil, now)
        let changed: ProfileRecord?
        do {
            changed = try await database.write { db in
                guard try isAllowed(db) else { return nil }
                var statement = ready
                if statement == nil {
                    // A transaction that read an older profile runs again, so concurrent changes of different fields
                    // survive.
                    let stored = try db.row(Self.dependencies(id)) { ($0.text(), $0.text()) } ?? ("{}", "[]")
                    try fields.check(givenTeams, stored: try JSONReader.read(stored.1).arrayValue ?? [])
                    let data = try ProfileData.text(after: changes.data, of: stored.0, fields.schema)
                    statement = Self.upsert(id, changes, data, now)
                }
                return try statement.flatMap { try db.row($0) { ProfileRecord(&$0, hasTeams: hasTeams) } }
            }
        } catch let failure as DatabaseFailure where failure.reason == .constraint(.foreignKey) {
            throw UnknownAccount()
        }
        guard let changed else { throw UnknownAccount() }
        return changed
    }

    /// For the test that the hot read uses an index.
    package static func lookup(_ id: AccountID) -> SQL { lookup.binding(.text(id.text)) }

    private static let lookup: SQL = """
        SELECT id, first_name, favorite_teams, data, name, avatar_url, timezone, is_premium, created_at, updated_at
        FROM profiles WHERE id = \(.null)
        """

    private static func dependencies(_ id: AccountID) -> SQL {
        "SELECT data, favorite_teams FROM profiles WHERE id = \(id.text)"
    }

    /// - Parameter data: nil keeps the custom fields.
    private static func upsert(
        _ id: AccountID, _ changes: ProfileChanges, _ data: String?, _ now: Instant
    ) -> SQL {
        let time = SQLValue.instant(now.microseconds)
        return """
            INSERT INTO profiles
                (id, first_name, favorite_teams, data, name, avatar_url, timezone, created_at, updated_at)
            VALUES (\(id.text), \(changes.firstName.value), \(changes.favoriteTeamsJSON ?? "[]"), \(data ?? "{}"),
                \(changes.name.value), \(changes.avatarURL.value), \(changes.timezone.value), \(time), \(time))
            ON CONFLICT (id) DO UPDATE SET
                first_name = CASE WHEN \(changes.firstName.isSet) = 1
                    THEN excluded.first_name ELSE profiles.first_name END,
                favorite_teams = CASE WHEN \(changes.favoriteTeams != nil) = 1
                    THEN excluded.favorite_teams ELSE profiles.favorite_teams END,
                data = CASE WHEN \(data != nil) = 1 THEN excluded.data ELSE profiles.data END,
                name = CASE WHEN \(changes.name.isSet) = 1 THEN excluded.name ELSE profiles.name END,
                avatar_url = CASE WHEN \(changes.avatarURL.isSet) = 1
                    THEN excluded.avatar_url ELSE profiles.avatar_url END,
                timezone = CASE WHEN \(changes.timezone.isSet) = 1
                    THEN excluded.timezone ELSE profiles.timezone END,
                updated_at = excluded.updated_at
            RETURNING
                id, first_name, favorite_teams, data, name, avatar_url, timezone, is_premium, created_at, updated_at
            """
    }
}

// For profiles of another issuer's accounts.
extension Profiles {
    /// Remembers the deletion for a minute.
    ///
    /// - Throws: ``DatabaseFailure``. With the reason `unknownOutcome` the profile may be gone.
    package func delete(_ id: AccountID, at now: Instant) async throws {
        try await database.write { db in
            try db.run("DELETE FROM profiles WHERE id = \(id.text)")
            try db.run("DELETE FROM deleted_profiles WHERE deleted_at <= \(Self.settled(by: now))")
            try db.run(
                """
                INSERT INTO deleted_profiles (id, deleted_at)
                VALUES (\(id.text), \(SQLValue.instant(now.microseconds)))
                ON CONFLICT (id) DO UPDATE SET deleted_at = excluded.deleted_at
                """)
        }
    }

    /// Within the last minute: the account's deletion may still be on its way to the issuer.
    ///
    /// - Throws: ``DatabaseFailure``.
    package static func isBeingDeleted(_ id: AccountID, at now: Instant, in db: any Connection) throws -> Bool {
        let deletion: SQL =
            "SELECT 1 FROM deleted_profiles WHERE id = \(id.text) AND deleted_at > \(settled(by: now))"
        return try db.row(deletion) { _ in true } != nil
    }

    private static func settled(by now: Instant) -> SQLValue { .instant((now - .seconds(60)).microseconds) }
}

/// The account does not exist, or the caller may not change it.
package struct UnknownAccount: Error, Equatable {
    package init() {}
}

extension ProfileRecord {
    /// The columns of ``Profiles/lookup(_:)``.
    fileprivate init(_ row: inout Row, hasTeams: Bool) {
        let (id, firstName, teams) = (row.text(), row.textIfPresent(), row.text())
        self.init(
            id: id, firstName: firstName, data: row.text(), name: row.textIfPresent(),
            avatarURL: row.textIfPresent(), timezone: row.textIfPresent(), isPremium: row.bool(),
            createdAt: Instant(microseconds: row.int()), updatedAt: Instant(microseconds: row.int()),
            others: hasTeams ? [Member(name: ProfileChanges.teamsName, json: teams)] : [])
    }
}
