public import Foundation
public import Gatehouse

// What a person answers to ``linkQuestion``. Each answer is a sign-in with its phases and its telemetry, and `.ignored`
// without a question. A failure leaves the question, unless the server does not know it any more. Whoever was a guest
// before is one after a failure: it is both, signed in and linked, or nothing.
extension AuthManager {
    /// The account is theirs, and this is its password.
    @discardableResult
    public func confirmLink(password: String) async throws -> SignInOutcome {
        try await answer(.email, existing: .email) { question in
            try await self.service.confirmLink(question.ticket, email: question.email, password: password)
        }
    }

    /// The account is theirs: they sign in to it with Apple.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    @discardableResult
    public func confirmLink(
        throughApple sheet: @MainActor () async throws -> AppleCredential
    ) async throws -> SignInOutcome {
        try await confirmLink(through: .apple) {
            try await self.service.signIn(with: try await self.credentials(from: sheet))
        }
    }

    /// The account is theirs: they sign in to it with Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    @discardableResult
    public func confirmLink(
        throughGoogle sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws -> SignInOutcome {
        try await confirmLink(through: .google) { try await self.service.signIn(with: try await sheet()) }
    }

    /// The account is theirs: they sign in to it with Google, in a browser.
    @discardableResult
    public func confirmLink(throughGoogleIn browser: any WebAuthenticationSession) async throws -> SignInOutcome {
        try await confirmLink(through: .google) { try await self.service.signIn(with: .google, in: browser) }
    }

    /// The account is theirs: they sign in to it with Google, in a browser of the app's own.
    ///
    /// - Parameters: As for ``signInWithGoogle(redirectTo:browser:)``.
    @discardableResult
    public func confirmLink(
        throughGoogleTo redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL
    ) async throws -> SignInOutcome {
        try await confirmLink(throughGoogleIn: AppsOwnBrowser(redirectTo: redirectTo, open: browser))
    }

    /// The account is nobody's they know, and the address is theirs: they take it, with a new account. Only where
    /// ``LinkQuestion/canRecover`` says so; what belonged to the account is gone then.
    @discardableResult
    public func recoverAccount() async throws -> SignInOutcome {
        let method = linkQuestion.flatMap { AuthMethod(rawValue: $0.provider) } ?? .email
        return try await answer(method) { try await self.service.recoverAccount(with: $0.ticket) }
    }

    /// The person wants neither.
    public func dismissLinkQuestion() { linkQuestion = nil }

    private func confirmLink(
        through method: AuthMethod, _ signIn: @MainActor () async throws -> Session
    ) async throws -> SignInOutcome {
        try await answer(method, existing: method) { question in
            let mine = self.epoch
            _ = try await signIn()
            do {
                return try await self.service.confirmLink(question.ticket)
            } catch {
                // The way in was good and the link was not: the person chose both. Whoever came meanwhile stays.
                if self.epoch == mine { await self.endSession() }
                throw error
            }
        }
    }

    /// - Parameter existing: How the account could be entered before; nil when nothing is linked.
    private func answer(
        _ method: AuthMethod, existing: AuthMethod? = nil,
        _ work: @MainActor (LinkQuestion) async throws -> Session
    ) async throws -> SignInOutcome {
        guard let question = linkQuestion else { return .ignored }
        do {
            let outcome = try await authenticate(method) { .session(try await work(question)) }
            if outcome == .signedIn, let existing, let new = AuthMethod(rawValue: question.provider) {
                record(.linked(existing: existing, new: new))
            }
            return outcome
        } catch {
            let isOver = SignInProblem(error) == .linkExpired
            if isOver, linkQuestion == question { (linkQuestion, linkHasExpired) = (nil, true) }
            throw error
        }
    }
}
