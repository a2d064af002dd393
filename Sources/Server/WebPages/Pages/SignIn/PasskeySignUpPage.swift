import GatehouseWire
import HTTPServing
import HTTPTypes

/// Has no password. A script creates the passkey.
struct PasskeySignUpPage: SitePage {
    var visit: Visit

    static let routes = [
        shows("/sign-up/passkey") { try await $0.show() },
        takes("/sign-up/passkey", isOnce: true) { try await $0.signUp() },
    ]

    mutating func show() async throws -> Outcome {
        guard try await visit.offer().allowsPasskeySignUp else { return .go(.signUp) }
        return .page(page())
    }

    /// The field `act` decides.
    mutating func signUp() async throws -> Outcome {
        do {
            if visit.fields["act"] == "begin" { return .page(try await newPasskeyPage()) }
            guard let credential = Ceremony.answer(visit.fields[Ceremony.credential]) else {
                return .page(page(.problem(visit.ceremonyProblem)))
            }
            return try await create(with: credential)
        } catch let refusal as CallRefusal {
            return .page(page(.problem(visit.message(for: refusal))))
        }
    }

    private mutating func create(with credential: AuthJSON) async throws -> Outcome {
        var body = form
        body["challenge_id"] = .string(visit.challengeOfForm)
        body["credential"] = credential
        body["code_challenge_method"] = "s256"
        let json = try await visit.beginning(.emailChange, for: nil) { [body] visit, challenge in
            var body = body
            body["code_challenge"] = challenge
            return try await visit.call(.post, "/passkeys/signup/verify?\(visit.pages.backHere)", body)
        }
        let (user, flow) = (try AuthSessionAnswer(json: json).user, visit.session.flow)
        let outcome = try await visit.signIn(json, for: visit.handoverOfForm)
        guard user.email == nil, let pending = user.newEmail else { return outcome }
        (visit.session.mail, visit.session.flow) = (.change(of: user, to: pending), flow)
        // A waiting app comes first; the account's email page leads to the code later.
        if case .go(.home) = outcome { return .go(.checkMail) }
        return outcome
    }
}

extension PasskeySignUpPage {
    var button: Block {
        .buttons([
            Link(
                title: say("Create Account with a Passkey"), address: Place.passkeySignUp.path + visit.handoverQuery,
                symbol: "passkey")
        ])
    }

    /// For both calls.
    private var form: AuthJSONObject {
        var body: AuthJSONObject = ["email": .string(visit.fields["email"] ?? "")]
        if let name = visit.fields["name"], !name.isBlank { body["data"] = ["first_name": .string(name)] }
        return body
    }

    private mutating func newPasskeyPage() async throws -> Page {
        let begun = try await visit.call(.post, "/passkeys/signup/options", visit.solved(form))
        var page = Page(say("Create Account"))
        page.back = (say("Create Account"), Place.signUp.path)
        let kept = ["email", "name"].compactMap { name in visit.fields[name].map { (name: name, value: $0) } }
        page.blocks =
            visit.handoverSentence + [
                .text(say("A passkey signs you in with your face, your fingerprint or your screen lock.")),
                .form(
                    Form(
                        action: Place.passkeySignUp.path,
                        hidden: [("challenge", begun["challenge_id"]?.stringValue ?? "")] + kept + visit.handoverFields,
                        ceremony: Ceremony(kind: .create, options: begun["options"] ?? .null, start: .atOnce),
                        button: say("Continue"), symbol: "passkey")),
                .unscripted(say("This browser can't add passkeys, or doesn't allow scripts.")),
            ]
        return page
    }

    private func page(_ notice: Notice? = nil) -> Page {
        var page = Page(say("Create Account"))
        page.notice = notice
        page.back = (say("Create Account"), Place.signUp.path)
        var name = Field(
            kind: .text, name: "name", label: say("First Name"), value: visit.entered("name") ?? "",
            autocomplete: "given-name", maximumLength: ProfileLimits.firstName)
        name.isRequired = false
        page.blocks =
            visit.handoverSentence + [
                .soft(say("A passkey signs you in with your face, your fingerprint or your screen lock.")),
                .form(
                    Form(
                        action: Place.passkeySignUp.path, fields: [name, visit.emailField(visit.entered("email"))],
                        hidden: [("act", "begin")] + visit.handoverFields, captcha: visit.captcha,
                        button: say("Continue"))),
                .links([Link(title: say("Already have an account? Sign in"), address: Place.signIn.path)]),
            ]
        return page
    }
}
