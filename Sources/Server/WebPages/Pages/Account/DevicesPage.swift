import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

struct DevicesPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/devices") { try await $0.show() },
        takes("/devices") { try await $0.end() },
    ]

    mutating func show() async throws -> Outcome {
        let json = try await visit.callAsUser(.get, "/sessions")
        let sessions = try SessionInfo.list(json: json)
        let clients = json.clientsOfSessions
        var page = visit.accountPage(say("Devices"))
        let own = sessions.filter(\.isCurrent)
        let others = sessions.filter { !$0.isCurrent }
        let names = [UUID: String](sessions.map { ($0.id, $0.device?.name.shown ?? say("Unknown Device")) }) {
            first, _ in
            first
        }
        page.blocks.append(
            .rows(
                SessionInfo.nested(own + others).map {
                    row($0, clients[$0.id], setUpBy: $0.parentID.flatMap { names[$0] })
                }))
        guard !others.isEmpty else { return .page(page) }
        page.blocks.append(
            .form(
                Form(
                    action: Place.devices.path, hidden: [("session", "others")],
                    button: say("Sign Out All Other Devices"), style: .danger)))
        return .page(page)
    }

    /// This session, or all others.
    mutating func end() async throws -> Outcome {
        let session = visit.fields["session"] ?? ""
        guard session != "others" else {
            try await visit.callAsUser(.post, "/logout?scope=others")
            visit.session.flash = .othersEnded
            return .go(.devices)
        }
        do {
            try await visit.callAsUser(.delete, "/sessions/\(FormText.escape(session.cut(to: 64)))")
        } catch let refusal as CallRefusal where refusal.code == .notFound {
            // Already ended.
        }
        visit.session.flash = .deviceEnded
        return .go(.devices)
    }
}

extension DevicesPage {
    /// - Parameters:
    ///   - client: Whose session it is, if not the user's own.
    ///   - parent: The device that opened a child session.
    private func row(_ session: SessionInfo, _ client: String?, setUpBy parent: String?) -> Row {
        let device = session.device
        let deviceName = device?.name.shown ?? say("Unknown Device")
        let name = (client ?? session.shownName).map(visit.alone) ?? deviceName
        var row = Row(title: name, badge: session.isCurrent ? say("This Device") : nil)
        if client != nil { row.badge = say("Connected App") }
        if let kind = session.kind { row.badge = words(of: kind) }
        row.details = [
            parent.map { say("Set up by %@", $0) }, client.map { _ in deviceName }, device?.details?.shown,
            session.ipAddress?.shown,
        ].compactMap(\.self)
        guard !session.isCurrent else { return row }
        row.details.append(say("Last used %@", visit.language.day(session.lastUsedAt)))
        row.form = Form(
            action: Place.devices.path, hidden: [("session", session.id.uuidString.lowercased())],
            button: say("Sign Out"), label: say("Sign out %@", name), style: .plain)
        return row
    }
}

extension DevicesPage {
    private func words(of kind: ChildSessionKind) -> String? {
        switch kind {
        case .widget: say("Widget")
        case .appExtension: say("App Extension")
        case .watch: say("Watch")
        case .app: say("Other App")
        case .tv: say("TV")
        default: nil
        }
    }
}

extension AuthJSON {
    /// Of `GET /sessions`: the names of the clients that have sessions.
    var clientsOfSessions: [UUID: String] {
        let named = (self["sessions"]?.arrayValue ?? []).compactMap { session -> (UUID, String)? in
            guard let client = session["oauth_client"], client.objectValue != nil else { return nil }
            guard let id = (session["id"]?.stringValue).flatMap(UUID.init) else { return nil }
            return (id, client["name"]?.stringValue ?? "")
        }
        return [UUID: String](named) { first, _ in first }
    }
}
