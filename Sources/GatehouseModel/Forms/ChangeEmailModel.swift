import Gatehouse
public import Observation

/// The state of the screen that changes the account's email address. The view owns the password.
@MainActor @Observable
public final class ChangeEmailModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The user edits the form.
        case editing
        /// The change is being sent.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The account has the new address.
        case changed
        /// A confirmation mail was sent to the new address. The old one stays until it is opened.
        case checkMail
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// Whether the server also requires the current password.
    public private(set) var asksForCurrent = false
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
    public var hint: ModelText? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the confirmation mail was opened, so that the account has the new address.
    public var isConfirmed: Bool { phase == .checkMail && current?.lowercased() == form.trimmedEmail.lowercased() }

    /// Whether the button is enabled: for a valid address other than the account's, with a password if the server
    /// requires one.
    public func canSubmit(password: String = "") -> Bool {
        ![.working, .checkMail, .changed].contains(phase) && form.isValid(.email, password: "", confirmation: "")
            && form.trimmedEmail.lowercased() != current?.lowercased() && !(asksForCurrent && password.isEmpty)
    }

    /// Submits the address. Does nothing if ``canSubmit(password:)`` is false. A failure is a ``message``.
    ///
    /// - Returns: The work, which continues after the screen has closed; nil if there is none.
    @discardableResult
    public func submit(password: String = "") -> Task<Void, Never>? {
        guard canSubmit(password: password) else { return nil }
        phase = .working
        let (email, current) = (form.trimmedEmail, asksForCurrent ? password : nil)
        return Task {
            do throws(AuthError) {
                let change = try await manager.changeEmail(email, current: current)
                phase = change == .changed ? .changed : .checkMail
            } catch {
                if error == .currentPasswordRequired { asksForCurrent = true }
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
            }
        }
    }
}
