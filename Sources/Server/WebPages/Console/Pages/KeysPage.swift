import GatehouseWire
import HTTPServing
import HTTPTypes

// The signing keys.
extension WebPages {
    @Sendable func showKeys(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Keys")
        page.blocks = try await visit.part("Signing keys") { visit in
            let keys = try ListedKey.list(json: await visit.callAsAdmin(.get, "/admin/keys"))
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

    @Sendable func askToRotateKeys(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        return .page(
            visit.question(
                "Rotate the Signing Key?",
                "New access tokens are signed with a new key. Tokens of the key before stay valid until they end.",
                action: ConsolePlace.keys.path + "/rotate", button: "Rotate", back: .keys))
    }

    @Sendable func rotateKeys(_ visit: inout Visit) async throws -> Outcome {
        try await visit.callAsAdmin(.post, "/admin/keys/rotate")
        visit.session.sentence = "The signing key is rotated."
        return .move(ConsolePlace.keys.path)
    }
}
