import Gatehouse
public import Observation

/// The state of the screens that change the password. The view owns the passwords.
///
/// Actions return their work, which outlives the screen.
@MainActor @Observable
public final class ChangePasswordModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user edits the form.
        case editing
        /// The change is being sent.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The password is changed.
        case changed
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// Whether the server also requires the current password.
    public private(set) var asksForCurrent = false
    /// Whether the server also requires an emailed code.
    public private(set) var asksForCode = false
    /// The code as typed.
    public var code = ""
    private var sentCode = false
    /// A seeded hash of the password whose response was lost.
    @ObservationIgnored private var unanswered: Int?
    private let manager: AuthManager

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    private var form: EmailAuthForm {
        EmailAuthForm(mode: .signUp, minimumPasswordLength: manager.minimumPasswordLength)
    }

    /// The hint below ``EmailAuthForm/Field/password`` or its confirmation.
    public func hint(for field: EmailAuthForm.Field, password: String, confirmation: String) -> ModelText? {
        form.hint(for: field, password: password, confirmation: confirmation)
    }

    /// Whether the button is enabled.
    public func canSubmit(password: String, confirmation: String, current: String = "") -> Bool {
        phase != .working
            && [.password, .confirmation].allSatisfy {
                form.isValid($0, password: password, confirmation: confirmation)
            } && !(asksForCurrent && current.isEmpty) && !(asksForCode && code.isEmpty)
    }

    /// Submits the password if ``canSubmit(password:confirmation:current:)`` is true.
    @discardableResult
    public func submit(password: String, confirmation: String, current: String = "") -> Task<Void, Never>? {
        guard canSubmit(password: password, confirmation: confirmation, current: current) else { return nil }
        (phase, sentCode) = (.working, false)
        let (current, code) = (asksForCurrent ? current : nil, asksForCode ? code : nil)
        return Task {
            do throws(AuthError) {
                try await manager.credentials.changePassword(password, current: current, code: code)
                (phase, unanswered) = (.changed, nil)
            } catch {
                let wasLost = unanswered == password.hashValue
                if case .offline = error { unanswered = password.hashValue }
                // The first attempt succeeded, but its response was lost.
                if wasLost, error == .samePassword {
                    (phase, unanswered) = (.changed, nil)
                } else {
                    await refused(error)
                }
            }
        }
    }

    /// Sends the code again.
    @discardableResult
    public func sendCodeAgain() -> Task<Void, Never>? {
        guard phase != .working, asksForCode else { return nil }
        (phase, sentCode) = (.working, true)
        return Task {
            do throws(AuthError) {
                try await manager.credentials.sendCode()
                (code, phase) = ("", .editing)
            } catch {
                tell(error)
            }
        }
    }

    /// Repeats the last attempt.
    @discardableResult
    public func retry(password: String, confirmation: String, current: String = "") -> Task<Void, Never>? {
        sentCode ? sendCodeAgain() : submit(password: password, confirmation: confirmation, current: current)
    }

    private func refused(_ error: AuthError) async {
        switch error {
        case .currentPasswordRequired where !asksForCurrent:
            asksForCurrent = true
            tell(error)
        case .codeRequired where !asksForCode:
            do throws(AuthError) {
                try await manager.credentials.sendCode()
                asksForCode = true
                tell(error)
            } catch {
                tell(error)
            }
        default: tell(error)
        }
    }

    private func tell(_ error: AuthError) {
        phase = SignInMessage(changing: error).map { .refused($0) } ?? .editing
    }
}
