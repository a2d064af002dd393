import GatehouseWire
import HTTPServing
import HTTPTypes

// Keys, configuration and requests.
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

    @Sendable func showConfiguration(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let showsAll = visit.fields["show"] == "all"
        var page = Page("Configuration")
        page.blocks = try await visit.part(showsAll ? "All settings" : "Changed settings") { visit in
            let settings = try ListedSetting.list(json: await visit.callAsAdmin(.get, "/admin/configuration"))
            var table = Table(
                caption: "Settings", columns: ["Setting", "Value", "Origin"], empty: "All settings have their defaults."
            )
            table.rows = settings.filter { showsAll || $0.isChanged }.map { setting in
                [
                    Cell(setting.name.shown), Cell(setting.value.map { $0.isEmpty ? "(empty)" : $0.shown } ?? "–"),
                    Cell([Badge(text: setting.origin.cutForChart, tone: setting.isChanged ? .good : .plain)]),
                ]
            }
            let address = ConsolePlace.configuration.path
            let other =
                showsAll
                ? Link(title: "Show Changed", address: address)
                : Link(title: "Show All", address: address + "?show=all")
            return [.actions([other]), .table(table)]
        }
        return .page(page)
    }

    @Sendable func showRequests(_ visit: inout Visit) async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        var page = Page("Requests")
        page.blocks = try await visit.part("The last requests of this process") { visit in
            let log = try RequestLog(json: await visit.callAsAdmin(.get, "/admin/requests?after=0"))
            var table = Table(
                caption: "Requests", columns: ["Time (UTC)", "Request", "Status", "Took"], empty: "No requests yet.")
            table.rows = log.entries.suffix(100).reversed().map { entry in
                var status = Cell([
                    Badge(
                        text: "\(entry.status)", tone: entry.status < 400 ? .good : entry.status < 500 ? .plain : .bad)
                ])
                status.detail = entry.code?.cutForChart
                return [
                    Cell(entry.at.timeText), Cell("\(entry.method.cutForChart) \(entry.route.shown)"), status,
                    Cell(Figures.milliseconds(entry.milliseconds), isNumber: true),
                ]
            }
            return [.actions([Link(title: "Refresh", address: ConsolePlace.requests.path)]), .table(table)]
        }
        return .page(page)
    }
}
