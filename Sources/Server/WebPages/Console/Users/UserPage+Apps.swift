import Foundation
import GatehouseWire
import HTTPTypes

extension UserPage {
    /// Separate, as the passkeys.
    mutating func appsPage() async throws -> Page {
        let user = FoundUser(try await callAsAdmin(.get, "/admin/users/\(userID)"))
        var page = Page("Connected Apps: \(user.name)")
        page.back = (user.name, user.path)
        page.blocks = try await part("Connected apps") { console in
            let json = try await console.callAsAdmin(.get, "/admin/users/\(console.userID)/oauth/grants")
            var table = Table(caption: "Connected apps", columns: ["App", "Can", "Connected", "Last used", "Action"])
            table.empty = "The user has connected no apps."
            table.rows = (json.arrayValue ?? []).prefix(100).map { Grant($0).cells(of: user) }
            return [.table(table)]
        }
        page.offerOnly(visit.operatorRights(over: user))
        return page
    }
}

extension Grant {
    fileprivate func cells(of user: FoundUser) -> [Cell] {
        let what = scopes.map(\.name.shown) + resources.map(\.shown)
        return [
            Cell(client.name.shownInEnglish, detail: client.host?.shown), Cell(what.joined(separator: ", ")),
            Cell(grantedAt.map { Moment.text($0) } ?? "–"), Cell(lastUsedAt.map { Moment.text($0) } ?? "–"),
            Cell("Remove", address: "\(user.path)/remove-app?id=\(FormText.escape(client.id))"),
        ]
    }
}

extension FoundUser {
    var otherPages: [Block] {
        [
            .heading("Passkeys and connected apps"),
            .actions([
                Link(title: "Passkeys", address: path + "/passkeys"),
                Link(title: "Connected Apps", address: path + "/apps"),
            ]),
        ]
    }
}
