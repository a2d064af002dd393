import Foundation
import Gatehouse
import GatehouseCLI
import GatehouseModel
import GatehouseWire
import Testing

@Suite("Exit codes and error codes of the terminal client")
struct ExitCodeTests {
    @Test("The numbers are those that scripts rely on")
    func numbers() {
        #expect(
            ProgramExit.allCases.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 7, 64, 78, 130],
            "a number that changes breaks scripts")
    }

    @Test("Docs/terminal-client.md has the program's table")
    func documented() throws {
        let page = try TerminalClientPage()
        let rows = page.rows(below: "## Exit codes").dropFirst(2)
        #expect(Array(rows) == ProgramExit.allCases.map { "| \($0.rawValue) | \($0.summary) |" })
        for code in ProgramExit.allCases { #expect(ProgramExit.table.contains("\(code.rawValue)  \(code.summary)\n")) }
    }

    private static let server = "https://accounts.example.com"

    private static func refused(_ status: Int, _ code: AuthErrorCode?, _ message: String = "") -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code, message: message))
    }

    @Test(
        "Every failure of the Auth API has its code and its exit code",
        arguments: [
            (AuthClientError.signedOut(.neverSignedIn), "not_signed_in", ProgramExit.notSignedIn),
            (.signedOut(.requested), "not_signed_in", .notSignedIn),
            (.signedOut(.signedOutElsewhere), "not_signed_in", .notSignedIn),
            (.signedOut(.endedByServer(.sessionNotFound)), "session_not_found", .notSignedIn),
            (.signedOut(.storeDamaged), "store_damaged", .notSignedIn),
            (refused(400, .invalidCredentials), "invalid_credentials", .notSignedIn),
            (refused(400, .emailNotConfirmed), "email_not_confirmed", .notSignedIn),
            (refused(403, .credentialSetAside), "credential_set_aside", .notSignedIn),
            (refused(401, .noAuthorization), "no_authorization", .notSignedIn),
            (.offline(.noAnswer("NSURLErrorDomain -1004")), "offline", .unavailable),
            (.offline(.status(503)), "server_unavailable", .unavailable),
            (.offline(.status(429)), "rate_limited", .refused),
            (.offline(.notUnderstood("a page")), "unexpected_answer", .unavailable),
            (refused(500, .unexpectedFailure), "server_unavailable", .unavailable),
            (.unexpectedAnswer("no JSON"), "unexpected_answer", .unavailable),
            (refused(422, .userAlreadyExists), "user_already_exists", .refused),
            (refused(429, .overRequestRateLimit), "over_request_rate_limit", .refused),
            (refused(404, nil), "status_404", .refused),
            (refused(401, nil, "No API key found"), "status_401", .refused),
            (.storeUnavailable("locked"), "store_unavailable", .storeUnavailable),
            (.storeFailed("full"), "store_failed", .storeUnavailable),
            (.insecureURL, "usage", .usage), (.sessionChanged, "session_changed", .failed),
            (.unknownFlow, "unknown_flow", .failed),
        ])
    func authFailures(error: AuthClientError, code: String, exit: ProgramExit) {
        let failure = ClientFailure(error, at: Self.server)
        #expect((failure.code, failure.exit) == (code, exit))
        #expect(!failure.message.isEmpty)
    }

    @Test(
        "Every failure of the gateway has its code and its exit code",
        arguments: [
            (AuthClientError.signedOut(.neverSignedIn), "not_signed_in", ProgramExit.notSignedIn),
            (.refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID")), "TOKEN_INVALID", .unavailable),
            (.refused(AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FORBIDDEN"))), "FORBIDDEN", .refused),
            (.offline(.noAnswer("NSURLErrorDomain -1009")), "offline", .unavailable),
            (.refused(AuthRefusal(status: 400, code: AuthErrorCode(rawValue: "BAD_REQUEST"))), "BAD_REQUEST", .refused),
            (.refused(AuthRefusal(status: 429, code: nil)), "rate_limited", .refused),
            (.refused(AuthRefusal(status: 502, code: nil)), "server_unavailable", .unavailable),
            (.unexpectedAnswer("me.user"), "unexpected_answer", .unavailable),
            (.storeUnavailable("locked"), "store_unavailable", .storeUnavailable),
            (.insecureURL, "usage", .usage),
        ])
    func gatewayFailures(error: AuthClientError, code: String, exit: ProgramExit) {
        let failure = ClientFailure(error, at: Self.server)
        #expect((failure.code, failure.exit) == (code, exit))
    }

    @Test(
        "A failed sign-in has the text of the screens (E6, E7)",
        arguments: [
            (
                AuthMethod.email, refused(400, .invalidCredentials, "Invalid login credentials"),
                "Incorrect email or password. Please try again."
            ),
            (.email, refused(422, .weakPassword, "weak"), "Password must be at least 8 characters."),
            (
                .email, .refused(AuthRefusal(status: 429, code: .overRequestRateLimit, retryAfter: .seconds(9))),
                "Too many attempts. Please wait a moment and try again. (in 9 s)"
            ),
            (
                .email, .offline(.noAnswer("")),
                "Unable to connect. Check your internet and try again. (no response from https://accounts.example.com)"
            ),
            (
                .google, .offline(.noAnswer("")),
                "No internet connection. Please try again. (no response from https://accounts.example.com)"
            ),
            (.google, .unknownFlow, "Sign in failed. Please try again."),
            (.apple, refused(422, .emailExists), "This email is already associated with another account."),
            // Without a text in the catalogue, the server's own is better.
            (.email, refused(422, .validationFailed, "Signup requires a password"), "Signup requires a password"),
            (.email, refused(422, .signupDisabled, "Signups not allowed"), "New accounts can't be created here."),
        ])
    func signInMessages(method: AuthMethod, error: AuthClientError, message: String) {
        #expect(ClientFailure(error, method, at: Self.server).message == message)
    }

    @Test("A server that requires a key is distinguished from one that refuses the user")
    func key() {
        let failure = ClientFailure(Self.refused(401, AuthErrorCode(rawValue: "no_api_key"), "No key"), at: Self.server)
        #expect(failure.exit == .refused)
        #expect(failure.message.contains("--key"))
    }

    @Test("Cancellation is an interruption, and a closed browser is not a sign-in failure")
    func cancellation() {
        #expect(ClientFailure(CancellationError(), at: "") == .interrupted)
        #expect(ClientFailure(AuthError.cancelled, .google, at: "") == .cancelled)
        #expect(ClientFailure(AuthClientError.cancelled, .google, at: "") == .cancelled)
        #expect(ClientFailure(Self.refused(0, AuthErrorCode(rawValue: "access_denied")), .apple, at: "") == .cancelled)
    }

    @Test(
        "A browser that returns incorrectly has its code",
        arguments: [
            (AuthClientError.timedOut, "invalid_callback"), (.invalidCallback, "invalid_callback"),
            (.couldNotOpenBrowser, "provider_failed"), (.couldNotListen(98), "provider_failed"),
        ])
    func browser(error: AuthClientError, code: String) {
        let failure = ClientFailure(error, .google, at: Self.server)
        #expect((failure.code, failure.exit) == (code, .failed))
    }

    @Test(
        "An error from the browser is the provider's fault, the server's fault, or a refusal",
        arguments: [
            ("unexpected_failure", "server_unavailable", ProgramExit.unavailable),
            ("temporarily_unavailable", "server_unavailable", .unavailable),
            ("server_error", "server_unavailable", .unavailable),
            ("user_banned", "user_banned", .notSignedIn), ("signup_disabled", "signup_disabled", .notSignedIn),
            ("user_cancelled_authorize", "cancelled", .failed),
        ])
    func broughtBack(word: String, code: String, exit: ProgramExit) {
        let error = Self.refused(0, AuthErrorCode(rawValue: word), "What the server says")
        let failure = ClientFailure(error, .google, at: Self.server)
        #expect((failure.code, failure.exit) == (code, exit))
        if exit == .unavailable { #expect(failure.message.hasSuffix(" (What the server says)")) }
    }

    @Test(
        "Without a prompt for the password, the message lists the sign-in methods of the account (D7)",
        arguments: [
            (["password", "apple"], " At a terminal, you can link the two with its password."),
            (["apple", "acme"], " Sign in to that account with apple or acme."), ([], ""),
        ] as [([String], String)])
    func linkQuestion(methods: [String], detail: String) {
        let failure = ClientFailure(
            AuthLinkQuestion(
                ticket: AuthLinkTicket("t"), expiresAt: .distantFuture, email: "ada@example.com", provider: "google",
                signInMethods: methods, canRecover: true))
        #expect((failure.code, failure.exit) == ("identity_needs_confirmation", .refused))
        #expect(failure.message == "This email is already associated with another account." + detail)
    }

    @Test("A link that needs a captcha is refused as other sign-ins are, and the message says where to link instead")
    func linkNeedsCaptcha() {
        let refusal = Self.refused(400, .captchaFailed, "captcha protection: request disallowed")
        let failure = ClientFailure(linking: refusal, "Google", at: Self.server)
        let logIn = ClientFailure(refusal, .email, at: Self.server)
        #expect((failure.code, failure.exit) == (logIn.code, logIn.exit))
        #expect((failure.code, failure.exit) == ("captcha_failed", .refused))
        #expect(
            failure.message == """
                Linking an account with a second factor requires a captcha here, which the terminal cannot show. \
                If the server has account pages, sign in with Google at https://accounts.example.com/account and link \
                the two there. Then run this command again.
                """)
        let wrong = Self.refused(400, .invalidCredentials, "Invalid login credentials")
        #expect(
            ClientFailure(linking: wrong, "Google", at: Self.server)
                == ClientFailure(wrong, .email, at: Self.server))
    }

    @Test("In JSON a failure has two members, and a server's text cannot move the cursor")
    func json() {
        let failure = ClientFailure(Self.refused(422, .signupDisabled, "No\u{1B}[2J\u{9B}more"), at: Self.server)
        #expect(failure.json == ["error": "signup_disabled", "message": "No?[2J?more"])
    }

    @Test("Each error code that scripts rely on is in the client and in Docs/terminal-client.md, and no other is")
    func words() throws {
        let words: Set<String> = [
            "not_signed_in", "store_damaged", "offline", "server_unavailable", "unexpected_answer", "rate_limited",
            "status_", "store_unavailable", "store_failed", "session_changed", "no_team_catalogue",
            "sessions_unsupported", "not_found", "no_server", "dev_stack_ended", "usage", "invalid_email",
            "invalid_code", "password_mismatch", "second_factor_needed", "provider_failed", "invalid_callback",
            "unknown_flow", "cancelled", "interrupted", "failed",
        ]
        let rows = try TerminalClientPage().rows(below: "| Code of the client | Meaning |").dropFirst(2)
        let documented = rows.flatMap {
            $0.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
        }
        #expect(Set(documented) == words)
        let folder = TerminalClientPage.root.appending(path: "Sources/Program/GatehouseCLI/Client")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        var produced: Set = ["status_"]
        for file in files where file.hasSuffix(".swift") {
            let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            let pieces = source.components(separatedBy: "(")
            for (callee, arguments) in zip(pieces, pieces.dropFirst())
            where callee.hasSuffix("ClientFailure") || callee.hasSuffix("self.init") {
                let first = arguments.drop(while: \.isWhitespace).replacing("code ?? ", with: "", maxReplacements: 1)
                let word = first.dropFirst().prefix { $0 == "_" || $0.isLowercase }
                if first.hasPrefix("\"\(word)\"") { produced.insert(String(word)) }
            }
        }
        #expect(produced == words)
    }
}

/// Docs/terminal-client.md
struct TerminalClientPage {
    /// The folder of the package.
    static let root: URL = {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        return root
    }()
    let text: String

    init() throws {
        text = try String(contentsOf: Self.root.appendingPathComponent("Docs/terminal-client.md"), encoding: .utf8)
    }

    /// Of the first table after a heading.
    func rows(below heading: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .drop { $0 != heading }.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.map { $0 }
    }
}
