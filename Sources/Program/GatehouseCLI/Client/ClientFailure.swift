import Foundation
package import Gatehouse
package import GatehouseModel
import GatehouseWire

/// Why a client command failed, or was only partly carried out.
package struct ClientFailure: Error, Hashable, Sendable {
    /// Stable, for scripts; the server's code if it sent one.
    package var code: String
    /// For users, from the message catalogue if possible.
    package var text: String
    /// Additional facts.
    package var detail: String?
    /// A sentence.
    package var remedy: String?
    package var exit: ProgramExit

    package init(
        _ code: String, _ text: String, detail: String? = nil, remedy: String? = nil, exit: ProgramExit
    ) {
        (self.code, self.text, self.detail, self.remedy, self.exit) = (code, text, detail, remedy, exit)
    }

    package static func usage(_ text: String) -> ClientFailure { ClientFailure("usage", text, exit: .usage) }

    static let passwordMismatch = ClientFailure("password_mismatch", "Passwords don't match.", exit: .usage)

    package static let interrupted = ClientFailure("interrupted", "Interrupted.", exit: .interrupted)
    /// The user declined, or closed the provider's page.
    package static let cancelled = ClientFailure("cancelled", "Cancelled.", exit: .failed)

    package var message: String {
        [text, detail.map { "(\($0))" }, remedy].compactMap(\.self).joined(separator: " ").printable
    }

    /// `{"error","message"}`
    package var json: AuthJSON { ["error": .string(code), "message": .string(message)] }
}

extension ClientFailure {
    package init(_ error: any Error, _ method: AuthMethod? = nil, at server: String) {
        switch error {
        case let failure as ClientFailure: self = failure
        case is CancellationError: self = .interrupted
        case let failure as CommandFailure: self.init("failed", failure.description, exit: .failed)
        case AuthError.cancelled: self = .cancelled
        case let error as AuthClientError: self.init(error, at: server)
        default:
            let error = error as NSError
            self.init("failed", Self.other, detail: "\(error.domain) \(error.code)", exit: .failed)
        }
        guard let method, !(error is ClientFailure) else { return }
        guard let shown = SignInMessage(method, error) else {
            // "Cancel" on the provider's page arrives as a refusal.
            if self != .interrupted { self = .cancelled }
            return
        }
        // The catalogue has one sentence for all rare errors; the known message is more specific.
        if shown.text != Self.other { text = shown.text }
    }

    private init(_ error: AuthClientError, at server: String) {
        switch error {
        case .insecureURL:
            self = .usage("\(server) does not use https. Use https; http is accepted only for this machine.")
        case .signedOut(let reason): self.init(reason, at: server)
        case .sessionChanged:
            self.init("session_changed", "Another sign-in happened at the same time. Try again.", exit: .failed)
        case .offline(let cause): self.init(cause, at: server)
        // An error on the callback URL has no status; its code shows the cause.
        case .refused(let refusal)
        where refusal.status == 0 && [.serviceDown, .serverError].contains(AuthError(error).code):
            let detail = refusal.message.isEmpty ? nil : refusal.message
            self.init(
                "server_unavailable", Self.text(.google, .serverError), detail: detail, exit: .unavailable)
        case .refused(let refusal):
            self.init(
                status: refusal.status, code: refusal.code?.rawValue, refusal.message, refusal.retryAfter, at: server)
        case .unexpectedAnswer(let what): self = Self.notUnderstood(what, at: server)
        case .storeUnavailable(let problem):
            self.init(
                "store_unavailable", "The session store does not respond.", detail: problem.detail,
                exit: .storeUnavailable)
        case .storeFailed(let problem):
            self.init(
                "store_failed", "The session could not be stored.", detail: problem.detail, exit: .storeUnavailable)
        case .refusesValidToken(let code):
            self.init(
                code?.rawValue ?? "UNAUTHORIZED", Self.text(.google, .serverError),
                remedy: "\(server) rejects a valid token: check its keys and its clock.", exit: .unavailable)
        // The terminal has no passkeys.
        case .noPasskey, .passkeyExists, .otherAccount, .tooManyAccounts, .passkeyFailed:
            self.init("failed", Self.other, exit: .failed)
        case .unknownFlow, .cancelled, .timedOut, .invalidCallback, .couldNotOpenBrowser, .couldNotListen:
            self.init(browser: error)
        }
    }

    private init(browser error: AuthClientError) {
        switch error {
        case .cancelled: self = .cancelled
        case .timedOut:
            self.init(
                "invalid_callback", Self.text(.google, .invalidCallback),
                detail: "the sign-in in the browser timed out", exit: .failed)
        case .invalidCallback:
            self.init("invalid_callback", Self.text(.google, .invalidCallback), exit: .failed)
        case .couldNotOpenBrowser:
            self.init("provider_failed", "No browser could be opened. Use --no-browser.", exit: .failed)
        case .couldNotListen(let number):
            self.init(
                "provider_failed", "The browser could not return to this machine.", detail: "error \(number)",
                exit: .failed)
        default: self.init("unknown_flow", Self.text(.google, .invalidCallback), exit: .failed)
        }
    }

    private init(_ reason: SignedOutReason, at server: String) {
        switch reason {
        case .neverSignedIn, .requested, .signedOutElsewhere:
            self.init(
                "not_signed_in", "Not signed in at \(server).", remedy: "Run `gatehouse login`.",
                exit: .notSignedIn)
        case .endedByServer(let code, _):
            let text = SignInMessage(reason)?.text ?? AuthError.notAuthenticated.message
            self.init(
                code.rawValue, text, detail: code.rawValue, remedy: "Run `gatehouse login`.", exit: .notSignedIn)
        case .storeDamaged:
            self.init(
                "store_damaged", "The stored session cannot be read.", remedy: "Run `gatehouse login`.",
                exit: .notSignedIn)
        }
    }

    private init(_ cause: OfflineCause, at server: String) {
        switch cause {
        case .noAnswer, .noConnection:
            self.init(
                "offline", Self.text(.email, .noNetwork), detail: "no response from \(server)", exit: .unavailable)
        case .status(let status): self.init(status: status, code: nil, "", nil, at: server)
        case .notUnderstood(let what): self = Self.notUnderstood(what, at: server)
        }
    }

    /// For a status other than 2xx.
    private init(status: Int, code: String?, _ said: String, _ retryAfter: Duration?, at server: String) {
        let code = code.flatMap { $0.isEmpty ? nil : $0 }
        switch status {
        case 500...:
            self.init(
                "server_unavailable", Self.text(.google, .serverError), detail: "status \(status) from \(server)",
                exit: .unavailable)
        case 429:
            self.init(
                code ?? "rate_limited", Self.text(.email, .rateLimited),
                detail: retryAfter.map { "in \($0.components.seconds) s" }, exit: .refused)
        case 403 where code == "FORBIDDEN":
            self.init("FORBIDDEN", AuthError.forbidden.message, detail: said.isEmpty ? nil : said, exit: .refused)
        case 403 where code == "FRESH_SIGN_IN_REQUIRED":
            self.init("FRESH_SIGN_IN_REQUIRED", AuthError.freshSignInNeeded.message, detail: said, exit: .refused)
        default:
            let code = code ?? "status_\(status)"
            let isAboutKey = Self.refusesKey.contains(code)
            // A refusal of the user through the browser has no status.
            let isAboutPerson = !isAboutKey && ([0, 401].contains(status) || Self.refusesPerson.contains(code))
            self.init(
                code, said.isEmpty ? Self.other : said,
                remedy: isAboutKey ? "Pass the server's publishable key with --key or GATEHOUSE_KEY." : nil,
                exit: isAboutPerson ? .notSignedIn : .refused)
        }
    }

    /// Hosted Supabase's gateway sends no code, hence the last one.
    private static let refusesKey: Set<String> = ["no_api_key", "invalid_api_key", "status_401"]
    private static let refusesPerson: Set<String> = Set(
        [
            AuthErrorCode.invalidCredentials, .emailNotConfirmed, .phoneNotConfirmed, .userBanned, .credentialSetAside,
        ].map(\.rawValue))

    private static func notUnderstood(_ what: String, at server: String) -> ClientFailure {
        ClientFailure(
            "unexpected_answer", "\(server) is not an account server.", detail: what,
            remedy: "Check --url.", exit: .unavailable)
    }

    private static let other = AuthError.unknown(nil).message

    private static func text(_ method: AuthMethod, _ code: AuthError.Code) -> String {
        SignInMessage(method, code)?.text ?? other
    }
}
