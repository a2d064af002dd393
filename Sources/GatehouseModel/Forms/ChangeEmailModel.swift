import Gatehouse
public import Observation

/// What the screen shows that changes the account's address. The password is the view's; it empties it when ``isOver``
/// says so.
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
    /// Whether the server wants the current password, too.
    public private(set) var asksForCurrent = false
    /// Whether the attempt is over, and its password with it. It is not when the same can be tried once more.
    public private(set) var isOver = true
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

    /// Whether the button is enabled: for a valid address other than the account's, and, where the server asks for it, a
    /// password.
    public func canSubmit(password: String = "") -> Bool {
        ![.working, .checkMail, .changed].contains(phase) && form.isValid(.email, password: "", confirmation: "")
            && form.trimmedEmail.lowercased() != current?.lowercased() && !(asksForCurrent && password.isEmpty)
    }

    /// Sends nothing while ``canSubmit(password:)`` is false.
    public func submit(password: String = "") async {
        guard canSubmit(password: password) else { return }
        (phase, isOver) = (.working, true)
        do {
            let change = try await manager.changeEmail(form.trimmedEmail, current: asksForCurrent ? password : nil)
            phase = change == .changed ? .changed : .checkMail
        } catch {
            if (error as? AuthClientError)?.code == .currentPasswordRequired { asksForCurrent = true }
            let message = SignInMessage(changing: error)
            isOver = message?.action != .retry
            phase = message.map { .refused($0) } ?? .editing
        }
    }
}
