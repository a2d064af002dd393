import GatehouseWire
import HTTPTypes

struct KeysPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/keys") { try await $0.show() },
        shows("/keys/rotate") { $0.askToRotate() },
        takes("/keys/rotate") { try await $0.rotate() },
    ]

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Keys")
        page.blocks = try await part("Signing keys") { console in
            let keys = try ListedKey.list(json: await console.callAsAdmin(.get, "/admin/keys"))
            var table = Table(
                caption: "Signing keys", columns: ["Key", "Algorithm", "State", "Created (UTC)"],
                empty: "There are no signing keys.")
            table.rows = keys.map { key in
                [
                    Cell(key.id.shown), Cell(key.algorithm.cutForChart), Cell([Badge(state: key.state)]),
                    Cell(key.createdAt?.minuteText ?? "–"),
                ]
            }
            return [.table(table), .actions([Link(title: "Rotate…", address: ConsolePlace.keys.path + "/rotate")])]
        }
        return .page(page)
    }

    mutating func askToRotate() -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        return .page(
            question(
                "Rotate the Signing Key?",
                "New access tokens will be signed with a new key. Existing tokens stay valid until they expire.",
                action: ConsolePlace.keys.path + "/rotate", button: "Rotate", back: .keys))
    }

    mutating func rotate() async throws -> Outcome {
        try await callAsAdmin(.post, "/admin/keys/rotate")
        visit.session.sentence = "The signing key was rotated."
        return .move(ConsolePlace.keys.path)
    }
}
