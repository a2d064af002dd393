import GatehouseWire
import HTTPTypes
import Hummingbird

struct ClientActPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/clients/{client_id}/{act}") { try await $0.ask() },
        takes("/clients/{client_id}/{act}") { try await $0.take() },
    ]

    mutating func ask() async throws -> Outcome {
        guard visit.isInConsole else { return visit.goToConsoleSignIn(nil) }
        let client = try await visit[ClientPage.self].client()
        guard let act, act.fits(client) else {
            return .page(visit.problemPage("There's nothing here.", status: .notFound))
        }
        return .page(question(act, client))
    }

    mutating func take() async throws -> Outcome {
        let client = try await visit[ClientPage.self].client()
        guard let act, act.fits(client) else {
            return .page(visit.problemPage("There's nothing here.", status: .notFound))
        }
        let path = "/admin/oauth/clients/\(FormText.escape(client.id))"
        switch act {
        case .verify: try await callAsAdmin(.put, path, ["verified": true])
        case .unverify: try await callAsAdmin(.put, path, ["verified": false])
        case .secret:
            let json = try await callAsAdmin(.post, path + "/regenerate_secret")
            return .page(visit[ClientPage.self].secretPage(json, title: "New Secret"))
        case .delete: try await callAsAdmin(.delete, path)
        }
        visit.session.sentence = act.done(client.shownName)
        return .move(act == .delete ? ConsolePlace.clients.path : client.path)
    }
}

extension ClientActPage {
    private var act: ClientAct? { ClientAct(text: visit.context.parameters.get("act") ?? "") }

    private func question(_ act: ClientAct, _ client: RegisteredClient) -> Page {
        var page = Page("\(act.title): \(client.shownName)")
        page.back = (client.shownName, client.path)
        page.blocks = [
            .text(act.question(client.shownName)),
            .form(
                Form(
                    action: "\(client.path)/\(act.rawValue)", button: act.title,
                    style: act == .verify ? .main : .danger)),
            .links([Link(title: "Cancel", address: client.path)]),
        ]
        return page
    }
}

/// Each has a confirmation page, at its name below the client's page.
enum ClientAct: String, CaseIterable, Sendable {
    case verify, unverify, secret, delete

    var title: String {
        switch self {
        case .verify: "Verify"
        case .unverify: "Remove Verification"
        case .secret: "Generate New Secret"
        case .delete: "Delete"
        }
    }

    func fits(_ client: RegisteredClient) -> Bool {
        switch self {
        case .verify: !client.isVerified
        case .unverify: client.isVerified
        case .secret: client.isConfidential
        case .delete: true
        }
    }

    fileprivate func question(_ name: String) -> String {
        switch self {
        case .verify:
            "Users will see \(name) as verified, with its logo and without a warning. Verify only a client whose owner "
                + "you know."
        case .unverify:
            "Users will be warned that \(name) is not verified. Those who approved it stay connected."
        case .secret:
            "The previous secret stops working immediately: \(name) gets no tokens until it has the new one. Users stay "
                + "connected."
        case .delete:
            "\(name) loses access to every user's account immediately, and can no longer ask for it. This cannot be "
                + "undone."
        }
    }

    fileprivate func done(_ name: String) -> String {
        switch self {
        case .verify: "\(name) is verified."
        case .unverify: "\(name) is no longer verified."
        case .secret: "\(name) has a new secret."
        case .delete: "\(name) was deleted."
        }
    }
}
