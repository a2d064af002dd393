import GatehouseWire
import HTTPServing
import HTTPTypes

extension WebPages {
    @Sendable func showCheckMail(_ visit: inout Visit) async throws -> Outcome {
        guard let mail = visit.session.mail else { return .go(visit.isSignedIn ? .home : .signIn) }
        return .page(visit.codePage(mail))
    }

    @Sendable func enterCode(_ visit: inout Visit) async throws -> Outcome {
        guard let mail = visit.session.mail else { return .go(.signIn) }
        let type: AnyJSON =
            switch mail.kind {
            case .signUp: "signup"
            case .signIn, .setAsidePassword, .setAsidePasskey: "email"
            case .recovery: "recovery"
            case .emailChange: "email_change"
            }
        do {
            var body: JSONObject = ["type": type, "token": .string(visit.typedCode)]
            body["email"] = mail.email.isEmpty ? nil : .string(mail.email)
            body["password"] = mail.password.map { .string($0.reveal()) }
            body["set_aside_ticket"] = mail.ticket.map { .string($0.reveal()) }
            // Several accounts may change to one address: the token names the one that the code is for.
            let json =
                mail.kind == .emailChange && visit.isSignedIn
                ? try await visit.callAsUser(.post, "/verify", body) : try await visit.call(.post, "/verify", body)
            if case .pending = try AuthAnswer(json: json) {
                visit.session.flash = .confirmOther
                guard let other = mail.swapped else { return .go(visit.isSignedIn ? .home : .signIn) }
                visit.session.mail = other
                return .go(.checkMail)
            }
            if mail.kind == .recovery { visit.session.next = .newPassword }
            let outcome = try await visit.signIn(json, for: mail.handover)
            if mail.kind == .emailChange { visit.session.flash = .emailChanged }
            return outcome
        } catch let refusal as CallRefusal {
            return .page(visit.codePage(mail, .problem(visit.message(for: refusal))))
        }
    }

    @Sendable func mailAgain(_ visit: inout Visit) async throws -> Outcome {
        guard let mail = visit.session.mail else { return .go(.signIn) }
        do {
            try await visit.request(mail)
        } catch let refusal as CallRefusal {
            return .page(visit.codePage(mail, .problem(visit.message(for: refusal))))
        }
        visit.session.flash = .mailSent
        return .go(.checkMail)
    }

    @Sendable func showNewPassword(_ visit: inout Visit) async throws -> Outcome {
        _ = try await visit.user()
        return .page(visit.newPasswordPage(try await visit.offer()))
    }

    @Sendable func setPassword(_ visit: inout Visit) async throws -> Outcome {
        let offer = try await visit.offer()
        if let problem = visit.confirmationProblem {
            return .page(visit.newPasswordPage(offer, .problem(problem)))
        }
        do {
            var body: JSONObject = ["password": .string(visit.fields["password"] ?? "")]
            body["current_password"] = visit.fields["current"].map(AnyJSON.string)
            try await visit.callAsUser(.put, "/user", body)
        } catch let refusal as CallRefusal where !refusal.needsProof {
            return .page(visit.newPasswordPage(offer, .problem(visit.message(for: refusal)), asks: refusal.code))
        }
        visit.session.flash = .passwordSaved
        return .go(visit.session.handover == nil ? .home : .goOn)
    }
}

extension Visit {
    fileprivate func codePage(_ mail: WebSession.AwaitedMail, _ notice: Notice? = nil) -> Page {
        var page = Page(
            say("Check your email"),
            [
                .text(codeSentence(mail)), .soft(codeUse(mail)),
                mail.kind == .emailChange ? .soft(say("Until then, your email stays as it is.")) : nil,
                .form(Form(action: Place.checkMail.path, fields: [codeField], button: say("Continue"))),
                mail.other.map { other in
                    .form(
                        Form(
                            action: Place.checkMail.path + "/other",
                            button: say("Enter the Code Sent to %@", other.readableAddress),
                            style: .plain))
                },
                // Signing in with the passkey again sends another one.
                mail.kind == .setAsidePasskey
                    ? nil
                    : .form(
                        Form(
                            action: Place.checkMail.path + "/again", captcha: captcha, button: say("Send Again"),
                            style: .plain)),
            ].compactMap(\.self))
        page.notice = notice
        page.back = isSignedIn ? (say("Account"), Place.home.path) : (say("Sign In"), Place.signIn.path)
        return page
    }

    private func codeSentence(_ mail: WebSession.AwaitedMail) -> String {
        switch mail.kind {
        case .emailChange, .setAsidePassword: say("We have sent a code to %@.", mail.email.readableAddress)
        case .setAsidePasskey: say("We have sent a code to your account's email.")
        case .signUp, .signIn, .recovery:
            say("If %@ can be used here, we have sent a code to it.", mail.email.readableAddress)
        }
    }

    private func codeUse(_ mail: WebSession.AwaitedMail) -> String {
        switch mail.kind {
        case .setAsidePassword: say("Enter the code we emailed you to keep using this password.")
        case .setAsidePasskey: say("Enter the code we emailed you to keep using this passkey.")
        case .signUp, .signIn, .recovery, .emailChange:
            say("Enter it here, or open the link in the email on this device.")
        }
    }

    /// What is wrong with the repetition of a new password.
    var confirmationProblem: String? {
        fields["password"] == fields["confirmation"]
            ? nil : both(say("Passwords do not match."), say("Please enter the same one twice."))
    }

    /// The fields of a new password: also the current one, once the server asks for it.
    ///
    /// - Parameter asks: Why the server refused the last try.
    func newPasswordFields(_ offer: ServerOffer, _ asks: AuthErrorCode?) -> [Field] {
        var password = passwordField(say("New Password"), isNew: true, minimum: offer.passwordLength)
        password.hint = say("Password must be at least %@ characters.", String(offer.passwordLength))
        let current =
            asks == .currentPasswordRequired || entered("current") != nil
            ? [passwordField(say("Current Password"), name: "current", isNew: false)] : []
        return current + [password, passwordField(say("Confirm Password"), name: "confirmation", isNew: true)]
    }

    fileprivate func newPasswordPage(
        _ offer: ServerOffer, _ notice: Notice? = nil, asks: AuthErrorCode? = nil
    ) -> Page {
        let fields = newPasswordFields(offer, asks)
        var page = Page(
            say("Set a Password"),
            [
                .form(
                    Form(
                        action: Place.newPassword.path, fields: fields,
                        hidden: [("minimum", String(offer.passwordLength))], button: say("Save Password"))),
                .soft(say("Your other devices are signed out when you save.")),
            ])
        // A mailed code from a while ago no longer stands for the password that the user has forgotten.
        if offer.hasMail, fields.count > 2 {
            page.blocks.append(.links([Link(title: say("Forgot password?"), address: Place.forgotPassword.path)]))
        }
        page.notice = notice
        return page
    }
}
