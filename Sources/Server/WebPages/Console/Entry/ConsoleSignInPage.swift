import GatehouseWire
import HTTPServing
import HTTPTypes

/// With a password or a secret key.
struct ConsoleSignInPage: ConsolePage {
    var visit: Visit

    static let routes = [
        shows("/sign-in") { $0.show() },
        takes("/sign-in", limitedBy: WebPages.signInBucket) { try await $0.signIn() },
        takes("/sign-out") { await $0.signOut() },
    ]

    private static let noSuchKey =
        "This is not one of this server's secret API keys. Copy it from the configuration again."
    static let noAdministrator =
        "This account is not an administrator. Sign in with one that is, or with a secret API key."

    func show() -> Outcome {
        if visit.isInConsole, visit.flash == nil { return .move(ConsolePlace.overview.path) }
        return .page(page())
    }

    mutating func signIn() async throws -> Outcome {
        do {
            if let key = visit.fields["key"] {
                guard key.utf8.count <= 2_048, try await isAdmin(Secret(key)) else {
                    return .page(page(.problem(Self.noSuchKey)))
                }
                return await goOn(key: Secret(key))
            }
            let json = try await visit.call(
                .post, "/token?grant_type=password",
                visit.solved([
                    "email": .string(visit.fields["email"] ?? ""),
                    "password": .string(visit.fields["password"] ?? ""),
                ]))
            let answer = try AuthSessionAnswer(json: json)
            guard !answer.awaitsSecondStep else {
                await awaitSecondStep(WebSession.Tokens(answer))
                return .move(ConsolePlace.secondStep)
            }
            guard try await isAdmin(Secret(answer.accessToken)) else {
                try await visit.call(.post, "/logout?scope=local", bearer: Secret(answer.accessToken))
                return .page(page(.problem(Self.noAdministrator)))
            }
            return await goOn(WebSession.Tokens(answer))
        } catch let refusal as CallRefusal {
            let isCaptcha = refusal.code == .captchaFailed && visit.captcha == nil
            let text =
                isCaptcha
                ? "This server requires a captcha. Sign in with a secret API key." : visit.message(for: refusal)
            return .page(page(.problem(text)))
        }
    }

    mutating func signOut() async -> Outcome {
        await endSession()
        visit.session = WebSession(formToken: pages.randomBytes(16))
        visit.session.flash = .signedOut
        return .move(ConsolePlace.signIn)
    }
}

extension ConsoleSignInPage {
    /// - Throws: ``CallFailed``; ``CallRefusal`` for too many requests.
    mutating func isAdmin(_ bearer: Secret) async throws -> Bool {
        do {
            // No account has this ID: only administrators get 404.
            try await visit.call(.get, "/admin/users/00000000-0000-0000-0000-000000000000", bearer: bearer)
            return true
        } catch let refusal as CallRefusal where refusal.status != 429 {
            return refusal.status == 404
        }
    }

    private mutating func goOn(_ tokens: WebSession.Tokens? = nil, key: Secret? = nil) async -> Outcome {
        let next = visit.session.nextPath ?? ConsolePlace.overview.path
        await endSession()
        enter(tokens, key: key)
        return .move(next)
    }

    /// These tokens open no page until the second step.
    private mutating func awaitSecondStep(_ tokens: WebSession.Tokens) async {
        let next = visit.session.nextPath
        await endSession()
        enter(tokens)
        (visit.session.awaitsSecondStep, visit.session.nextPath) = (true, next)
    }

    /// Invalidates the forms of earlier pages.
    mutating func enter(_ tokens: WebSession.Tokens? = nil, key: Secret? = nil) {
        visit.session = WebSession(formToken: pages.randomBytes(16))
        (visit.session.tokens, visit.session.key) = (tokens, key)
        visit.session.endsAt = pages.now().seconds + WebSession.consoleLifetime
    }

    /// Ends the account's session at the server. A key's session is only in the cookie.
    mutating func endSession() async {
        guard visit.session.tokens != nil else { return }
        // Ignored: a session that stays is in the account's list of devices.
        _ = try? await visit.callAsUser(.post, "/logout?scope=local")
    }

    func page(_ notice: Notice? = nil) -> Page {
        var page = Page("Sign In to the Console")
        page.notice = notice
        var password = Field(kind: .password, name: "password", label: "Password")
        password.autocomplete = "current-password"
        var email = Field(kind: .email, name: "email", label: "Email", value: visit.fields["email"] ?? "")
        email.autocomplete = "username"
        email.isFocused = true
        var key = Field(kind: .password, name: "key", label: "Secret API key")
        key.hint = "Starts with sb_secret_, or is a service_role key."
        page.blocks = [
            .form(
                Form(action: ConsolePlace.signIn, fields: [email, password], captcha: visit.captcha, button: "Sign In")),
            .divider("or"),
            .form(Form(action: ConsolePlace.signIn, fields: [key], button: "Sign In with API Key", style: .plain)),
        ]
        return page
    }
}
