package import Foundation
package import Gatehouse

extension ClientAnswer {
    /// - Parameter teams: Other favorites are shown by id.
    package static func profile(_ profile: Profile, teams: [Team]) -> ClientAnswer {
        let summary = profile.summary
        let names = Dictionary(teams.map { ($0.id, $0.name) }) { first, _ in first }
        var table = TextTable(["First name", summary.firstName?.printable ?? "-"])
        table.add(["Name", profile.name ?? "-"])
        if let ids = summary.favoriteTeams {
            let favorites = ids.map { id in names[id].map { "\($0) (\(id))" } ?? id }
            table.add(["Favorite teams", favorites.isEmpty ? "No favorite teams yet" : favorites[0]])
            for favorite in favorites.dropFirst() { table.add(["", favorite]) }
        }
        table.add(["Time zone", profile.timezone ?? "-"])
        table.add(["Picture", profile.avatarURL?.absoluteString ?? "-"])
        if profile.isPremium { table.add(["Premium", "yes"]) }
        for name in summary.data.keys.sorted() { table.add([name, summary.data[name]?.shown ?? ""]) }
        let known: AuthJSONObject = [
            "id": .string(summary.id.uuidString.lowercased()), "first_name": text(summary.firstName),
            "data": .object(summary.data), "name": text(profile.name),
            "avatar_url": text(profile.avatarURL?.absoluteString), "timezone": text(profile.timezone),
            "is_premium": .bool(profile.isPremium), "created_at": .string(summary.createdAt.wire),
            "updated_at": .string(profile.updatedAt.wire),
        ]
        return ClientAnswer(summary.others.merging(known) { $1 }, table.text)
    }

    package static func teams(_ teams: [Team]) -> ClientAnswer {
        var table = TextTable(["ID", "NAME", "SHORT", "LEAGUE"])
        for team in teams { table.add([team.id, team.name, team.abbreviation, team.league]) }
        let list = teams.map { team -> AuthJSON in
            [
                "id": .string(team.id), "league": .string(team.league), "name": .string(team.name),
                "city": .string(team.city), "abbreviation": .string(team.abbreviation),
            ]
        }
        return ClientAnswer(["teams": .array(list)], teams.isEmpty ? "No teams.\n" : table.text)
    }

    package static func sessions(_ sessions: [SessionInfo]) -> ClientAnswer {
        var table = TextTable(["ID", "SIGNED IN", "LAST USED", "ADDRESS", "DEVICE"])
        for session in sessions {
            table.add([
                session.id.uuidString.lowercased(), shown(session.createdAt),
                shown(session.lastUsedAt), session.ipAddress ?? "-",
                device(of: session) + (session.isCurrent ? "  (this one)" : ""),
            ])
        }
        let list = sessions.map { session -> AuthJSON in
            var members: AuthJSONObject = [
                "id": .string(session.id.uuidString.lowercased()), "created_at": .string(session.createdAt.wire),
                "refreshed_at": text(session.refreshedAt?.wire), "user_agent": text(session.userAgent),
                "ip": text(session.ipAddress), "is_current": .bool(session.isCurrent),
            ]
            if let kind = session.kind {
                members["parent_id"] = text(session.parentID?.uuidString.lowercased())
                members["kind"] = .string(kind.rawValue)
                members["name"] = text(session.name)
            }
            return .object(members)
        }
        return ClientAnswer(["sessions": .array(list)], table.text)
    }

    package static func revoked(_ ids: [UUID], endsOthers: Bool, isSignedIn: Bool) -> ClientAnswer {
        let list = ids.map { $0.uuidString.lowercased() }
        var lines = list.map { "Revoked \($0).\n" }
        if endsOthers { lines = ["Signed out on all other devices.\n"] }
        if !isSignedIn { lines.append("This was the current session: you are signed out.\n") }
        return ClientAnswer(
            ["revoked": texts(list), "others": .bool(endsOthers), "signed_in": .bool(isSignedIn)], lines.joined())
    }

    private static func device(of session: SessionInfo) -> String {
        let device = session.device.map(shown)
        guard let kind = session.kind else { return device ?? "-" }
        let name = session.shownName.map { " \"\($0.printable)\"" } ?? ""
        return "  \(kind.rawValue.printable)\(name)" + (device.map { ", " + $0 } ?? "")
    }

    private static func shown(_ device: DeviceName) -> String {
        device.details.map { device.name + ", " + $0 } ?? device.name
    }

    /// To the second.
    private static func shown(_ date: Date) -> String { date.wire.prefix(19) + "Z" }
}

extension AuthJSON {
    /// Text unchanged, other values as JSON.
    fileprivate var shown: String { stringValue ?? text }
}
