import GatehouseWire
import HTTPServing
import HTTPTypes

struct SignInPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-in") { try await $0.show() },
        takes("/sign-in") { try await $0.signIn() },
        takes("/sign-out") { try await $0.signOut() },
    ]

    /// Also the entry for apps: `authorize` without a provider brings the app's proof key and URL.
    mutating func show() async throws -> Outcome {
        if visit.fields["code_challenge"] != nil {
            guard let handover = WebSession.Handover(visit.fields, at: pages.now()) else {
                return .page(visit.malformedRequestPage)
            }
            (visit.session.handover, visit.session.asked) = (handover, nil)
        }
        // The user has left the page for a code.
        visit.session.mail?.password = nil
        visit.session.text?.password = nil
        if visit.isSignedIn, visit.session.awaitsSecondStep, visit.fields["again"] == nil { return .go(.secondStep) }
        let isOnItsWay = visit.session.next != nil || visit.session.asked != nil
        if visit.isSignedIn, !isOnItsWay, visit.fields["again"] == nil {
            return .go(visit.session.handover == nil ? .home : .goOn)
        }
        return .page(try await page())
    }

    mutating func signIn() async throws -> Outcome {
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
            return .page(try await page(.problem(visit.message(for: refusal)), email: email))
        }
    }

    mutating func signOut() async throws -> Outcome {
        do {
            if visit.isSignedIn { try await visit.callAsUser(.post, "/logout?scope=local") }
        } catch is SignInNeeded {
            // Already ended.
        }
        // After cancelling the second step, the user may sign in to the same app in another way.
        var waiting = visit.session.awaitsSecondStep ? visit.session.handover : nil
        let asked = visit.session.awaitsSecondStep ? visit.session.asked : nil
        waiting?.isConfirmed = false
        visit.signOut(.signedOut)
        (visit.session.handover, visit.session.asked) = (waiting, asked)
        return .go(.signIn)
    }
}

extension SignInPage {
    mutating func page(_ notice: Notice? = nil, email: String? = nil) async throws -> Page {
        let offer = try await visit.offer()
        var page = Page(say("Sign In"))
        page.notice = notice
        page.blocks = visit.handoverSentence
        let passkey = offer.hasPasskeys ? try await visit[PasskeySignInPage.self].button() : nil
        page.blocks += [passkey].compactMap(\.self)
        let others = offer.providers.map(providerLink) + [offer.hasPhone ? phoneLink : nil].compactMap(\.self)
        if !others.isEmpty { page.blocks.append(.buttons(others)) }
        guard offer.hasEmail else { return page }
        if passkey != nil || !others.isEmpty { page.blocks.append(.divider(say("or"))) }
        var address = visit.emailField(email ?? visit.loginHint?.email)
        // The browser also offers passkeys in this field.
        if passkey != nil, visit.captcha == nil { address.autocomplete = "username webauthn" }
        page.blocks.append(
            .form(
                Form(
                    action: Place.signIn.path,
                    fields: [address, visit.passwordField(say("Password"), isNew: false)],
                    hidden: visit.handoverFields, captcha: visit.captcha, button: say("Sign In"))))
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

    var phoneLink: Link { Link(title: say("Sign in with Phone"), address: Place.phoneSignIn.path) }

    private func providerLink(_ name: String) -> Link {
        Link(
            title: say("Sign in with %@", ProviderTitle.text(of: name)),
            address: "\(Place.prefix)/provider/\(FormText.escape(name))\(visit.handoverQuery)",
            symbol: ServerOffer.symbol(name))
    }
}
