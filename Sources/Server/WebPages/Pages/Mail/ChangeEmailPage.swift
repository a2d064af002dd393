import GatehouseWire
import HTTPServing
import HTTPTypes

// A new email address, which mailed codes confirm.
extension WebPages {
    /// While a change is awaited, the page also leads to its code.
    @Sendable func showEmail(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        if let pending = user.newEmail, visit.session.mail?.email != pending, visit.session.mail?.other != pending {
            visit.session.mail = .change(of: user, to: pending)
        }
        return .page(visit.emailPage(user))
    }

    @Sendable func changeEmail(_ visit: inout Visit) async throws -> Outcome {
        let user = try await visit.user()
        var body: JSONObject = ["email": .string(visit.fields["email"] ?? "")]
        body["current_password"] = visit.fields["current"].map(AnyJSON.string)
        body["code_challenge_method"] = "s256"
        do {
            let json = try await visit.beginning(.emailChange, for: nil) { [body] visit, challenge in
                var body = body
                body["code_challenge"] = challenge
                return try await visit.callAsUser(.put, "/user?\(backHere)", body)
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
            return .page(visit.emailPage(user, notice, asksForCurrent: refusal.code == .currentPasswordRequired))
        }
    }

    /// The code of the mail to the other address comes first.
    @Sendable func enterOtherCode(_ visit: inout Visit) async throws -> Outcome {
        if let other = visit.session.mail?.swapped { visit.session.mail = other }
        return .go(.checkMail)
    }
}

extension Visit {
    fileprivate func emailPage(_ user: AuthUser, _ notice: Notice? = nil, asksForCurrent: Bool = false) -> Page {
        var page = accountPage(user.email == nil ? say("Add Email") : say("Change Email"), notice)
        if let current = user.email { page.blocks.append(.soft(say("Your email is %@.", current.readableAddress))) }
        if let pending = user.newEmail, session.mail?.kind == .emailChange {
            page.blocks += [
                .text(say("We have sent a code to %@.", pending.readableAddress)),
                .links([
                    Link(
                        title: say("Enter the Code Sent to %@", pending.readableAddress), address: Place.checkMail.path)
                ]),
            ]
        }
        var fields = [emailField(entered("email"), label: say("New Email"))]
        if asksForCurrent || entered("current") != nil {
            fields.append(passwordField(say("Current Password"), name: "current", isNew: false))
        }
        page.blocks.append(.form(Form(action: Place.email.path, fields: fields, button: say("Save Email"))))
        return page
    }

    /// Mails the codes of a change again. The server finds the account by its current address.
    ///
    /// - Throws: As ``callAsUser(_:_:_:api:)``.
    mutating func requestChange(_ mail: WebSession.AwaitedMail) async throws {
        let user = try await user()
        try await beginning(.emailChange, for: nil) { visit, challenge in
            var body: JSONObject = [
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
    fileprivate static func change(of user: AuthUser, to pending: String) -> Self {
        Self(kind: .emailChange, email: pending, other: user.email)
    }

    /// The mail to the other address of a change; nil without one.
    var swapped: Self? { other.map { Self(kind: kind, email: $0, other: email) } }
}
