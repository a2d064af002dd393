public import Observation

/// The state of a screen that requests a mail: for a password reset, or the confirmation mail of a sign-up once more.
@MainActor @Observable
public final class MailModel {
    /// The mail.
    public enum Kind: Hashable, Sendable {
        /// A mail to reset the password.
        case passwordReset
        /// Another confirmation mail.
        case confirmation
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

    /// Whether the button is enabled.
    public var canSend: Bool { phase != .working && form.isValid(.email, password: "", confirmation: "") }

    /// Requests the mail. Does not reveal whether the address has an account.
    ///
    /// - Returns: The work, which continues after the screen has closed; nil if there is none.
    @discardableResult
    public func send() -> Task<Void, Never>? {
        guard canSend else { return nil }
        phase = .working
        return Task {
            do {
                switch kind {
                case .passwordReset: try await manager.sendPasswordMail(to: form.trimmedEmail)
                case .confirmation: try await manager.resendConfirmation(to: form.trimmedEmail)
                }
                phase = .sent
            } catch {
                phase = SignInMessage(.email, error).map { .refused($0) } ?? .editing
            }
        }
    }
}
