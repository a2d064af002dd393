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
        return .page(question(act, user))
    }

    mutating func take() async throws -> Outcome {
        guard let act else {
            return .page(visit.problemPage("There's nothing here.", status: .notFound))
        }
        let user = FoundUser(try await callAsAdmin(.get, "/admin/users/\(userID)"))
        do {
            try await perform(act, user)
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
        case .ban: try await callAsAdmin(.put, path, ["ban_duration": .string(visit.fields["duration"] ?? "24h")])
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
        if act.isOfRow || act == .ban || act == .delete { form.style = .danger }
        if act == .removeFactor || act == .removePasskey {
            form.hidden = [("id", (visit.fields["id"] ?? "").cut(to: 64))]
        }
        if act == .removeApp { form.hidden = [("id", namedClient)] }
        if act == .ban { form.fields = [duration] }
        if act == .endSession { form.hidden = [("session", (visit.fields["session"] ?? "").cut(to: 64))] }
        if act == .password {
            var field = Field(kind: .password, name: "password", label: "New password")
            field.autocomplete = "new-password"
            form.fields = [field]
        }
        var page = Page("\(act.title): \(user.name)")
        page.notice = notice
        page.back = (user.name, user.path)
        page.blocks = [
            .text(act.question(user.name)), .form(form), .links([Link(title: "Cancel", address: user.path)]),
        ]
        return page
    }

    private var duration: Field {
        var field = Field(kind: .choice, name: "duration", label: "For how long", value: "24h")
        field.options = [
            ("1h", "An hour"), ("24h", "A day"), ("168h", "A week"), ("720h", "30 days"), ("876000h", "For good"),
        ].map { Field.Option(value: $0.0, title: $0.1) }
        return field
    }
}

/// Each has a confirmation page, at its name below the user's page.
enum UserAct: String, CaseIterable, Sendable {
    case ban, lift, reset, confirm, password, endSession = "end-session", endSessions = "end-sessions", delete
    case removeFactor = "remove-factor", removePasskey = "remove-passkey", removeApp = "remove-app"

    var title: String {
        switch self {
        case .ban: "Ban"
        case .lift: "Lift Ban"
        case .reset: "Send Password Reset"
        case .confirm: "Confirm Email"
        case .password: "Set Password"
        case .endSession: "Revoke Session"
        case .endSessions: "Revoke All Sessions"
        case .delete: "Delete"
        case .removeFactor: "Remove Second Factor"
        case .removePasskey: "Remove Passkey"
        case .removeApp: "Remove Connected App"
        }
    }

    /// A row of the user's page leads to it.
    var isOfRow: Bool { [.endSession, .endSessions, .removeFactor, .removePasskey, .removeApp].contains(self) }

    func fits(_ user: FoundUser, at now: Instant) -> Bool {
        switch self {
        case .ban: !user.isBanned(at: now)
        case .lift: user.isBanned(at: now)
        case .reset: user.email != nil
        case .confirm: user.email != nil && user.json["email_confirmed_at"]?.stringValue == nil
        case .password: user.email != nil
        case .endSession, .endSessions, .delete, .removeFactor, .removePasskey, .removeApp: true
        }
    }

    fileprivate func question(_ name: String) -> String {
        switch self {
        case .ban: "\(name) cannot sign in or use existing sessions until the ban ends."
        case .lift: "\(name) will be able to sign in again."
        case .reset: "Emails \(name) a code and a link to set a new password."
        case .confirm: "Marks \(name)'s email as confirmed without sending an email."
        case .password: "Replaces \(name)'s password and signs out every device."
        case .endSession: "Signs \(name) out on this device."
        case .endSessions: "Signs \(name) out on every device."
        case .delete:
            "Deletes \(name)'s account with its sign-in methods, sessions and profile. This cannot be undone."
        case .removeFactor:
            "\(name) will be able to sign in without it. Verify that the request comes from the account's owner. With "
                + "mfa_admin_removal_delay, the owner is emailed and can cancel by signing in with the factor."
        case .removeApp:
            "The app loses access to \(name)'s account immediately. \(name) can connect it again."
        case .removePasskey: "\(name) will no longer be able to sign in with it. Existing sessions stay signed in."
        }
    }

    fileprivate func done(_ name: String) -> String {
        switch self {
        case .ban: "\(name) is banned."
        case .lift: "\(name) is no longer banned."
        case .reset: "The email to \(name) is on its way."
        case .confirm: "\(name)'s email is confirmed."
        case .password: "\(name) has a new password."
        case .endSession: "\(name)'s session was revoked."
        case .endSessions: "All of \(name)'s sessions were revoked."
        case .delete: "\(name)'s account was deleted."
        case .removeFactor: "\(name)'s second factor is removed, or will be after the delay."
        case .removePasskey: "\(name)'s passkey was removed."
        case .removeApp: "The app was removed from \(name)'s account."
        }
    }
}
