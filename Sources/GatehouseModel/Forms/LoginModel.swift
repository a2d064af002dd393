public import Foundation
public import Gatehouse
public import Observation

/// The state of the sign-in screens: the login sheet and the email form.
@MainActor @Observable
public final class LoginModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The user edits the form or chooses a method.
        case editing
        /// A sign-in with this method is in progress.
        case working(AuthMethod)
        /// The last attempt, with this method, failed.
        case refused(AuthMethod, SignInMessage)
        /// A confirmation mail was sent.
        case checkMail
    }

    /// The current phase.
    public private(set) var phase = Phase.editing
    /// The email form, without its passwords.
    public var form: EmailAuthForm
    private let manager: AuthManager

    /// - Parameter mode: The initial mode of the email form.
    public init(manager: AuthManager, mode: EmailAuthForm.Mode = .signIn) {
        self.manager = manager
        form = EmailAuthForm(mode: mode)
    }

    /// Whether to disable all buttons and show progress.
    public var isBusy: Bool {
        if case .working = phase { return true }
        return manager.isLoading
    }

    /// Whether the screen dismisses itself.
    public var isFinished: Bool { manager.isLoggedIn }

    /// The message about the last attempt, or why the user must sign in again. A link answer that came too late takes
    /// precedence.
    public var message: SignInMessage? {
        if manager.linkHasExpired, !isBusy { return SignInMessage(.email, .linkExpired) }
        return switch phase {
        case .refused(_, let message): message
        case .editing: manager.signedOutReason.flatMap { SignInMessage($0) }
        case .working, .checkMail: nil
        }
    }

    /// Switches the mode of the email form, with empty fields and no message. The view clears its passwords.
    public func flip() {
        guard !isBusy else { return }
        form.flip()
        phase = .editing
    }

    /// Whether the email form's button is enabled.
    public func canSubmit(password: String, confirmation: String = "") -> Bool {
        !isBusy && form.isValid(password: password, confirmation: confirmation)
    }

    /// Submits the email form. Does nothing if it is invalid or busy.
    public func submit(password: String, confirmation: String = "") async {
        guard canSubmit(password: password, confirmation: confirmation) else { return }
        let form = form
        await attempt(.email) {
            switch form.mode {
            case .signIn: try await self.manager.signInWithEmail(form.trimmedEmail, password: password)
            case .signUp:
                try await self.manager.signUpWithEmail(
                    form.trimmedEmail, password: password, firstName: form.keptName)
            }
        }
    }

    /// Signs in with Apple; see ``AuthManager/signInWithApple(_:)``.
    public func signInWithApple(_ sheet: @MainActor () async throws -> AppleCredential) async {
        await attempt(.apple) { try await self.manager.signInWithApple(sheet) }
    }

    /// Signs in with Google's own sheet; see ``AuthManager/signInWithGoogle(_:)``.
    public func signInWithGoogle(_ sheet: @MainActor () async throws -> OpenIDConnectCredentials) async {
        await attempt(.google) { try await self.manager.signInWithGoogle(sheet) }
    }

    /// Signs in with Google in a browser; see ``AuthManager/signInWithGoogle(redirectTo:browser:)``.
    public func signInWithGoogle(redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL) async {
        await attempt(.google) { try await self.manager.signInWithGoogle(redirectTo: redirectTo, browser: browser) }
    }

    /// Signs in with Google in a browser; see ``AuthManager/signInWithGoogle(in:)``.
    public func signInWithGoogle(in browser: any WebAuthenticator) async {
        await attempt(.google) { try await self.manager.signInWithGoogle(in: browser) }
    }

    private func attempt(_ method: AuthMethod, _ work: @MainActor () async throws -> SignInOutcome) async {
        guard !isBusy else { return }
        phase = .working(method)
        manager.select(method)
        do {
            phase = try await work() == .checkMail ? .checkMail : .editing
        } catch {
            phase = SignInMessage(method, error).map { .refused(method, $0) } ?? .editing
        }
    }
}
