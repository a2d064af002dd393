public import Foundation
public import Gatehouse
public import Observation

/// What the screen shows that links two ways to sign in: after a provider's sign-in whose address an account has
/// (requirement E7). The question is ``AuthManager/linkQuestion``; no second copy is kept.
@MainActor @Observable
public final class LinkModel {
    /// What the screen is doing.
    public enum Phase: Hashable, Sendable {
        case asking
        case working(AuthMethod)
        case refused(SignInMessage)
        /// "Your email, with a new account" was tapped: what belonged to the old one would be gone.
        case confirmingRecovery
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.asking
    private let manager: AuthManager

    /// Shows the manager's question.
    public init(manager: AuthManager) { self.manager = manager }

    /// Nil when the screen dismisses itself: signed in, dismissed, or no longer known to the server.
    public var question: LinkQuestion? { manager.linkQuestion }

    /// The buttons to show: how the account can be entered, as far as this app can.
    public var methods: [AuthMethod] {
        (question?.signInMethods ?? []).compactMap { $0 == "password" ? .email : AuthMethod(rawValue: $0) }
    }

    /// Whether "start anew with this address" is offered.
    public var canRecover: Bool { question?.canRecover == true }

    /// Whether all buttons are disabled and progress shows.
    public var isBusy: Bool {
        if case .working = phase { return true }
        return manager.isLoading
    }

    /// What to tell about the last answer.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// What has to be answered with yes before a new account takes the address.
    public var warning: String? {
        guard phase == .confirmingRecovery else { return nil }
        return "The account that has this email now will be deleted with all its data. This cannot be undone."
    }

    /// The person gave the account's password.
    public func confirm(password: String) async {
        await attempt(.email) { try await self.manager.confirmLink(password: password) }
    }

    /// The person signs in to the account with Apple; see ``AuthManager/signInWithApple(_:)``.
    public func confirmWithApple(_ sheet: @MainActor () async throws -> AppleCredential) async {
        await attempt(.apple) { try await self.manager.confirmLink(throughApple: sheet) }
    }

    /// The person signs in to the account with Google's own sheet; see ``AuthManager/signInWithGoogle(_:)``.
    public func confirmWithGoogle(_ sheet: @MainActor () async throws -> OpenIDConnectCredentials) async {
        await attempt(.google) { try await self.manager.confirmLink(throughGoogle: sheet) }
    }

    /// The person signs in to the account with Google, in a browser; see ``AuthManager/signInWithGoogle(in:)``.
    public func confirmWithGoogle(in browser: any WebAuthenticationSession) async {
        await attempt(.google) { try await self.manager.confirmLink(throughGoogleIn: browser) }
    }

    /// "Start anew" was tapped, where ``canRecover`` offers it.
    public func askToRecover() { if canRecover, !isBusy { phase = .confirmingRecovery } }

    /// The warning was answered with yes. Does nothing when there was none.
    public func recover() async {
        guard phase == .confirmingRecovery else { return }
        let method = question.flatMap { AuthMethod(rawValue: $0.provider) } ?? .email
        await attempt(method) { try await self.manager.recoverAccount() }
    }

    /// The warning was answered with no; or, without one, the person leaves the screen.
    public func dismiss() {
        guard !isBusy else { return }
        if phase != .confirmingRecovery { manager.dismissLinkQuestion() }
        phase = .asking
    }

    private func attempt(_ method: AuthMethod, _ work: @MainActor () async throws -> SignInOutcome) async {
        guard !isBusy, question != nil else { return }
        phase = .working(method)
        do {
            _ = try await work()
            phase = .asking
        } catch {
            phase = SignInMessage(method, error).map { .refused($0) } ?? .asking
        }
    }
}
