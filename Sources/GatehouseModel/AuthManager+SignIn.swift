public import Foundation
public import Gatehouse

/// What came of a sign-in that did not fail.
public enum SignInOutcome: Hashable, Sendable {
    case signedIn
    /// The account waits for its mail; nobody is signed in.
    case checkMail
    /// The person changed their mind.
    case cancelled
    /// Somebody is signed in already, or another sign-in is under way. Nothing was sent.
    case ignored
}

// Errors are as the service threw them, or ``SignInFailure``; ``SignInMessage`` has the text for each.
extension AuthManager {
    /// The person chose a way to sign in. For telemetry.
    public func select(_ method: AuthMethod) { record(.methodSelected(method)) }

    /// Signs in with a password.
    @discardableResult
    public func signInWithEmail(_ email: String, password: String) async throws -> SignInOutcome {
        try await authenticate(.email) { .session(try await self.service.signIn(email: email, password: password)) }
    }

    /// Makes an account.
    @discardableResult
    public func signUpWithEmail(
        _ email: String, password: String, firstName: String? = nil
    ) async throws -> SignInOutcome {
        try await authenticate(.email) {
            try await self.service.signUp(email: email, password: password, firstName: firstName)
        }
    }

    /// Signs in with Apple. A name that Apple gave is kept until the profile has one.
    ///
    /// - Parameter sheet: Shows Apple's sheet, or gives what its button's callback got. It throws
    ///   ``SignInFailure/cancelled``, ``SignInFailure/providerFailed``, or a `URLError` without a connection.
    @discardableResult
    public func signInWithApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws -> SignInOutcome {
        try await authenticate(.apple) {
            .session(try await self.service.signIn(with: try await self.credentials(from: sheet)))
        }
    }

    /// What the sheet gave. A name is written down before the server is asked for anything, and one that was written
    /// down before goes along again (pitfall 6).
    func credentials(
        from sheet: @MainActor () async throws -> AppleCredential
    ) async throws -> OpenIDConnectCredentials {
        let credential = try await sheet()
        try await names.keep(credential)
        var credentials = credential.credentials
        if credentials.name == nil { credentials.name = try await names.read()[credential.person] }
        return credentials
    }

    /// Signs in with what Google's own sheet gave.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    @discardableResult
    public func signInWithGoogle(
        _ sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws -> SignInOutcome {
        try await authenticate(.google) { .session(try await self.service.signIn(with: try await sheet())) }
    }

    /// Signs in with Google in a browser.
    ///
    /// - Parameters:
    ///   - redirectTo: Registered at the server; the browser has to come back to it.
    ///   - browser: Opens the address and gives the one that it came back with. It throws
    ///     ``SignInFailure/cancelled``, or ``SignInFailure/invalidCallback`` after its time limit.
    @discardableResult
    public func signInWithGoogle(
        redirectTo: URL, browser: @escaping @MainActor (URL) async throws -> URL
    ) async throws -> SignInOutcome {
        try await signInWithGoogle(in: AppsOwnBrowser(redirectTo: redirectTo, open: browser))
    }

    /// Signs in with Google in a browser that knows its own redirect address, such as `SystemWebAuthentication`.
    ///
    /// - Parameter browser: Its redirect address is registered at the server.
    @discardableResult
    public func signInWithGoogle(in browser: any WebAuthenticationSession) async throws -> SignInOutcome {
        try await authenticate(.google) { .session(try await self.service.signIn(with: .google, in: browser)) }
    }

    /// Goes through the phases of one sign-in. A question that comes of it is in ``linkQuestion``.
    func authenticate(
        _ method: AuthMethod, _ work: @MainActor () async throws -> AuthResponse
    ) async throws -> SignInOutcome {
        guard step(.begin(method)) else { return .ignored }
        epoch += 1
        let (mine, startedAt) = (epoch, uptime())
        error = nil
        linkHasExpired = false
        record(.started(method))
        do {
            guard let session = try await work().session else {
                if epoch == mine { await fail() }
                return .checkMail
            }
            try await arrive(session, mine)
            record(.completed(method, duration: uptime() - startedAt))
            return .signedIn
        } catch {
            if epoch == mine {
                if let question = (error as? AuthClientError)?.linkQuestion { linkQuestion = question }
                await fail()
            }
            let problem = SignInProblem(error)
            guard problem != .cancelled else {
                record(.cancelled(method))
                return .cancelled
            }
            record(.failed(method, problem))
            throw error
        }
    }

    private func fail() async {
        step(.fail)
        await catchUp()
    }

    /// Shows the new session with its profile. Without a connection for the profile the person is signed in all the
    /// same; without a profile nobody is.
    private func arrive(_ session: Session, _ mine: Int) async throws {
        let profile: Result<SignedInAccount, any Error>
        do { profile = .success(try await service.fetchMe()) } catch { profile = .failure(error) }
        guard epoch == mine else { throw SignInFailure.cancelled }
        shownRefreshToken = session.refreshToken
        switch profile {
        case .success(let me):
            guard me.profile != nil else {
                await endSession()
                throw SignInFailure.profileNotCreated
            }
            show(session.user, me)
            startSendingKeptName(of: session.user, mine)
        case .failure(let failure):
            if AuthError.endsSession(failure) {
                await endSession()
                throw failure
            }
            show(session.user)
            error = failure is CancellationError ? nil : AuthError(failure)
        }
    }
}

/// A browser of the app's own.
struct AppsOwnBrowser: WebAuthenticationSession {
    let redirectTo: URL
    let open: @MainActor @Sendable (URL) async throws -> URL

    func authenticate(_ address: @Sendable (_ redirectTo: URL) async throws -> URL) async throws -> URL {
        let back = try await open(try await address(redirectTo))
        guard back.isAnswer(to: redirectTo) else { throw SignInFailure.invalidCallback }
        return back
    }
}
