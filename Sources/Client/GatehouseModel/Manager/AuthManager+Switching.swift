public import Gatehouse

/// Another account is about to replace the signed-in one. See ``AuthManager/switchQuestion``.
public struct SwitchQuestion: Hashable, Sendable {
    /// The user of a mail's link; nil if an anonymous user signs in to an account that exists.
    public var user: AuthenticatedUser?
    /// Whether an anonymous account is left, which cannot be opened again.
    public var leavesAnonymousAccount: Bool

    /// For tests and previews.
    public init(user: AuthenticatedUser?, leavesAnonymousAccount: Bool) {
        self.user = user
        self.leavesAnonymousAccount = leavesAnonymousAccount
    }
}

extension AuthManager {
    /// Signs in to another account in place of the signed-in one, whose session then ends here and at the server; with
    /// ``allowsSeveralAccounts`` it stays in ``accounts`` instead. Until the sign-in has succeeded, and after it has failed,
    /// the previous user stays.
    ///
    /// ```swift
    /// try await account.switchAccount { account throws(AuthError) in
    ///     try await account.signInWithEmail(email, password: password)
    /// }
    /// ```
    ///
    /// - Parameter signIn: A sign-in with this manager.
    /// - Throws: As the sign-in; ``AuthError/tooMany`` if this device has as many accounts as possible. A second factor that
    ///   the user does not prove signs out, or returns to the previous account if that stays.
    @discardableResult
    public func switchAccount(
        _ signIn: @MainActor (AuthManager) async throws(AuthError) -> SignInOutcome
    ) async throws(AuthError) -> SignInOutcome {
        isSwitching = true
        defer { isSwitching = false }
        return try await signIn(self)
    }

    /// Whether the signed-in user's account has no sign-in method; see ``signInAnonymously()``.
    public var isAnonymous: Bool { user?.isAnonymous == true }

    /// Creates an account without a sign-in method, for an app that keeps data before it asks for an account. If its session
    /// is lost, the account cannot be opened again.
    ///
    /// A sign-up with an address, and a sign-in with a provider, then give this account its sign-in method: it keeps its id
    /// and its data. A sign-in to an account that exists leaves it, after ``switchQuestion``.
    ///
    /// - Throws: ``AuthError``: ``AuthError/notOffered`` if the server has no anonymous users; ``AuthError/alreadySignedIn``.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> SignInOutcome {
        if isAnonymous { throw .alreadySignedIn }
        return try await authenticate(.anonymous) { .session(try await self.service.signInAnonymously()) }
    }

    /// Answers ``switchQuestion``: whether the other account replaces the signed-in one.
    public func answerSwitch(_ switches: Bool) {
        switchScreen.ended()
        let waiter = switchWaiter
        (switchQuestion, switchWaiter) = (nil, nil)
        waiter?.resume(returning: switches)
    }

    /// Asks the signed-in user.
    ///
    /// - Returns: false also if no screen can ask.
    func wantsSwitch(to other: AuthUser?) async -> Bool {
        // Without a user, for example before the second factor, no visible account is replaced.
        guard isLoggedIn else { return true }
        // The signed-in account stays on this device.
        if other != nil, allowsSeveralAccounts, !isAnonymous { return true }
        couldAskForSwitch = answersProofQuestions
        guard answersProofQuestions else { return false }
        // Of two concurrent links, the newer one is asked about.
        answerSwitch(false)
        switchQuestion = SwitchQuestion(
            user: other.map { AuthenticatedUser($0) }, leavesAnonymousAccount: isAnonymous)
        switchScreen.expect(of: self) { manager in
            manager.couldAskForSwitch = false
            manager.answerSwitch(false)
        }
        return await withCheckedContinuation { switchWaiter = $0 }
    }

    /// A screen of GatehouseUI shows ``switchQuestion``.
    package func switchAppeared() { switchScreen.appeared() }
}

/// Watches that a screen of GatehouseUI shows a question: a sheet of the app's own may cover them all.
@MainActor
final class QuestionScreen {
    private var timer: Task<Void, Never>?

    /// Calls `missing` if no screen shows the question within twenty seconds.
    func expect(of manager: AuthManager, _ missing: @escaping @MainActor (AuthManager) -> Void) {
        timer?.cancel()
        guard manager.questionRoots > 0 else { return }
        timer = Task { [weak manager, clock = manager.clock] in
            // Cancelled, because the question has ended or is shown.
            do { try await clock.sleep(.seconds(20)) } catch { return }
            guard let manager, !Task.isCancelled else { return }
            manager.log(
                .error, "nobody shows the account's question: add accountQuestions() to the content of the open sheet")
            missing(manager)
        }
    }

    func appeared() { timer?.cancel() }
    func ended() { timer?.cancel() }

    deinit { timer?.cancel() }
}
