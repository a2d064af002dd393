import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension WebPages {
    private static let noSuchKey = "This is not a secret key of this server. Copy it from the settings again."
    private static let noAdministrator =
        "This account is not an administrator's. Sign in with one that is, or with a secret key."

    @Sendable func showConsoleSignIn(_ visit: inout Visit) async throws -> Outcome {
        if visit.isInConsole, visit.flash == nil { return .move(ConsolePlace.overview.path) }
        return .page(visit.consoleSignInPage())
    }

    @Sendable func signInToConsole(_ visit: inout Visit) async throws -> Outcome {
        do {
            if let key = visit.fields["key"] {
                guard key.utf8.count <= 2_048, try await visit.isAdmin(Secret(key)) else {
                    return .page(visit.consoleSignInPage(.problem(Self.noSuchKey)))
                }
                return await visit.goOn(key: Secret(key))
            }
            let json = try await visit.call(
                .post, "/token?grant_type=password",
                visit.solved([
                    "email": .string(visit.fields["email"] ?? ""),
                    "password": .string(visit.fields["password"] ?? ""),
                ]))
            let answer = try AuthSessionAnswer(json: json)
            guard !answer.awaitsSecondStep else {
                await visit.awaitSecondStep(WebSession.Tokens(answer))
                return .move(ConsolePlace.secondStep)
            }
            guard try await visit.isAdmin(Secret(answer.accessToken)) else {
                try await visit.call(.post, "/logout?scope=local", bearer: Secret(answer.accessToken))
                return .page(visit.consoleSignInPage(.problem(Self.noAdministrator)))
            }
            return await visit.goOn(WebSession.Tokens(answer))
        } catch let refusal as CallRefusal {
            let isCaptcha = refusal.code == .captchaFailed && visit.captcha == nil
            let text =
                isCaptcha ? "This server asks for a captcha. Sign in with a secret key." : visit.message(for: refusal)
            return .page(visit.consoleSignInPage(.problem(text)))
        }
    }

    @Sendable func showConsoleSecondStep(_ visit: inout Visit) async throws -> Outcome {
        guard visit.session.awaitsSecondStep else { return .move(ConsolePlace.signIn) }
        return .page(visit.secondStepPage(SecondSteps(try await visit.user())))
    }

    @Sendable func takeConsoleSecondStep(_ visit: inout Visit) async throws -> Outcome {
        guard visit.session.awaitsSecondStep else { return .move(ConsolePlace.signIn) }
        do {
            if visit.asksForKey { return .page(try await visit.keyPage()) }
            let answer = try AuthSessionAnswer(json: await visit.raised())
            let tokens = WebSession.Tokens(answer)
            visit.session.tokens = tokens
            guard try await visit.isAdmin(Secret(answer.accessToken)) else {
                await visit.endConsoleSession()
                visit.session = WebSession(formToken: randomBytes(16))
                return .page(visit.consoleSignInPage(.problem(Self.noAdministrator)))
            }
            let next = visit.session.nextPath ?? ConsolePlace.overview.path
            visit.enterConsole(tokens)
            return .move(next)
        } catch let refusal as CallRefusal {
            return .page(
                visit.secondStepPage(
                    SecondSteps(try await visit.user()), .problem(visit.secondStepProblem(refusal))))
        }
    }

    @Sendable func signOutOfConsole(_ visit: inout Visit) async throws -> Outcome {
        await visit.endConsoleSession()
        visit.session = WebSession(formToken: randomBytes(16))
        visit.session.flash = .signedOut
        return .move(ConsolePlace.signIn)
    }
}

extension Visit {
    /// Whether an operator is signed in.
    var isInConsole: Bool { session.tokens != nil && !session.awaitsSecondStep || session.key != nil }

    /// Where a page that failed is tried again.
    var consoleRetryPath: String { request.method == .get ? request.uri.path.cut(to: 256) : Site.console.prefix }

    /// Has the operator sign in, and come back to this page.
    mutating func goToConsoleSignIn(_ flash: Flash?) -> Outcome {
        let path = request.uri.path
        session.nextPath = path.utf8.count <= 256 && request.method == .get ? path : nil
        session.flash = flash
        return .move(ConsolePlace.signIn)
    }

    /// Whether the admin API takes the token or key.
    ///
    /// - Throws: ``CallFailed``; ``CallRefusal`` for too many requests.
    fileprivate mutating func isAdmin(_ bearer: Secret) async throws -> Bool {
        do {
            // No account has this id: an administrator learns so, and nobody else.
            try await call(.get, "/admin/users/00000000-0000-0000-0000-000000000000", bearer: bearer)
            return true
        } catch let refusal as CallRefusal where refusal.status != 429 {
            return refusal.status == 404
        }
    }

    fileprivate mutating func goOn(_ tokens: WebSession.Tokens? = nil, key: Secret? = nil) async -> Outcome {
        let next = session.nextPath ?? ConsolePlace.overview.path
        await endConsoleSession()
        enterConsole(tokens, key: key)
        return .move(next)
    }

    /// Keeps the tokens of a sign-in until its second step. They open no page.
    fileprivate mutating func awaitSecondStep(_ tokens: WebSession.Tokens) async {
        let next = session.nextPath
        await endConsoleSession()
        enterConsole(tokens)
        (session.awaitsSecondStep, session.nextPath) = (true, next)
    }

    /// A new session. The forms of the pages before it are worth nothing.
    mutating func enterConsole(_ tokens: WebSession.Tokens? = nil, key: Secret? = nil) {
        session = WebSession(formToken: pages.randomBytes(16))
        (session.tokens, session.key) = (tokens, key)
        session.endsAt = pages.now().seconds + WebSession.consoleLifetime
    }

    /// Ends the account's session at the server. That of a key is in the cookie alone.
    fileprivate mutating func endConsoleSession() async {
        guard session.tokens != nil else { return }
        // Lost: why it could not be ended. It is one of the account's list of devices.
        _ = try? await callAsUser(.post, "/logout?scope=local")
    }

    fileprivate func consoleSignInPage(_ notice: Notice? = nil) -> Page {
        var page = Page("Sign In to the Console")
        page.notice = notice
        var password = Field(kind: .password, name: "password", label: "Password")
        password.autocomplete = "current-password"
        var email = Field(kind: .email, name: "email", label: "Email", value: fields["email"] ?? "")
        email.autocomplete = "username"
        email.isFocused = true
        var key = Field(kind: .password, name: "key", label: "Secret key")
        key.hint = "A key that begins with sb_secret_, or a service_role key."
        page.blocks = [
            .form(Form(action: ConsolePlace.signIn, fields: [email, password], captcha: captcha, button: "Sign In")),
            .divider("or"),
            .form(Form(action: ConsolePlace.signIn, fields: [key], button: "Sign In With the Key", style: .plain)),
        ]
        return page
    }
}
