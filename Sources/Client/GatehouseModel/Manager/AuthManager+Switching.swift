public import Gatehouse

/// Another account is about to replace the signed-in one. See ``AuthManager/switchQuestion``.
public struct SwitchQuestion: Hashable, Sendable {
    /// The user of a mail's link; nil if an anonymous user signs in to an account that exists.
    public var user: AuthenticatedUser?
    /// Whether an anonymous account is left, which nobody can open again.
    public var leavesAnonymousAccount: Bool

    /// For tests and previews.
    public init(user: AuthenticatedUser?, leavesAnonymousAccount: Bool) {
        self.user = user
        self.leavesAnonymousAccount = leavesAnonymousAccount
    }
}

extension AuthManager {
    /// Signs in to another account in place of the signed-in one, whose session then ends here and at the server. Until the
    /// sign-in has succeeded, and after it has failed, the previous user stays.
    ///
    /// ```swift
    /// try await account.switchAccount { account throws(AuthError) in
    ///     try await account.signInWithEmail(email, password: password)
    /// }
    /// ```
    ///
    /// - Parameter signIn: A sign-in with this manager.
    /// - Throws: As the sign-in. A second factor that the user does not prove signs out.
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
    /// is lost, nobody can open it again.
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
        questionTimer?.cancel()
        let waiter = switchWaiter
        (switchQuestion, switchWaiter) = (nil, nil)
        waiter?.resume(returning: switches)
    }

    /// Asks the signed-in user.
    func wantsSwitch(to other: User?) async -> Bool {
        guard answersProofQuestions else { return false }
        // Of two links at once, the newer one is asked about.
        answerSwitch(false)
        isQuestionShown = false
        let question = SwitchQuestion(user: other.map { AuthenticatedUser($0) }, leavesAnonymousAccount: isAnonymous)
        switchQuestion = question
        expectScreen {
            $0.switchQuestion == question
        } otherwise: {
            $0.answerSwitch(false)
        }
        return await withCheckedContinuation { switchWaiter = $0 }
    }

    /// A screen of GatehouseUI shows ``proofQuestion`` or ``switchQuestion``.
    package func questionAppeared() {
        isQuestionShown = true
        questionTimer?.cancel()
    }

    /// Ends a question that no screen of GatehouseUI shows within twenty seconds: a sheet of the app's own covers them.
    func expectScreen(
        while isAsked: @escaping @MainActor (AuthManager) -> Bool,
        otherwise end: @escaping @MainActor (AuthManager) -> Void
    ) {
        guard questionRoots > 0 else { return }
        questionTimer?.cancel()
        questionTimer = Task { [weak self, clock] in
            // Cancelled, because the question has ended or is shown.
            do { try await clock.sleep(.seconds(20)) } catch { return }
            guard let self, isAsked(self), !isQuestionShown else { return }
            log(.error, "nobody shows the account's question: add accountQuestions() to the content of the open sheet")
            end(self)
        }
    }
}
