import Foundation
public import Gatehouse
public import Observation

/// The state of the screen that links two sign-in methods, during ``AuthManager/linkQuestion``.
///
/// Actions return their work, which outlives the screen.
@MainActor @Observable
public final class LinkModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The user chooses a method.
        case asking
        /// An answer is being sent.
        case working(AuthMethod)
        /// An emailed code is being requested.
        case sending
        /// The last attempt failed.
        case refused(SignInMessage)
        /// The user sees the ``LinkModel/warning``.
        case confirmingRecovery
    }

    /// The current phase.
    public private(set) var phase = Phase.asking
    /// The code screen's state; nil unless a code was requested.
    public private(set) var code: CodeModel?
    private let manager: AuthManager

    /// Creates a model for the manager's question.
    public init(manager: AuthManager) { self.manager = manager }

    /// The question; nil dismisses the screen.
    public var question: AuthLinkQuestion? { manager.linkQuestion }

    /// The account's sign-in methods.
    public var methods: [AuthMethod] {
        (question?.signInMethods ?? []).map { $0 == "password" ? .email : AuthMethod(rawValue: $0) }
    }

    /// Whether to offer a new account with this address.
    public var canRecover: Bool { question?.canRecover == true }

    /// Whether to offer an emailed code as proof.
    public var canMailCode: Bool { question?.canMailCode == true }

    /// Whether to offer a passkey.
    public var canUsePasskey: Bool { question?.canUsePasskey == true }

    /// Whether to disable all buttons and show progress.
    public var isBusy: Bool {
        switch phase {
        case .working, .sending: true
        case .asking, .refused, .confirmingRecovery: manager.isLoading
        }
    }

    /// The message about the last answer.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// The warning before a new account takes the address.
    public var warning: ModelText? { phase == .confirmingRecovery ? Self.recoveryWarning : nil }

    package static let recoveryWarning: ModelText =
        "The account that has this email now will lose it, but keep everything else."

    /// Answers with the account's password.
    @discardableResult
    public func confirm(password: String) -> Task<Void, Never>? {
        attempt(.email, typed: password) { try await self.manager.linking.confirm(.password(password)) }
    }

    /// Answers with Apple; see ``AuthManager/signInWithApple(_:)``.
    @discardableResult
    public func confirmWithApple(
        _ sheet: @escaping @MainActor () async throws -> AppleCredential
    ) -> Task<Void, Never>? {
        attempt(.apple) { try await self.manager.linking.confirm(.apple(sheet)) }
    }

    /// Answers with Google's own sheet; see ``AuthManager/signInWithGoogle(_:)``.
    @discardableResult
    public func confirmWithGoogle(
        _ sheet: @escaping @MainActor () async throws -> IDTokenCredentials
    ) -> Task<Void, Never>? {
        attempt(.google) { try await self.manager.linking.confirm(.google(sheet)) }
    }

    /// Answers with a provider in a browser; see ``AuthManager/signIn(with:in:)``.
    @discardableResult
    public func confirm(with provider: AuthProvider, in browser: any WebAuthenticator) -> Task<Void, Never>? {
        attempt(AuthMethod(provider)) { try await self.manager.linking.confirm(.provider(provider, in: browser)) }
    }

    /// Answers with a passkey; see ``LinkProof/passkey(_:)``.
    @discardableResult
    public func confirm(withPasskey passkeys: any PasskeyAuthenticator) -> Task<Void, Never>? {
        attempt(.passkey) { try await self.manager.linking.confirm(.passkey(passkeys)) }
    }

    /// Requests an emailed code if ``canMailCode`` is true, and sets ``code``.
    @discardableResult
    public func sendCode() -> Task<Void, Never>? {
        guard canMailCode, !isBusy, let asked = question else { return nil }
        phase = .sending
        return Task {
            do throws(AuthError) {
                try await manager.linking.sendCode()
                phase = .asking
                askForCode(asked, CodeModel.interval, .editing)
            } catch {
                if case .rateLimited(let pause) = error {
                    phase = .asking
                    askForCode(asked, pause ?? CodeModel.interval, .refused(.mailTooSoon))
                } else {
                    phase = SignInMessage(.email, error).map { .refused($0) } ?? .asking
                }
            }
        }
    }

    private func restore(_ kept: CodeModel.Restored, _ asked: AuthLinkQuestion) {
        guard question == asked else { return }
        code = CodeModel(restoring: kept, email: asked.email, answersLink: true, manager: manager)
        phase = .asking
    }

    private func askForCode(_ asked: AuthLinkQuestion, _ wait: Duration, _ phase: CodeModel.Phase) {
        guard question == asked else { return }
        code = CodeModel(.link, email: asked.email, wait: wait, phase: phase, manager: manager)
    }

    /// Returns from the code to the question.
    public func startOver() { if code?.isBusy != true { code = nil } }

    /// Sets ``warning`` if ``canRecover`` is true.
    public func askToRecover() { if canRecover, !isBusy { phase = .confirmingRecovery } }

    /// Confirms the warning, if any.
    @discardableResult
    public func recover() -> Task<Void, Never>? {
        guard phase == .confirmingRecovery else { return nil }
        let method = question.map { AuthMethod(rawValue: $0.provider) } ?? .email
        return attempt(method) { try await self.manager.linking.startOver() }
    }

    /// Cancels the warning, or else the question.
    public func dismiss() {
        guard !isBusy else { return }
        if phase != .confirmingRecovery { manager.linking.dismiss() }
        (phase, code) = (.asking, nil)
    }

    private func attempt(
        _ method: AuthMethod, typed password: String? = nil,
        _ work: @escaping @MainActor () async throws -> SignInOutcome
    ) -> Task<Void, Never>? {
        guard !isBusy, let asked = question else { return nil }
        phase = .working(method)
        return Task {
            do {
                _ = try await work()
                phase = .asking
            } catch {
                if let kept = CodeModel.Restored(AuthError(error), typed: password) { return restore(kept, asked) }
                phase = SignInMessage(method, error).map { .refused($0) } ?? .asking
            }
        }
    }
}
