import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes

/// Clients that may act for the user.
struct ConnectedAppsPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/apps") { try await $0.show() },
        takes("/apps") { try await $0.remove() },
    ]

    mutating func show() async throws -> Outcome {
        let grants = try await grants()
        var page = visit.accountPage(say("Connected Apps"))
        page.blocks = [
            .text(
                grants.isEmpty
                    ? say("No apps are connected to your account.") : say("These apps and agents can act for you."))
        ]
        if !grants.isEmpty { page.blocks.append(.rows(grants.map(row))) }
        return .page(page)
    }

    /// Asks first.
    mutating func remove() async throws -> Outcome {
        let id = (visit.fields["client"] ?? "").cut(to: URLParts.maximumLength)
        guard visit.fields["sure"] == "yes" else {
            let grant = try await grants().first { $0.client.id.utf8.elementsEqual(id.utf8) }
            return grant.map { .page(removalPage($0)) } ?? .go(.apps)
        }
        do {
            try await visit.callAsUser(.delete, "/user/oauth/grants?client_id=\(FormText.escape(id))")
        } catch let refusal as CallRefusal where refusal.code == .oauthConsentNotFound {
            // Already removed.
        }
        visit.session.flash = .clientRemoved
        return .go(.apps)
    }
}

extension ConnectedAppsPage {
    private mutating func grants() async throws -> [Grant] {
        let json = try await visit.callAsUser(.get, "/user/oauth/grants")
        return (json.arrayValue ?? []).prefix(100).map { Grant($0) }
    }

    private func row(_ grant: Grant) -> Row {
        let name = visit.shownName(grant.client)
        var row = Row(title: name, badge: grant.client.isVerified ? nil : say("Not Verified"))
        row.warns = true
        let times = [
            grant.grantedAt.map { say("Connected on %@", visit.language.day($0)) },
            grant.lastUsedAt.map { say("Last used %@", visit.language.day($0)) },
        ]
        row.details =
            [visit.hostSentence(grant.client)].compactMap(\.self) + visit.sentences(grant.scopes, grant.resources)
            + times.compactMap(\.self)
        row.form = Form(
            action: Place.apps.path, hidden: [("client", grant.client.id)], button: say("Remove"),
            label: say("Remove %@", grant.client.name), style: .plain)
        return row
    }

    private func removalPage(_ grant: Grant) -> Page {
        var page = Page(say("Remove %@", grant.client.name))
        page.back = (say("Connected Apps"), Place.apps.path)
        page.blocks = [
            .text(say("It will lose access to your account immediately. You can connect it again later.")),
            .form(
                Form(
                    action: Place.apps.path, hidden: [("client", grant.client.id), ("sure", "yes")],
                    button: say("Remove"), style: .danger)),
        ]
        return page
    }
}

/// Of `GET /user/oauth/grants`.
struct Grant {
    let client: ClientName
    let scopes: [ScopeName]
    let resources: [String]
    let grantedAt, lastUsedAt: Date?

    init(_ json: AuthJSON) {
        client = ClientName(json["client"])
        // Supabase Auth has names only.
        scopes = ScopeName.list(json["scope_details"], or: json["scopes"])
        resources = (json["resources"]?.arrayValue ?? []).prefix(8).compactMap(\.stringValue)
        func date(_ name: String) -> Date? {
            json[name]?.stringValue.flatMap { Instant($0) }.map { Date(timeIntervalSince1970: Double($0.seconds)) }
        }
        (grantedAt, lastUsedAt) = (date("granted_at"), date("last_used_at"))
    }
}
