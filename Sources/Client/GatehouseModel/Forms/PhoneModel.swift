import Gatehouse
public import Observation

/// The state of a screen where the user enters a telephone number, and then has a ``code``.
///
/// ```swift
/// let screen = PhoneModel(.signIn, manager: account)
/// screen.form.typed = "0170 123 45 67"
/// await screen.send()?.value
/// screen.code?.code = "042917"
/// ```
@MainActor @Observable
public final class PhoneModel {
    /// The number's purpose.
    public enum Kind: Hashable, Sendable {
        /// Signs in new and existing users.
        case signIn
        /// Changes or sets the signed-in user's number. Begins with the code of one that awaits confirmation.
        case change
        /// Adds a second factor.
        case secondFactor
    }

    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user enters the number.
        case editing
        /// The message is being requested.
        case working
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The message is on its way.
        case sent
        /// The account has the new number, which needed no code.
        case changed
    }

    /// The number's purpose.
    public let kind: Kind
    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The code screen's state; nil unless ``phase`` is `sent`.
    public private(set) var code: CodeModel?
    /// Whether the server also requires the current password, for a change.
    public private(set) var asksForCurrent = false
    /// The form.
    public var form: PhoneForm
    private let manager: AuthManager

    /// Creates a model.
    ///
    /// - Parameter region: The form's initial region; nil for the device's.
    public init(_ kind: Kind, region: String? = nil, manager: AuthManager) {
        self.kind = kind
        self.manager = manager
        form = PhoneForm(region: region)
        guard kind == .change, let pending = manager.user?.newPhone else { return }
        form.typed = pending
        askForCode(.phoneChange, pending, .zero)
    }

    /// The account's current number.
    public var current: String? { manager.user?.phone }

    /// Whether to offer recovery codes once a second factor is added.
    public var offersCodes: Bool { kind == .secondFactor && manager.offersRecoveryCodes }

    /// The last attempt's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Whether the number is confirmed: close the screen.
    public var isFinished: Bool { phase == .changed || code?.phase == .confirmed }

    /// Whether the button is enabled.
    ///
    /// - Parameter password: Owned by the view.
    public func canSend(password: String = "") -> Bool {
        switch phase {
        case .working, .sent, .changed: return false
        case .editing, .refused: break
        }
        guard let number = form.number else { return false }
        return !(kind == .change && number == current) && !(asksForCurrent && password.isEmpty)
    }

    /// Requests the message if ``canSend(password:)`` is true. For a sign-in, does not reveal accounts.
    ///
    /// If the server just sent one, its code can be entered.
    ///
    /// - Returns: The work, which outlives the screen.
    @discardableResult
    public func send(password: String = "") -> Task<Void, Never>? {
        guard canSend(password: password), let number = form.number else { return nil }
        phase = .working
        let current = asksForCurrent ? password : nil
        return Task {
            do throws(AuthError) {
                switch kind {
                case .signIn: try await signIn(number)
                case .change: try await change(to: number, current)
                case .secondFactor: try await add(number)
                }
            } catch {
                if error == .currentPasswordRequired { asksForCurrent = true }
                phase = told(error)
            }
        }
    }

    private func signIn(_ number: String) async throws(AuthError) {
        do throws(AuthError) {
            try await manager.texts.sendSignIn(to: number)
            askForCode(.phoneSignIn, number, CodeModel.interval)
        } catch .rateLimited(let pause) {
            askForCode(.phoneSignIn, number, pause ?? CodeModel.interval, .refused(.textTooSoon))
        }
    }

    private func change(to number: String, _ password: String?) async throws(AuthError) {
        switch try await manager.credentials.changePhone(number, current: password) {
        case .changed: phase = .changed
        case .checkMessages: askForCode(.phoneChange, number, CodeModel.interval)
        }
    }

    private func add(_ number: String) async throws(AuthError) {
        for old in try await manager.factors.list() where old.status == .unverified && old.factorType == .phone {
            try await manager.factors.remove(id: old.id)
        }
        let factor = try await manager.factors.addPhone(number)
        try await manager.proofs.sendCode(to: factor.id)
        askForCode(.phoneFactor(factor.id), number, CodeModel.interval)
    }

    /// Returns from the code to the number.
    public func startOver() {
        guard phase == .sent, code?.isBusy != true else { return }
        (phase, code) = (.editing, nil)
    }

    private func askForCode(
        _ kind: CodeModel.Kind, _ number: String, _ wait: Duration, _ phase: CodeModel.Phase = .editing
    ) {
        code = CodeModel(kind, email: number, wait: wait, phase: phase, manager: manager)
        self.phase = .sent
    }

    private func told(_ error: AuthError) -> Phase {
        if case .rateLimited = error { return .refused(.textTooSoon) }
        let message =
            switch (kind, error) {
            case (.signIn, _): SignInMessage(.phone, error)
            case (.secondFactor, .nameTaken): SignInMessage("You already use this phone number. Enter another one.")
            default: SignInMessage(changing: error)
            }
        return message.map { .refused($0) } ?? .editing
    }
}
