public import Observation

/// The state of a screen that requests an emailed code, and then has a ``code``.
@MainActor @Observable
public final class MailModel {
    /// The email's purpose.
    public enum Kind: Hashable, Sendable {
        /// Resets the password.
        case passwordReset
        /// Confirms a sign-up, again.
        case confirmation
        /// Signs in new and existing users.
        case signIn
    }

    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user enters the address.
        case editing
        /// The email is being requested.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The email is on its way.
        case sent
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The code screen's state; nil unless ``phase`` is `sent`.
    public private(set) var code: CodeModel?
    /// The form. Only its email address is used.
    public var form = EmailAuthForm()
    private let kind: Kind
    private let manager: AuthManager

    /// Creates a model.
    ///
    /// - Parameter email: The initial address.
    public init(_ kind: Kind, email: String, manager: AuthManager) {
        self.kind = kind
        self.manager = manager
        form.email = email
    }

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The hint below the field.
    public var hint: ModelText? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the button is enabled.
    public var canSend: Bool { phase != .working && form.isValid(.email, password: "", confirmation: "") }

    /// Requests the email. Does not reveal accounts.
    ///
    /// If the server just sent one, its code can be entered.
    ///
    /// - Returns: The work, which outlives the screen.
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

    /// Returns to the address.
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
