import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension WebPages {
    /// Also the entry for apps: `authorize` without a provider comes here with the app's proof key and address.
    @Sendable func showSignIn(_ visit: inout Visit) async throws -> Outcome {
        if visit.fields["code_challenge"] != nil {
            guard let handover = WebSession.Handover(visit.fields, at: now()) else {
                return .page(visit.malformedRequestPage)
            }
            visit.session.handover = handover
        }
        // The user has left the page for a code.
        visit.session.mail?.password = nil
        if visit.isSignedIn, visit.session.awaitsSecondStep, visit.fields["again"] == nil { return .go(.secondStep) }
        if visit.isSignedIn, visit.session.next == nil, visit.fields["again"] == nil {
            return .go(visit.session.handover == nil ? .home : .goOn)
        }
        return .page(try await visit.signInPage())
    }

    @Sendable func signIn(_ visit: inout Visit) async throws -> Outcome {
        let email = visit.fields["email"] ?? ""
        do {
            let json = try await visit.call(
                .post, "/token?grant_type=password",
                visit.solved([
                    "email": .string(email), "password": .string(visit.fields["password"] ?? ""),
                ]))
            return try await visit.signIn(json, for: visit.handoverOfForm)
        } catch let refusal as CallRefusal where refusal.code == .emailNotConfirmed {
            visit.session.mail = visit.mailOfForm(.signUp, for: visit.handoverOfForm)
            return .go(.checkMail)
        } catch let refusal as CallRefusal where refusal.code == .credentialSetAside {
            visit.session.mail = visit.mailOfForm(.setAsidePassword, for: visit.handoverOfForm)
            return .go(.checkMail)
        } catch let refusal as CallRefusal {
            return .page(try await visit.signInPage(.problem(visit.message(for: refusal)), email: email))
        }
    }

    /// The user leaves for a provider, by a link of these pages. Everyone who comes from elsewhere is asked first, and
    /// so is everyone whose browser does not say: another site must not begin a sign-in.
    @Sendable func goToProvider(_ visit: inout Visit) async throws -> Outcome {
        guard try await visit.offersProvider() else { return .page(visit.nothingHere) }
        guard visit.request.headers[.fetchSite] == "same-origin" else { return .page(visit.providerPage) }
        return .leave(addressOfProvider(&visit))
    }

    @Sendable func confirmProvider(_ visit: inout Visit) async throws -> Outcome {
        guard try await visit.offersProvider() else { return .page(visit.nothingHere) }
        return .onward(addressOfProvider(&visit))
    }

    private func addressOfProvider(_ visit: inout Visit) -> String {
        let question = visit.fields["link"] == nil ? nil : visit.session.question
        let challenge = visit.begin(
            question == nil ? .signIn : .confirm, for: question?.handover ?? visit.handoverOfForm)
        return "\(settings.authURL)/authorize?provider=\(FormText.escape(visit.provider))&code_challenge=\(challenge)"
            + "&code_challenge_method=s256&redirect_to=\(FormText.escape(settings.callback))"
    }

    /// The browser comes back from a provider or a mailed link.
    @Sendable func comeBack(_ visit: inout Visit) async throws -> Outcome {
        // Any website can lead here: only the code of this flow ends it.
        guard let flow = visit.session.flow else { return .go(visit.failed(.linkFailed)) }
        guard let code = visit.fields["code"] else {
            if flow.purpose == .emailChange, visit.fields["error"] == nil, visit.isSignedIn {
                // The first of two links. The second one brings the code.
                visit.session.flash = .confirmOther
                return .go(.home)
            }
            let isDenied = visit.fields["error"] == "access_denied"
            let isMailed = flow.purpose == .mail || flow.purpose == .emailChange
            return .go(visit.failed(isMailed ? .linkFailed : isDenied ? nil : .providerFailed))
        }
        do {
            let json = try await visit.call(
                .post, "/token?grant_type=pkce",
                ["auth_code": .string(code), "code_verifier": .string(flow.verifier.reveal())])
            if flow.purpose == .recovery { visit.session.next = .newPassword }
            if flow.purpose == .link { visit.session.next = .methods }
            if flow.purpose == .confirm { visit.session.question?.isAnswered = true }
            let outcome = try await visit.signIn(json, for: flow.handover)
            if flow.purpose == .link { visit.session.flash = .methodAdded }
            if flow.purpose == .emailChange { visit.session.flash = .emailChanged }
            return outcome
        } catch let refusal as CallRefusal {
            guard let question = refusal.question else {
                return .page(visit.problemPage(visit.message(for: refusal), status: .badRequest))
            }
            return .go(visit.ask(question, for: flow.handover))
        }
    }

    @Sendable func endSession(_ visit: inout Visit) async throws -> Outcome {
        do {
            if visit.isSignedIn { try await visit.callAsUser(.post, "/logout?scope=local") }
        } catch is SignInNeeded {
            // Over already.
        }
        // A user who cancels the second step may sign in for the same app in another way.
        var waiting = visit.session.awaitsSecondStep ? visit.session.handover : nil
        waiting?.isConfirmed = false
        visit.signOut(.signedOut)
        visit.session.handover = waiting
        return .go(.signIn)
    }
}

extension Visit {
    /// Of the path.
    fileprivate var provider: String { (context.parameters.get("provider") ?? "").cut(to: 64) }

    fileprivate mutating func offersProvider() async throws -> Bool {
        try await offer().providers.contains(provider)
    }

    fileprivate var nothingHere: Page { problemPage(say("There is nothing here."), status: .notFound) }

    /// Asks whether to leave for a provider.
    fileprivate var providerPage: Page {
        let link = fields["link"] == nil ? [] : [(name: "link", value: "yes")]
        var page = Page(say("Sign in with %@", ServerOffer.name(provider)), handoverSentence)
        page.blocks.append(
            .form(
                Form(
                    action: "\(Place.prefix)/provider/\(FormText.escape(provider))", hidden: link + handoverFields,
                    button: say("Continue"))))
        page.back = (say("Sign In"), Place.signIn.path)
        return page
    }

    fileprivate mutating func failed(_ flash: Flash?) -> Place {
        session.flash = flash
        return isSignedIn ? .home : .signIn
    }

    mutating func signInPage(_ notice: Notice? = nil, email: String? = nil) async throws -> Page {
        let offer = try await offer()
        var page = Page(say("Sign In"))
        page.notice = notice
        page.blocks = handoverSentence
        let passkey = offer.hasPasskeys ? try await passkeyButton() : nil
        page.blocks += [passkey].compactMap(\.self)
        if !offer.providers.isEmpty { page.blocks.append(.buttons(offer.providers.map(providerLink))) }
        guard offer.hasEmail else { return page }
        if passkey != nil || !offer.providers.isEmpty { page.blocks.append(.divider(say("or"))) }
        var address = emailField(email)
        // The browser offers passkeys in this field, too.
        if passkey != nil, captcha == nil { address.autocomplete = "username webauthn" }
        page.blocks.append(
            .form(
                Form(
                    action: Place.signIn.path,
                    fields: [address, passwordField(say("Password"), isNew: false)],
                    hidden: handoverFields, captcha: captcha, button: say("Sign In"))))
        if offer.hasMail {
            page.blocks.append(
                .links([
                    Link(title: say("Forgot password?"), address: Place.forgotPassword.path),
                    Link(title: say("Email Me a Code"), address: Place.signInCode.path),
                ]))
        }
        if offer.allowsSignUp {
            page.blocks.append(
                .links([Link(title: say("Don't have an account? Create one"), address: Place.signUp.path)]))
        }
        return page
    }

    private func providerLink(_ name: String) -> Link {
        Link(
            title: say("Sign in with %@", ServerOffer.name(name)),
            address: "\(Place.prefix)/provider/\(FormText.escape(name))\(handoverQuery)",
            symbol: ServerOffer.symbol(name))
    }
}
