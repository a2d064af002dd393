import GatehouseWire
import HTTPServing
import HTTPTypes

// Sign-up, sign-in with a mailed code, and forgotten passwords.
extension WebPages {
    @Sendable func showSignUp(_ visit: inout Visit) async throws -> Outcome {
        let offer = try await visit.offer()
        return .page(visit.signUpPage(offer))
    }

    @Sendable func signUp(_ visit: inout Visit) async throws -> Outcome {
        let offer = try await visit.offer()
        let (email, password) = (visit.fields["email"] ?? "", visit.fields["password"] ?? "")
        var body: JSONObject = ["email": .string(email), "password": .string(password)]
        if let name = visit.fields["name"] { body["data"] = ["first_name": .string(name)] }
        body["code_challenge_method"] = "s256"
        do {
            let json = try await visit.beginning(.mail, for: visit.handoverOfForm) { [body] visit, challenge in
                var body = body
                body["code_challenge"] = challenge
                return try await visit.call(.post, "/signup?\(backHere)", visit.solved(body))
            }
            if case .session = try AuthAnswer(json: json) {
                return try await visit.signIn(json, for: visit.handoverOfForm)
            }
        } catch let refusal as CallRefusal {
            return .page(visit.signUpPage(offer, .problem(visit.message(for: refusal))))
        }
        visit.session.mail = visit.mailOfForm(.signUp, for: visit.handoverOfForm)
        return .go(.checkMail)
    }

    @Sendable func showCodeRequest(_ visit: inout Visit) async throws -> Outcome {
        .page(visit.mailPage(.signInCode, visit.say("Email Me a Code"), visit.codeSentence))
    }

    @Sendable func mailCode(_ visit: inout Visit) async throws -> Outcome {
        await send(.signIn, &visit) { visit, refused in
            visit.mailPage(.signInCode, visit.say("Email Me a Code"), visit.codeSentence, refused)
        }
    }

    @Sendable func showForgotPassword(_ visit: inout Visit) async throws -> Outcome {
        .page(visit.mailPage(.forgotPassword, visit.say("Forgot password?"), visit.recoverySentence))
    }

    @Sendable func mailRecovery(_ visit: inout Visit) async throws -> Outcome {
        await send(.recovery, &visit) { visit, refused in
            visit.mailPage(.forgotPassword, visit.say("Forgot password?"), visit.recoverySentence, refused)
        }
    }

    /// Takes the code of a mail that an administrator sent, in any browser.
    @Sendable func showRecovery(_ visit: inout Visit) async throws -> Outcome {
        guard visit.fields["error"] == nil else {
            // The link is too old, or has been used.
            visit.session.flash = .linkFailed
            return .go(.forgotPassword)
        }
        return .page(visit.recoveryPage())
    }

    @Sendable func recover(_ visit: inout Visit) async throws -> Outcome {
        do {
            let json = try await visit.call(
                .post, "/verify",
                [
                    "type": "recovery", "email": .string(visit.fields["email"] ?? ""),
                    "token": .string(visit.typedCode),
                ])
            visit.session.next = .newPassword
            return try await visit.signIn(json, for: nil)
        } catch let refusal as CallRefusal {
            return .page(visit.recoveryPage(.problem(visit.message(for: refusal))))
        }
    }

    /// The query that leads a mailed link back to these pages.
    var backHere: String { "redirect_to=\(FormText.escape(settings.callback))" }

    private func send(
        _ kind: WebSession.AwaitedMail.Kind, _ visit: inout Visit, _ page: (Visit, Notice) -> Page
    ) async -> Outcome {
        let mail = WebSession.AwaitedMail(
            kind: kind, email: (visit.fields["email"] ?? "").cut(to: 254), handover: visit.handoverOfForm)
        do {
            try await visit.request(mail)
        } catch let refusal as CallRefusal {
            return .page(page(visit, .problem(visit.message(for: refusal))))
        } catch {
            return .page(
                page(visit, .problem(visit.say("Service temporarily unavailable. Please try again later."))))
        }
        return .go(.checkMail)
    }
}

extension Visit {
    fileprivate var codeSentence: String {
        say("We will send you an email with a code to sign in. You need no password.")
    }

    fileprivate var recoverySentence: String {
        say("We will send you an email with a code to set a new password.")
    }

    /// Asks for a mail, and awaits it.
    ///
    /// - Throws: As ``call(_:_:_:api:bearer:)``.
    mutating func request(_ mail: WebSession.AwaitedMail) async throws {
        if mail.kind == .emailChange { return try await requestChange(mail) }
        let purpose: WebSession.Flow.Purpose = mail.kind == .recovery ? .recovery : .mail
        try await beginning(purpose, for: mail.handover) { visit, challenge in
            var body: JSONObject = [
                "email": .string(mail.email), "code_challenge": challenge, "code_challenge_method": "s256",
            ]
            switch mail.kind {
            case .signIn, .setAsidePassword, .setAsidePasskey:
                try await visit.call(.post, "/otp?\(visit.pages.backHere)", visit.solved(body))
            case .recovery: try await visit.call(.post, "/recover?\(visit.pages.backHere)", visit.solved(body))
            case .signUp, .emailChange:
                body["type"] = "signup"
                try await visit.call(.post, "/resend?\(visit.pages.backHere)", visit.solved(body))
            }
        }
        session.mail = mail
    }

    /// The mail whose code makes the typed password the account's.
    ///
    /// - Parameter email: nil for the form's.
    func mailOfForm(_ kind: WebSession.AwaitedMail.Kind, of email: String? = nil, for handover: String?)
        -> WebSession.AwaitedMail
    {
        let typed = fields["password"] ?? ""
        return WebSession.AwaitedMail(
            kind: kind, email: (email ?? fields["email"] ?? "").cut(to: 254), handover: handover,
            // A longer one would not fit into the session's cookie: its user enters it again after the code.
            password: typed.utf8.count <= 256 ? Secret(typed) : nil)
    }

    /// Leads from a refused request for a mail to the code of an earlier one.
    fileprivate func earlierMail(_ notice: Notice?) -> [Block] {
        guard notice?.isProblem == true, let mail = session.mail else { return [] }
        return [
            .links([Link(title: say("Enter the Code Sent to %@", mail.email), address: Place.checkMail.path)])
        ]
    }

    fileprivate func mailPage(_ place: Place, _ title: String, _ sentence: String, _ notice: Notice? = nil) -> Page {
        var page = Page(
            title,
            handoverSentence + [
                .text(sentence),
                .form(
                    Form(
                        action: place.path, fields: [emailField(entered("email"))], hidden: handoverFields,
                        captcha: captcha, button: say("Send Email"))),
            ] + earlierMail(notice))
        page.notice = notice
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }

    fileprivate func recoveryPage(_ notice: Notice? = nil) -> Page {
        var page = Page(
            say("Set a Password"),
            [
                .text(say("Enter your email and the code that we have sent to it.")),
                .form(
                    Form(
                        action: Place.recover.path, fields: [emailField(entered("email")), codeField],
                        button: say("Continue"))),
                .links([Link(title: say("Forgot password?"), address: Place.forgotPassword.path)]),
            ])
        page.notice = notice
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }

    fileprivate func signUpPage(_ offer: ServerOffer, _ notice: Notice? = nil) -> Page {
        var page = Page(say("Create Account"))
        page.notice = notice
        guard offer.allowsSignUp, offer.hasEmail else {
            page.blocks = [.text(noSignUps)]
            page.back = (say("Sign In"), Place.signIn.path)
            return page
        }
        var name = Field(
            kind: .text, name: "name", label: say("First Name"), value: entered("name") ?? "",
            autocomplete: "given-name", maximumLength: ProfileLimits.firstName)
        name.isRequired = false
        var password = passwordField(say("Password"), isNew: true, minimum: offer.passwordLength)
        password.hint = say("Password must be at least %@ characters.", String(offer.passwordLength))
        page.blocks = handoverSentence
        page.blocks += [
            .form(
                Form(
                    action: Place.signUp.path, fields: [name, emailField(entered("email")), password],
                    hidden: [("minimum", String(offer.passwordLength))] + handoverFields, captcha: captcha,
                    button: say("Create Account"))),
            .links([Link(title: say("Already have an account? Sign in"), address: Place.signIn.path)]),
        ]
        page.blocks += earlierMail(notice)
        return page
    }
}
