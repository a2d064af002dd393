import GatehouseWire
import HTTPServing
import HTTPTypes

struct ChangeEmailPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/email") { try await $0.show() },
        takes("/email") { try await $0.change() },
    ]

    /// Leads to the code while a change is pending.
    mutating func show() async throws -> Outcome {
        let user = try await visit.user()
        if let pending = user.newEmail, visit.session.mail?.email != pending, visit.session.mail?.other != pending {
            visit.session.mail = .change(of: user, to: pending)
        }
        return .page(page(user))
    }

    mutating func change() async throws -> Outcome {
        let user = try await visit.user()
        var body: AuthJSONObject = ["email": .string(visit.fields["email"] ?? "")]
        body["current_password"] = visit.fields["current"].map(AuthJSON.string)
        body["code_challenge_method"] = "s256"
        do {
            let json = try await visit.beginning(.emailChange, for: nil) { [body] visit, challenge in
                var body = body
                body["code_challenge"] = challenge
                return try await visit.callAsUser(.put, "/user?\(visit.pages.backHere)", body)
            }
            let changed = try AuthUser(json: json)
            guard let pending = changed.newEmail else {
                if changed.email != user.email { visit.session.flash = .emailChanged }
                return .go(.home)
            }
            visit.session.mail = .change(of: user, to: pending)
            return .go(.checkMail)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            let notice = Notice.problem(visit.message(for: refusal))
            return .page(page(user, notice, asksForCurrent: refusal.code == .currentPasswordRequired))
        }
    }
}

extension ChangeEmailPage {
    private func page(_ user: AuthUser, _ notice: Notice? = nil, asksForCurrent: Bool = false) -> Page {
        var page = visit.accountPage(user.email == nil ? say("Add Email") : say("Change Email"), notice)
        if let current = user.email { page.blocks.append(.soft(say("Your email is %@.", current.readableAddress))) }
        if let pending = user.newEmail, visit.session.mail?.kind == .emailChange {
            page.blocks += [
                .text(say("We've sent a code to %@.", pending.readableAddress)),
                .links([
                    Link(
                        title: say("Enter the Code Sent to %@", pending.readableAddress), address: Place.checkMail.path)
                ]),
            ]
        }
        var fields = [visit.emailField(visit.entered("email"), label: say("New Email"))]
        if asksForCurrent || visit.entered("current") != nil {
            fields.append(visit.passwordField(say("Current Password"), name: "current", isNew: false))
        }
        page.blocks.append(.form(Form(action: Place.email.path, fields: fields, button: say("Save Email"))))
        return page
    }

    /// Resends the codes. The server finds the account by its current address.
    ///
    /// - Throws: As ``Visit/callAsUser(_:_:_:api:)``.
    mutating func requestChange(_ mail: WebSession.AwaitedMail) async throws {
        let user = try await visit.user()
        try await visit.beginning(.emailChange, for: nil) { visit, challenge in
            var body: AuthJSONObject = [
                "email": .string(user.email ?? mail.email), "code_challenge": challenge,
                "code_challenge_method": "s256",
            ]
            if user.email == nil {
                try await visit.callAsUser(.put, "/user?\(visit.pages.backHere)", body)
            } else {
                body["type"] = "email_change"
                try await visit.call(.post, "/resend?\(visit.pages.backHere)", visit.solved(body))
            }
        }
    }
}

extension WebSession.AwaitedMail {
    static func change(of user: AuthUser, to pending: String) -> Self {
        Self(kind: .emailChange, email: pending, other: user.email)
    }

    /// For the other address of a change.
    var swapped: Self? { other.map { Self(kind: kind, email: $0, other: email) } }
}
