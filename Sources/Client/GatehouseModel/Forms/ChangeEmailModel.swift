import Gatehouse
public import Observation

/// The state of the screen that changes the email address. The view owns the password.
///
/// Begins with the code of a new address that awaits confirmation.
@MainActor @Observable
public final class ChangeEmailModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user edits the form.
        case editing
        /// The change is being sent.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The account has the new address.
        case changed
        /// The new address awaits its emailed code; the old one stays.
        case checkMail
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The code screen's state; nil unless ``phase`` is `checkMail`.
    public private(set) var code: CodeModel?
    /// Whether the server also requires the current password.
    public private(set) var asksForCurrent = false
    /// The form. Only its email address is used.
    public var form = EmailAuthForm()
    private let manager: AuthManager

    /// Creates a model.
    public init(manager: AuthManager) {
        self.manager = manager
        guard let pending = manager.user?.newEmail else { return }
        form.email = pending
        askForCode(pending, wait: .zero)
    }

    private func askForCode(_ email: String, wait: Duration) {
        code = CodeModel(.emailChange, email: email, wait: wait, manager: manager)
        phase = .checkMail
    }

    /// Returns from the code to the form.
    public func startOver() {
        guard phase == .checkMail, code?.isBusy != true else { return }
        (phase, code, form) = (.editing, nil, EmailAuthForm())
    }

    /// The account's current address.
    public var current: String? { manager.user?.email }

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The hint below the field.
    public var hint: ModelText? { form.hint(for: .email, password: "", confirmation: "") }

    /// Whether the new address was confirmed, by code or link.
    public var isConfirmed: Bool { phase == .checkMail && current?.lowercased() == form.trimmedEmail.lowercased() }

    /// Whether the button is enabled.
    public func canSubmit(password: String = "") -> Bool {
        ![.working, .checkMail, .changed].contains(phase) && form.isValid(.email, password: "", confirmation: "")
            && form.trimmedEmail.lowercased() != current?.lowercased() && !(asksForCurrent && password.isEmpty)
    }

    /// Submits the address if ``canSubmit(password:)`` is true. A failure is a ``message``.
    ///
    /// - Returns: The work, which outlives the screen.
    @discardableResult
    public func submit(password: String = "") -> Task<Void, Never>? {
        guard canSubmit(password: password) else { return nil }
        phase = .working
        let (email, current) = (form.trimmedEmail, asksForCurrent ? password : nil)
        return Task {
            do throws(AuthError) {
                switch try await manager.credentials.changeEmail(email, current: current) {
                case .changed: phase = .changed
                case .checkMail: askForCode(email, wait: CodeModel.interval)
                }
            } catch {
                if error == .currentPasswordRequired { asksForCurrent = true }
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
            }
        }
    }
}
