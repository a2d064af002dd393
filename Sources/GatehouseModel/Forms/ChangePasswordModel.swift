public import Gatehouse
public import Observation

/// What the screens show that give the account a new password: while signed in, and after a recovery mail. The passwords
/// are the view's; it empties them when ``isOver`` says so.
@MainActor @Observable
public final class ChangePasswordModel {
    /// What the screen is doing.
    public enum Phase: Hashable, Sendable {
        case editing
        case working
        case refused(SignInMessage)
        case changed
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.editing
    /// Whether the server wants the current password, too.
    public private(set) var asksForCurrent = false
    /// Whether the server wants a code, too, which waits in a mail.
    public private(set) var asksForCode = false
    /// As typed.
    public var code = ""
    /// Whether the attempt is over, and its passwords with it. It is not when the same can be tried once more, or the
    /// server wants something besides.
    public private(set) var isOver = true
    /// Of the password whose saving got no answer. Not the password: a hash that each process seeds anew.
    @ObservationIgnored private var unanswered: Int?
    private let form = EmailAuthForm(mode: .signUp)
    private let manager: AuthManager

    /// Changes the password of the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// What to tell about the last attempt.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The line below a field: ``EmailAuthForm/Field/password`` or its confirmation.
    public func hint(for field: EmailAuthForm.Field, password: String, confirmation: String) -> String? {
        form.hint(for: field, password: password, confirmation: confirmation)
    }

    /// Whether the button is enabled.
    public func canSubmit(password: String, confirmation: String, current: String = "") -> Bool {
        phase != .working
            && [.password, .confirmation].allSatisfy {
                form.isValid($0, password: password, confirmation: confirmation)
            } && !(asksForCurrent && current.isEmpty) && !(asksForCode && code.isEmpty)
    }

    /// Sends nothing while ``canSubmit(password:confirmation:current:)`` is false.
    public func submit(password: String, confirmation: String, current: String = "") async {
        guard canSubmit(password: password, confirmation: confirmation, current: current) else { return }
        (phase, isOver) = (.working, true)
        do {
            try await manager.changePassword(
                password, current: asksForCurrent ? current : nil, code: asksForCode ? code : nil)
            (phase, unanswered) = (.changed, nil)
        } catch {
            let wasLost = unanswered == password.hashValue
            if case AuthClientError.offline = error { unanswered = password.hashValue }
            // It was saved the first time, and the answer was lost.
            if wasLost, (error as? AuthClientError)?.code == .samePassword {
                (phase, unanswered) = (.changed, nil)
            } else {
                await refused(error)
            }
        }
    }

    /// Sends the code once more.
    public func sendCodeAgain() async {
        guard phase != .working, asksForCode else { return }
        phase = .working
        do {
            try await manager.sendCode()
            (code, phase) = ("", .editing)
        } catch {
            tell(error)
        }
    }

    private func refused(_ error: any Error) async {
        switch (error as? AuthClientError)?.code {
        case .currentPasswordRequired where !asksForCurrent:
            asksForCurrent = true
            isOver = false
            tell(error)
        case .reauthenticationNeeded where !asksForCode:
            do {
                try await manager.sendCode()
                asksForCode = true
                isOver = false
                tell(error)
            } catch {
                tell(error)
            }
        default: tell(error)
        }
    }

    private func tell(_ error: any Error) {
        let message = SignInMessage(changing: error)
        if message?.action == .retry { isOver = false }
        phase = message.map { .refused($0) } ?? .editing
    }
}
