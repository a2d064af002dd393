public import Observation

/// The state of a screen that requests a mail: for a password reset, to sign in without a password, or the confirmation
/// mail of a sign-up once more. When the mail is on its way, ``code`` is the state of the screen for its code.
@MainActor @Observable
public final class MailModel {
    /// The mail.
    public enum Kind: Hashable, Sendable {
        /// A mail to reset the password.
        case passwordReset
        /// Another confirmation mail.
        case confirmation
        /// A mail to sign in with, for new and existing users.
        case signIn
    }

    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The user enters the address.
        case editing
        /// The mail is being requested.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The mail is on its way.
        case sent
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The state of the screen for the mail's code; nil unless ``phase`` is `sent`.
    public private(set) var code: CodeModel?
    /// The form. Only its email address is used.
    public var form = EmailAuthForm()
    private let kind: Kind
    private let manager: AuthManager

    /// - Parameter email: The initial address.
    public init(_ kind: Kind, email: String, manager: AuthManager) {
        self.kind = kind
        self.manager = manager
        form.email = email
    }

    /// The message about the last attempt.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The hint below the field.
    public var hint: ModelText? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the button is enabled.
    public var canSend: Bool { phase != .working && form.isValid(.email, password: "", confirmation: "") }

    /// Requests the mail. Does not reveal whether the address has an account. If the server has sent one to this address
    /// a moment ago, its code can be entered.
    ///
    /// - Returns: The work, which continues after the screen has closed; nil if there is none.
    @discardableResult
    public func send() -> Task<Void, Never>? {
        guard canSend else { return nil }
        phase = .working
        let email = form.trimmedEmail
        return Task {
            do throws(AuthError) {
                switch kind {
                case .passwordReset: try await manager.mail.sendPasswordReset(to: email)
                case .confirmation: try await manager.mail.resendConfirmation(to: email)
                case .signIn: try await manager.mail.sendSignIn(to: email)
                }
                askForCode(email, CodeModel.interval, .editing)
            } catch {
                if case .rateLimited(let pause) = error {
                    askForCode(email, pause ?? CodeModel.interval, .refused(.mailTooSoon))
                } else {
                    phase = SignInMessage(.email, error).map { .refused($0) } ?? .editing
                }
            }
        }
    }

    /// Returns to the address, after the mail was sent.
    public func startOver() {
        guard phase == .sent, code?.isBusy != true else { return }
        (phase, code) = (.editing, nil)
    }

    private func askForCode(_ email: String, _ wait: Duration, _ phase: CodeModel.Phase) {
        let kind: CodeModel.Kind =
            switch self.kind {
            case .passwordReset: .passwordReset
            case .confirmation: .confirmation
            case .signIn: .signIn
            }
        code = CodeModel(kind, email: email, wait: wait, phase: phase, manager: manager)
        self.phase = .sent
    }
}
