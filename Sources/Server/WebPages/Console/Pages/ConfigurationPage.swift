import GatehouseWire
import HTTPServing
import HTTPTypes

struct ConfigurationPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/configuration") { try await $0.show() }
    ]

    mutating func show() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        if let area = visit.fields["area"] { return try await showArea(area.cut(to: 64)) }
        var page = Page(ConsolePlace.configuration.title)
        page.blocks = try await part("Areas") { console in
            let settings = try ListedSetting.list(json: await console.callAsAdmin(.get, "/admin/configuration"))
            let changed = settings.filter(\.isChanged)
            let note =
                changed.isEmpty ? "All settings have their defaults." : "The changed settings follow, by area."
            var blocks: [Block] = [.actions(ListedSetting.links(to: settings)), .soft(note)]
            for area in ListedSetting.areas(of: changed) {
                blocks += [.heading(area.shown), .table(.settings(changed.filter { $0.area == area }))]
            }
            return blocks
        }
        return .page(page)
    }

    private mutating func showArea(_ area: String) async throws -> Outcome {
        var page = Page(area.shown)
        page.back = (ConsolePlace.configuration.title, ConsolePlace.configuration.path)
        page.blocks = try await part("Settings") { console in
            let settings = try ListedSetting.list(json: await console.callAsAdmin(.get, "/admin/configuration"))
                .filter { $0.area == area }
            return [.table(.settings(settings))]
        }
        return .page(page)
    }
}

extension ListedSetting {
    /// In order, without duplicates.
    fileprivate static func areas(of settings: [ListedSetting]) -> [String] {
        settings.reduce(into: []) { areas, setting in
            if areas.last != setting.area { areas.append(setting.area) }
        }
    }

    /// With the number of changed settings.
    fileprivate static func links(to settings: [ListedSetting]) -> [Link] {
        areas(of: settings).map { area in
            let changed = settings.count { $0.area == area && $0.isChanged }
            return Link(
                title: changed == 0 ? area.shown : "\(area.shown) (\(changed) changed)",
                address: "\(ConsolePlace.configuration.path)?area=\(FormText.escape(area))")
        }
    }

    /// Without Markdown.
    fileprivate var plainHelp: String {
        help.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.1 }.replacing("`", with: "")
    }
}

extension Table {
    fileprivate static func settings(_ settings: [ListedSetting]) -> Table {
        var table = Table(
            caption: "Settings", columns: ["Setting", "Value", "Origin"], empty: "There are no such settings.")
        table.style = .settings
        table.rows = settings.map { setting in
            [
                Cell(setting.name.shown, detail: setting.plainHelp),
                Cell(setting.value.map { $0.isEmpty ? "(empty)" : $0.shown(atMost: 2_000) } ?? "–"),
                Cell([Badge(text: setting.origin.cutForChart, tone: setting.isChanged ? .good : .plain)]),
            ]
        }
        return table
    }
}
