import AccountStore
import GatehouseWire
import ProfileGateway

/// A row of `public.profiles`: `first_name`, `name` or `full_name`, `avatar_url`, `timezone`, `favorite_teams`, `data`,
/// `is_premium`, `created_at` and `updated_at`. Drops values that a PATCH of the profile would refuse.
struct SupabaseProfile {
    private(set) var imported = ImportedProfile()
    /// Columns with invalid values.
    private(set) var dropped: [String] = []
    private let row: AuthJSONObject

    init(_ row: AuthJSONObject) {
        self.row = row
        imported.firstName = text("first_name", \.firstName)
        imported.name = text(row["name"] == nil ? "full_name" : "name", as: "name", \.name)
        imported.avatarURL = text("avatar_url", \.avatarURL)
        imported.timezone = text("timezone", \.timezone)
        imported.favoriteTeams = teams()
        imported.data = data()
        imported.isPremium = value("is_premium") { columns, name throws(LineProblem) in try columns.flag(name) }
        imported.createdAt = value("created_at") { columns, name throws(LineProblem) in try columns.time(name) }
        imported.updatedAt = value("updated_at") { columns, name throws(LineProblem) in try columns.time(name) }
    }

    /// - Parameter member: The PATCH member's name, if different.
    /// - Returns: nil without such a column; `.some(nil)` for an empty value.
    private mutating func text(
        _ column: String, as member: String? = nil, _ change: (ProfileChanges) -> Change
    ) -> String?? {
        guard let value = row[column], let changes = changes(column, [member ?? column: value]) else { return nil }
        switch change(changes) {
        case .keep: return nil
        case .clear: return .some(nil)
        case .set(let text): return text
        }
    }

    private mutating func teams() -> String? {
        let column = "favorite_teams"
        let list = value(column) { columns, name throws(LineProblem) in try columns.texts(name) }
        guard let list, let changes = changes(column, [column: .array(list)]) else { return nil }
        return AuthJSON.array((changes.favoriteTeams ?? []).map(AuthJSON.string)).text
    }

    /// The members that are not null, as after a PATCH of an empty profile.
    private mutating func data() -> String? {
        let column = "data"
        let given = value(column) { columns, name throws(LineProblem) in try columns.object(name) }
        guard let given, case .merge(let patch) = changes(column, [column: .object(given)])?.data else { return nil }
        var data: AuthJSONObject = [:]
        data.apply(mergePatch: patch)
        return AuthJSON.object(data).text
    }

    private mutating func changes(_ column: String, _ members: AuthJSONObject) -> ProfileChanges? {
        // PostgreSQL text cannot contain U+0000.
        if row[column]?.stringValue?.utf8.contains(0) != true {
            do throws(InvalidProfileChange) {
                return try ProfileChanges(JSONMembers(members), allowed: ProfileChanges.wholeFields)
            } catch {}
        }
        dropped.append(column)
        return nil
    }

    private mutating func value<Value>(
        _ name: String, _ read: (LineColumns, String) throws(LineProblem) -> Value?
    ) -> Value? {
        guard let value = row[name], !value.isNull else { return nil }
        do throws(LineProblem) {
            return try read(LineColumns(row), name)
        } catch {
            dropped.append(name)
            return nil
        }
    }
}
