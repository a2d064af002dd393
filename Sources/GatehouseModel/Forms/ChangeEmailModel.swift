public import Observation

/// The state of the screen that changes the account's email address.
@MainActor @Observable
public final class ChangeEmailModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        case editing
        case working
        case refused(SignInMessage)
        /// The account has the new address.
        case changed
        /// A confirmation mail was sent to the new address. The old one stays until it is opened.
        case checkMail
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The form. Only its email address is used.
    public var form = EmailAuthForm()
    private let manager: AuthManager

    /// Creates a model for the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// The account's current address; nil if it has none.
    public var current: String? { manager.user?.email }

    /// The message about the last attempt.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The hint below the field.
    public var hint: String? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the confirmation mail was opened, so that the account has the new address.
    public var isConfirmed: Bool { phase == .checkMail && current?.lowercased() == form.trimmedEmail.lowercased() }

    /// Whether the button is enabled: the address is valid, differs from the current one, and was not submitted yet.
    public var canSubmit: Bool {
        ![.working, .checkMail, .changed].contains(phase) && form.isValid(.email, password: "", confirmation: "")
            && form.trimmedEmail.lowercased() != current?.lowercased()
    }

    /// Submits the form. Does nothing if ``canSubmit`` is false.
    public func submit() async {
        guard canSubmit else { return }
        phase = .working
        do {
            phase = try await manager.changeEmail(form.trimmedEmail) == .changed ? .changed : .checkMail
        } catch {
            phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
        }
    }
}
