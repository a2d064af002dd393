import Foundation
public import Gatehouse
public import Observation

/// The state of the login sheet and the email form.
///
/// Actions return their work, which outlives the screen.
///
/// ```swift
/// let login = LoginModel(manager: account)
/// login.form.email = "ada@example.com"
/// await login.submit(password: password)?.value
/// message = login.message
/// ```
@MainActor @Observable
public final class LoginModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user edits the form or chooses a method.
        case editing
        /// A sign-in with this method is in progress.
        case working(AuthMethod)
        /// The last attempt, with this method, failed.
        case refused(AuthMethod, SignInMessage)
        /// Ask for the emailed code, which confirms the sign-up or restores a credential.
        case checkMail
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The email form.
    public var form: EmailAuthForm {
        get {
            var form = typedForm
            form.minimumPasswordLength = manager.minimumPasswordLength
            return form
        }
        set { typedForm = newValue }
    }
    private var typedForm: EmailAuthForm
    /// The code screen's state; nil unless ``phase`` is `checkMail`.
    public private(set) var code: CodeModel?
    /// Whether to offer ``enterCode()``, because of an unconfirmed address.
    public private(set) var needsConfirmation = false
    /// The last sign-in's method on this device.
    public let lastMethod: AuthMethod?
    /// Whether to ask for name and address, because the system has no sheet.
    public var asksForPasskeyDetails = false
    /// Whether the last attempt was a sign-up with a passkey.
    public internal(set) var signsUpWithPasskey = false
    /// Whether to show Apple's sheet, which the user prefers to a new account.
    public internal(set) var prefersApple = false
    let manager: AuthManager
    private let accountBefore: UUID?
    @ObservationIgnored private var typed: String?

    /// Creates a model.
    ///
    /// - Parameter mode: The email form's initial mode.
    public init(manager: AuthManager, mode: EmailAuthForm.Mode = .signIn) {
        self.manager = manager
        accountBefore = manager.isAnonymous ? nil : manager.user?.id
        lastMethod = manager.lastMethod
        typedForm = EmailAuthForm(mode: mode)
    }

    /// Whether to keep the screen open during a sign-in.
    public var isWorking: Bool { if case .working = phase { true } else { false } }

    /// Whether to disable the sign-in methods.
    public var isBusy: Bool { isWorking || manager.isLoading }

    /// Whether to close the screen, because another account, not anonymous, has signed in.
    public var isFinished: Bool { manager.isLoggedIn && !manager.isAnonymous && manager.user?.id != accountBefore }

    /// The message about the last attempt, or the reason to sign in again.
    ///
    /// A wrong setup, the store and an expired link question take precedence.
    public var message: SignInMessage? {
        if let problem = manager.setupProblem { return SignInMessage(setup: problem) }
        if let problem = manager.storeProblem { return SignInMessage(store: problem) }
        if manager.linkHasExpired, !isBusy { return SignInMessage(.email, .linkExpired) }
        return switch phase {
        case .refused(_, let message): message
        case .editing: manager.signedOutReason.flatMap { SignInMessage($0) }
        case .working, .checkMail: nil
        }
    }

    /// Switches the mode and clears the form. The view clears its passwords.
    ///
    /// An address that already has an account stays, to sign in to it.
    public func flip() {
        guard !isBusy else { return }
        let isTaken = if case .refused(.email, let message) = phase { message.action == .otherMethod } else { false }
        let email = form.email
        form.flip()
        if isTaken { form.email = email }
        (phase, code, needsConfirmation, typed) = (.editing, nil, false, nil)
    }

    /// Stops a code from confirming the typed password, after the user left the form.
    public func forgetPassword() {
        typed = nil
        code?.forgetPassword()
    }

    /// Asks for the confirmation code if ``needsConfirmation`` is true.
    public func enterCode() {
        guard needsConfirmation, !isBusy else { return }
        askForCode(wait: .zero)
    }

    /// Returns from the code to the form.
    public func startOver() {
        guard phase == .checkMail, code?.isBusy != true else { return }
        (phase, code, typed) = (.editing, nil, nil)
    }

    private func askForCode(wait: Duration) {
        needsConfirmation = false
        code =
            manager.isAnonymous && form.mode == .signUp
            ? CodeModel(.emailChange, email: form.trimmedEmail, wait: wait, manager: manager)
            : CodeModel(.confirmation, email: form.trimmedEmail, password: typed, wait: wait, manager: manager)
        (phase, typed) = (.checkMail, nil)
    }

    private func fail(_ method: AuthMethod, _ error: any Error) {
        if let kept = CodeModel.Restored(AuthError(error), typed: typed) {
            code = CodeModel(restoring: kept, email: form.trimmedEmail, manager: manager)
            (phase, typed) = (.checkMail, nil)
            return
        }
        var message = SignInMessage(method, error)
        // The usual text names Apple and Google.
        if method == .email || AuthError(error) == .userExists, message?.action == .otherMethod,
            providers(hasBrowser: true).isEmpty
        {
            message = .accountExists
        }
        phase = message.map { .refused(method, $0) } ?? .editing
    }

    /// The providers to show, Apple and then Google first; only these until the server has answered.
    ///
    /// - Parameter hasBrowser: Includes providers other than Apple.
    public func providers(hasBrowser: Bool) -> [AuthMethod] {
        let offered = manager.serverSettings?.providers.map { AuthMethod($0) } ?? [.apple, .google]
        return Self.sorted(offered).filter { hasBrowser || $0 == .apple }
    }

    /// Whether to offer a sign-in by email address.
    public var offersEmail: Bool { manager.serverSettings?.allowsEmail ?? true }
    /// Whether to offer a sign-in by telephone number.
    public var offersPhone: Bool { manager.serverSettings?.allowsPhone ?? false }
    /// Whether to offer a new account with an email address.
    public var offersSignUp: Bool { offersEmail && manager.serverSettings?.allowsSignUp ?? true }
    /// Whether the server sends email.
    public var offersMail: Bool { manager.serverSettings?.sendsMail ?? true }

    /// Whether to offer a sign-in with a passkey.
    public var offersPasskey: Bool { manager.serverSettings?.allowsPasskeys ?? false }

    /// Loads the server's settings.
    public func load() async { await manager.loadServerSettings() }

    static func sorted(_ methods: [AuthMethod]) -> [AuthMethod] {
        let first = [AuthMethod.apple, .google].filter(methods.contains)
        return first + methods.filter { !first.contains($0) }.sorted { $0.name < $1.name }
    }

    /// Whether the email form's button is enabled.
    public func canSubmit(password: String, confirmation: String = "") -> Bool {
        !isBusy && form.isValid(password: password, confirmation: confirmation)
    }

    /// Submits the email form, if valid.
    @discardableResult
    public func submit(password: String, confirmation: String = "") -> Task<Void, Never>? {
        guard canSubmit(password: password, confirmation: confirmation) else { return nil }
        let form = form
        return attempt(.email, typed: password) {
            switch form.mode {
            case .signIn: try await self.manager.signInWithEmail(form.trimmedEmail, password: password)
            case .signUp:
                try await self.manager.signUpWithEmail(
                    form.trimmedEmail, password: password, firstName: form.keptName)
            }
        }
    }

    /// Signs in with a passkey; see ``AuthManager/signInWithPasskey(with:style:)``.
    @discardableResult
    public func signInWithPasskey(with passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        attempt(.passkey) { try await self.manager.signInWithPasskey(with: passkeys) }
    }

    /// Offers passkeys above the keyboard, as ``AuthManager/Passkeys/offerSignIn(with:)``. Does nothing if the server
    /// has none.
    public func offerPasskeys(with passkeys: any PasskeyAuthenticator) async {
        guard offersPasskey, !isWorking else { return }
        do throws(AuthError) {
            _ = try await manager.passkeys.offerSignIn(with: passkeys)
        } catch {
            if SignInMessage(.passkey, error) != nil { fail(.passkey, error) }
        }
    }

    /// Signs in with Apple; see ``AuthManager/signInWithApple(_:)``.
    @discardableResult
    public func signInWithApple(
        _ sheet: @escaping @MainActor () async throws -> AppleCredential
    ) -> Task<Void, Never>? {
        attempt(.apple) { try await self.manager.signInWithApple(sheet) }
    }

    /// Signs in with Google's own sheet; see ``AuthManager/signInWithGoogle(_:)``.
    @discardableResult
    public func signInWithGoogle(
        _ sheet: @escaping @MainActor () async throws -> IDTokenCredentials
    ) -> Task<Void, Never>? {
        attempt(.google) { try await self.manager.signInWithGoogle(sheet) }
    }

    /// Signs in with a provider in a browser; see ``AuthManager/signIn(with:in:)``.
    @discardableResult
    public func signIn(with provider: AuthProvider, in browser: any WebAuthenticator) -> Task<Void, Never>? {
        attempt(AuthMethod(provider)) { try await self.manager.signIn(with: provider, in: browser) }
    }

    func attempt(
        _ method: AuthMethod, typed password: String? = nil, signsUpWithPasskey: Bool = false,
        _ work: @escaping @MainActor () async throws -> SignInOutcome
    ) -> Task<Void, Never>? {
        guard !isBusy else { return nil }
        // Immediately, so that a second tap starts nothing.
        (phase, code, needsConfirmation, typed) = (.working(method), nil, false, password)
        (self.signsUpWithPasskey, prefersApple) = (signsUpWithPasskey, false)
        manager.select(method)
        return Task {
            do {
                let outcome = try await work()
                if outcome == .checkMail {
                    askForCode(wait: CodeModel.interval)
                } else {
                    (phase, typed) = (.editing, nil)
                    if outcome == .formNeeded { asksForPasskeyDetails = true }
                    if outcome == .applePreferred { prefersApple = true }
                }
            } catch {
                needsConfirmation = error as? AuthError == .emailNotConfirmed
                if !needsConfirmation, AuthError(error).code != .credentialSetAside { typed = nil }
                fail(method, error)
            }
        }
    }
}
