package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// nil keeps the value derived from the account's metadata, because the source lacks the field; `.some(nil)` is an
/// empty field.
package struct ImportedProfile: Equatable, Sendable {
    package var firstName: String??
    package var name: String??
    package var avatarURL: String??
    package var timezone: String??
    /// A JSON array of strings.
    package var favoriteTeams: String?
    /// The app's custom fields, a JSON object.
    package var data: String?
    package var isPremium: Bool?
    package var createdAt: Instant?
    package var updatedAt: Instant?

    package init() {}
}

extension Connection {
    func apply(_ profile: ImportedProfile, to user: UserID) throws {
        try run(
            """
            UPDATE profiles SET
                first_name = CASE WHEN \(profile.firstName != nil) = 1 THEN \(profile.firstName ?? nil) ELSE first_name END,
                name = CASE WHEN \(profile.name != nil) = 1 THEN \(profile.name ?? nil) ELSE name END,
                avatar_url = CASE WHEN \(profile.avatarURL != nil) = 1 THEN \(profile.avatarURL ?? nil) ELSE avatar_url END,
                timezone = CASE WHEN \(profile.timezone != nil) = 1 THEN \(profile.timezone ?? nil) ELSE timezone END,
                favorite_teams = coalesce(\(profile.favoriteTeams), favorite_teams),
                data = coalesce(\(profile.data), data),
                created_at = coalesce(\(profile.createdAt), created_at),
                updated_at = coalesce(\(profile.updatedAt), updated_at)
            WHERE id = \(user)
            """)
        if let isPremium = profile.isPremium {
            try run("UPDATE profiles SET is_premium = \(isPremium) WHERE id = \(user)")
        }
    }
}

extension TransferStore {
    /// After `last` in order of id, as JSON objects keyed by column. Repeats the name as `full_name`, its name in other
    /// schemas.
    package func profileRows(after last: UserID?, limit: Int) async throws -> [(id: UserID, text: String)] {
        let columns = Self.profileColumns
        let page: SQL =
            last.map { "SELECT \(columns: columns) FROM profiles WHERE id > \($0) ORDER BY id LIMIT \(limit)" }
            ?? "SELECT \(columns: columns) FROM profiles ORDER BY id LIMIT \(limit)"
        return try await database.rows(page) { row in Self.profile(&row) }
    }

    /// As in ``profileRows(after:limit:)``; nil for an erased account.
    static func profile(of id: UserID, in db: any Connection) throws -> String? {
        try db.row("SELECT \(columns: profileColumns) FROM profiles WHERE id = \(id)") { profile(&$0).text }
    }

    private static let profileColumns: StaticString =
        "id, first_name, name, avatar_url, timezone, favorite_teams, data, is_premium, created_at, updated_at"

    private static func profile(_ row: inout Row) -> (id: UserID, text: String) {
        let id: UserID = row.id()
        func text() -> AuthJSON { row.textIfPresent().map(AuthJSON.string) ?? .null }
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id.text)
        writer.member("first_name", text())
        let name = text()
        writer.member("name", name)
        writer.member("full_name", name)
        writer.member("avatar_url", text())
        writer.member("timezone", text())
        writer.member("favorite_teams", json: row.text())
        writer.member("data", json: row.text())
        writer.member("is_premium", row.bool())
        writer.member("created_at", row.instant())
        writer.member("updated_at", row.instant())
        writer.endObject()
        return (id, writer.text)
    }
}
