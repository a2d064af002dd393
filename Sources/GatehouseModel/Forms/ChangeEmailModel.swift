public import Observation

/// What the screen shows that changes the account's address.
@MainActor @Observable
public final class ChangeEmailModel {
    /// What the screen is doing.
    public enum Phase: Hashable, Sendable {
        case editing
        case working
        case refused(SignInMessage)
        /// The address is the account's.
        case changed
        /// A mail waits at the new address; until it is read, the old one stays.
        case checkMail
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.editing
    /// Only its address is used.
    public var form = EmailAuthForm()
    private let manager: AuthManager

    /// Changes the address of the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// The address that the account has; nil for none.
    public var current: String? { manager.user?.email }

    /// What to tell about the last attempt.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The line below the field.
    public var hint: String? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the mail that was waited for has been read: the new address is the account's.
    public var isConfirmed: Bool { phase == .checkMail && current?.lowercased() == form.trimmedEmail.lowercased() }

    /// Whether the button is enabled: for an address that is one, and another one, and was not sent yet.
    public var canSubmit: Bool {
        ![.working, .checkMail, .changed].contains(phase) && form.isValid(.email, password: "", confirmation: "")
            && form.trimmedEmail.lowercased() != current?.lowercased()
    }

    /// Sends nothing while ``canSubmit`` is false.
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
