import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

struct UserActPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/users/{user_id}/{act}") { try await $0.ask() },
        takes("/users/{user_id}/{act}") { try await $0.take() },
    ]

    mutating func ask() async throws -> Outcome {
        if visit.context.parameters.get("act") == "passkeys" {
            return .page(try await visit[UserPage.self].passkeysPage())
        }
        if visit.context.parameters.get("act") == "apps" { return .page(try await visit[UserPage.self].appsPage()) }
        guard let act else {
            return .page(visit.problemPage("There's nothing here.", status: .notFound))
        }
        let user = FoundUser(try await callAsAdmin(.get, "/admin/users/\(userID)"))
        var page = question(act, user)
        page.offerOnly(visit.operatorRights(over: user))
        return .page(page)
    }

    mutating func take() async throws -> Outcome {
        guard let act else {
            return .page(visit.problemPage("There's nothing here.", status: .notFound))
        }
        let user = FoundUser(try await callAsAdmin(.get, "/admin/users/\(userID)"))
        do {
            try await perform(act, user)
        } catch let problem as UserForm.Problem {
            return .page(question(act, user, .problem(problem.sentence)))
        } catch let refusal as AdminRefusal where refusal.cause.status != 404 {
            let text = refusal.cause.code == .weakPassword ? visit.message(for: refusal.cause) : refusal.sentence
            return .page(question(act, user, .problem(text)))
        }
        visit.session.sentence = act.done(user.name)
        return .move(act == .delete ? ConsolePlace.users.path : user.path)
    }
}

extension UserActPage {
    private var act: UserAct? {
        let name = visit.context.parameters.get("act") ?? ""
        return UserAct.allCases.first { $0.rawValue.utf8.elementsEqual(name.utf8) }
    }

    /// An ID or a URL.
    private var namedClient: String { (visit.fields["id"] ?? "").cut(to: URLParts.maximumLength) }

    private mutating func perform(_ act: UserAct, _ user: FoundUser) async throws {
        let path = "/admin/users/\(userID)"
        switch act {
        case .edit: try await callAsAdmin(.put, path, try UserForm.changes(visit.fields, of: user))
        case .resend: try await callAsAdmin(.post, path + "/resend")
        case .unlock: try await callAsAdmin(.post, path + "/unlock")
        case .removeIdentity: try await callAsAdmin(.delete, "\(path)/identities/\(namedID)")
        case .ban: try await callAsAdmin(.put, path, try UserForm.ban(visit.fields, at: pages.now()))
        case .lift: try await callAsAdmin(.put, path, ["ban_duration": "none"])
        case .reset: try await callAsAdmin(.post, path + "/recover")
        case .confirm: try await callAsAdmin(.put, path, ["email_confirm": true])
        case .password: try await callAsAdmin(.put, path, ["password": .string(visit.fields["password"] ?? "")])
        case .endSession:
            let session = FormText.escape((visit.fields["session"] ?? "").cut(to: 64))
            try await callAsAdmin(.delete, "\(path)/sessions/\(session)")
        case .endSessions: try await callAsAdmin(.delete, path + "/sessions")
        case .removeFactor: try await callAsAdmin(.delete, "\(path)/factors/\(namedID)")
        case .removePasskey: try await callAsAdmin(.delete, "\(path)/passkeys/\(namedID)")
        case .removeApp:
            try await callAsAdmin(.delete, "\(path)/oauth/grants?client_id=\(FormText.escape(namedClient))")
        case .delete: try await callAsAdmin(.delete, path)
        }
    }

    private func question(_ act: UserAct, _ user: FoundUser, _ notice: Notice? = nil) -> Page {
        var form = Form(action: "\(user.path)/\(act.rawValue)", button: act.title)
        if act.removesRow || act == .ban || act == .delete { form.style = .danger }
        switch act {
        case .removeFactor, .removePasskey, .removeIdentity:
            form.hidden = [("id", (visit.fields["id"] ?? "").cut(to: 64))]
        case .removeApp: form.hidden = [("id", namedClient)]
        case .endSession: form.hidden = [("session", (visit.fields["session"] ?? "").cut(to: 64))]
        case .ban: form.fields = UserForm.banFields(visit.fields)
        case .edit: form.fields = UserForm.fields(visit.fields, of: user)
        case .password:
            var field = Field(kind: .password, name: "password", label: "New password")
            field.autocomplete = "new-password"
            form.fields = [field]
        default: break
        }
        var page = Page("\(act.title): \(user.name)")
        page.notice = notice
        page.back = (user.name, user.path)
        page.blocks = [
            .text(act.question(user.name)), .form(form), .links([Link(title: "Cancel", address: user.path)]),
        ]
        return page
    }
}
