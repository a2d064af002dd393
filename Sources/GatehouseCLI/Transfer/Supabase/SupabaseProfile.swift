import AccountStore
import Foundation
import GatehouseWire

/// A row of a table `public.profiles`, as far as its columns are known: `first_name`, `name` or `full_name`,
/// `avatar_url`, `timezone`, `favorite_teams`, `is_premium`, `created_at`, `updated_at`.
struct SupabaseProfile {
    private(set) var imported = ImportedProfile()
    /// Columns whose value does not fit.
    private(set) var dropped: [String] = []
    private let row: [String: AnyJSON]

    init(_ row: [String: AnyJSON]) {
        self.row = row
        imported.firstName = text("first_name", limit: 50)
        imported.name = text(row["name"] == nil ? "full_name" : "name", limit: 100)
        imported.avatarURL = text("avatar_url", limit: 2_048) { $0.lowercased().hasPrefix("https://") }
        imported.timezone = text("timezone", limit: 100) { TimeZone(identifier: $0) != nil }
        imported.favoriteTeams = teams()
        imported.isPremium = value("is_premium") { columns, name throws(LineProblem) in try columns.flag(name) }
        imported.createdAt = value("created_at") { columns, name throws(LineProblem) in try columns.time(name) }
        imported.updatedAt = value("updated_at") { columns, name throws(LineProblem) in try columns.time(name) }
    }

    /// - Returns: nil without such a column; `.some(nil)` where it holds nothing.
    private mutating func text(
        _ name: String, limit: Int, _ fits: (String) -> Bool = { _ in true }
    ) -> String?? {
        guard let value = row[name] else { return nil }
        if value.isNull { return .some(nil) }
        guard let text = value.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines) else {
            dropped.append(name)
            return nil
        }
        if text.isEmpty { return .some(nil) }
        // Counted as the databases count: Unicode scalars.
        guard text.unicodeScalars.count <= limit, !text.utf8.contains(0), fits(text) else {
            dropped.append(name)
            return nil
        }
        return text
    }

    private mutating func teams() -> String? {
        guard let list = value("favorite_teams", { columns, name throws(LineProblem) in try columns.array(name) })
        else { return nil }
        let teams = list.compactMap { $0.stringValue }
        guard teams.count == list.count, teams.count <= 30, teams.allSatisfy({ $0.utf8.count <= 50 }) else {
            dropped.append("favorite_teams")
            return nil
        }
        return AnyJSON.array(list).text
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
