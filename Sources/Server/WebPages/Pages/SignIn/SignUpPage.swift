import GatehouseWire
import HTTPServing
import HTTPTypes

struct SignUpPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-up") { try await $0.show() },
        takes("/sign-up", isOnce: true) { try await $0.signUp() },
    ]

    mutating func show() async throws -> Outcome {
        let offer = try await visit.offer()
        return .page(page(offer))
    }

    mutating func signUp() async throws -> Outcome {
        let offer = try await visit.offer()
        let (email, password) = (visit.fields["email"] ?? "", visit.fields["password"] ?? "")
        var body: AuthJSONObject = ["email": .string(email), "password": .string(password)]
        if let name = visit.fields["name"] { body["data"] = ["first_name": .string(name)] }
        body["code_challenge_method"] = "s256"
        do {
            let json = try await visit.beginning(.mail, for: visit.handoverOfForm) { [body] visit, challenge in
                var body = body
                body["code_challenge"] = challenge
                return try await visit.call(.post, "/signup?\(visit.pages.backHere)", visit.solved(body))
            }
            if case .session = try AuthAnswer(json: json) {
                return try await visit.signIn(json, for: visit.handoverOfForm)
            }
        } catch let refusal as CallRefusal {
            return .page(page(offer, .problem(visit.message(for: refusal))))
        }
        visit.session.mail = visit.mailOfForm(.signUp, for: visit.handoverOfForm)
        return .go(.checkMail)
    }
}

extension SignUpPage {
    private func page(_ offer: ServerOffer, _ notice: Notice? = nil) -> Page {
        var page = Page(say("Create Account"))
        page.notice = notice
        // A texted code signs up as well.
        let phone = offer.hasPhone ? [Block.buttons([visit[SignInPage.self].phoneLink])] : []
        guard offer.allowsSignUp, offer.hasEmail else {
            page.blocks = offer.allowsSignUp && offer.hasPhone ? phone : [.text(visit.noSignUps)]
            page.back = (say("Sign In"), Place.signIn.path)
            return page
        }
        var name = Field(
            kind: .text, name: "name", label: say("First Name"), value: visit.entered("name") ?? "",
            autocomplete: "given-name", maximumLength: ProfileLimits.firstName)
        name.isRequired = false
        var password = visit.passwordField(say("Password"), isNew: true, minimum: offer.passwordLength)
        password.hint = say("Password must be at least %@ characters.", String(offer.passwordLength))
        page.blocks = visit.handoverSentence
        if offer.allowsPasskeySignUp { page.blocks.append(visit[PasskeySignUpPage.self].button) }
        page.blocks += phone
        if offer.allowsPasskeySignUp || offer.hasPhone { page.blocks.append(.divider(say("or"))) }
        page.blocks += [
            .form(
                Form(
                    action: Place.signUp.path, fields: [name, visit.emailField(visit.entered("email")), password],
                    hidden: [("minimum", String(offer.passwordLength))] + visit.handoverFields, captcha: visit.captcha,
                    button: say("Create Account"))),
            .links([Link(title: say("Already have an account? Sign in"), address: Place.signIn.path)]),
        ]
        page.blocks += visit[MailRequestPage.self].earlierMail(notice)
        return page
    }
}
