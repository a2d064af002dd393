public import Gatehouse

/// Asks whether another account replaces the signed-in one.
public struct SwitchQuestion: Hashable, Sendable {
    /// The emailed link's user; nil for an anonymous user's sign-in to an existing account.
    public var user: AuthenticatedUser?
    /// Whether an anonymous account would be lost.
    public var leavesAnonymousAccount: Bool

    /// For tests and previews.
    public init(user: AuthenticatedUser?, leavesAnonymousAccount: Bool) {
        self.user = user
        self.leavesAnonymousAccount = leavesAnonymousAccount
    }
}

extension AuthManager {
    /// Signs in to another account and ends the current session, or with ``allowsSeveralAccounts`` keeps it in
    /// ``accounts``.
    ///
    /// Until the sign-in succeeds, the previous user stays.
    ///
    /// ```swift
    /// try await account.switchAccount { account throws(AuthError) in
    ///     try await account.signInWithEmail(email, password: password)
    /// }
    /// ```
    ///
    /// - Parameter signIn: A sign-in with this manager.
    /// - Throws: As the sign-in; ``AuthError/tooMany`` at this device's maximum. Abandoning the second factor signs
    ///   out, or returns to a kept account.
    @discardableResult
    public func switchAccount(
        _ signIn: @MainActor (AuthManager) async throws(AuthError) -> SignInOutcome
    ) async throws(AuthError) -> SignInOutcome {
        isSwitching = true
        defer { isSwitching = false }
        return try await signIn(self)
    }

    /// Whether the account has no sign-in method; see ``signInAnonymously()``.
    public var isAnonymous: Bool { user?.isAnonymous == true }

    /// Creates an account without a sign-in method, which is lost without its session.
    ///
    /// A sign-up, or a provider sign-in without an account, adds a method; id and data stay. A sign-in to an existing
    /// account abandons this one, after ``switchQuestion``.
    ///
    /// - Throws: ``AuthError/notOffered`` if the server has no anonymous users; ``AuthError/alreadySignedIn``.
    @discardableResult
    public func signInAnonymously() async throws(AuthError) -> SignInOutcome {
        if isAnonymous { throw .alreadySignedIn }
        return try await authenticate(.anonymous) { .session(try await self.service.signInAnonymously()) }
    }

    /// Answers ``switchQuestion``; true replaces the signed-in account.
    public func answerSwitch(_ switches: Bool) {
        switchScreen.ended()
        let waiter = switchWaiter
        (switchQuestion, switchWaiter) = (nil, nil)
        waiter?.resume(returning: switches)
    }

    /// - Returns: false also if no screen can ask.
    func wantsSwitch(to other: AuthUser?) async -> Bool {
        // For example, before the second factor.
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

    package func switchAppeared() { switchScreen.appeared() }
}

/// Detects that no screen shows a question.
@MainActor
final class QuestionScreen {
    private var timer: Task<Void, Never>?

    /// Calls `missing` after twenty seconds.
    func expect(of manager: AuthManager, _ missing: @escaping @MainActor (AuthManager) -> Void) {
        timer?.cancel()
        guard manager.questionRoots > 0 else { return }
        timer = Task { [weak manager, clock = manager.clock] in
            // Cancelled: the question has ended or is shown.
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
