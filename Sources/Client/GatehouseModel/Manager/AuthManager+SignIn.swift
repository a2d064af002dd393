import Foundation
public import Gatehouse

/// The result of a sign-in without a failure.
public enum SignInOutcome: Hashable, Sendable {
    /// There is a session.
    case signedIn
    /// The user must open a confirmation mail; not signed in.
    case checkMail
    /// The first factor is proven, and the account has a second one: ask for ``AuthManager/secondFactor``.
    case secondFactorNeeded
    /// The user cancelled.
    case cancelled
    /// A user is already signed in, or another sign-in is in progress. Nothing was sent.
    case ignored
}

extension AuthManager {
    /// Records the chosen sign-in method for telemetry.
    public func select(_ method: AuthMethod) { record(.methodSelected(method)) }

    /// Signs in with a password.
    ///
    /// Returns as soon as there is a session; the profile loads afterwards.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/wrongCredentials`` for both an unknown account and a wrong password.
    ///   ``SignInMessage`` has a text for each.
    @discardableResult
    public func signInWithEmail(_ email: String, password: String) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.email) { .session(try await self.service.signIn(email: email, password: password)) }
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 1,024 bytes.
    ///   - firstName: The name for the profile.
    /// - Throws: As ``signInWithEmail(_:password:)``, also ``AuthError/userExists`` or ``AuthError/weakPassword(_:)``.
    @discardableResult
    public func signUpWithEmail(
        _ email: String, password: String, firstName: String? = nil
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.email, signingUp: email) {
            try await self.service.signUp(email: email, password: password, firstName: firstName)
        }
    }

    /// Signs in with Apple. Stores a name from Apple until the profile has one.
    ///
    /// ```swift
    /// let outcome = try await manager.signInWithApple {
    ///     AppleCredential(idToken: idToken, nonce: nonce.raw, person: credential.user, firstName: givenName)
    /// }
    /// ```
    ///
    /// - Parameter sheet: Shows Apple's sheet, or returns what its button's callback received. Throws
    ///   ``AuthError/cancelled``, ``AuthError/providerFailed``, or a `URLError` without a connection.
    /// - Throws: As ``signInWithEmail(_:password:)``. Sets ``linkQuestion`` if the address already belongs to an
    ///   account; the error is then ``AuthError/emailInUse(_:)``. Cancellation is an outcome, not an error.
    @discardableResult
    public func signInWithApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws(AuthError)
        -> SignInOutcome
    {
        try await authenticate(.apple) {
            .session(try await self.service.signIn(with: try await self.names.credentials(from: sheet)))
        }
    }

    /// Signs in with the result of Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``signInWithApple(_:)``.
    @discardableResult
    public func signInWithGoogle(
        _ sheet: @MainActor () async throws -> OpenIDConnectCredentials
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.google) { .session(try await self.service.signIn(with: try await sheet())) }
    }

    /// Signs in with Google in a browser that has its own redirect URL, such as `SystemWebAuthentication`.
    ///
    /// - Parameter browser: A browser with a redirect URL that the server allows; ``AppBrowser`` opens one of the app's own.
    /// - Throws: As ``signInWithApple(_:)``.
    @discardableResult
    public func signInWithGoogle(in browser: any WebAuthenticator) async throws(AuthError) -> SignInOutcome {
        try await signIn(with: .google, in: browser)
    }

    /// Signs in with any provider of the server, in a browser that has its own redirect URL.
    ///
    /// - Throws: As ``signInWithGoogle(in:)``.
    @discardableResult
    public func signIn(with provider: Provider, in browser: any WebAuthenticator) async throws(AuthError)
        -> SignInOutcome
    {
        try await authenticate(AuthMethod(provider)) {
            .session(try await self.service.signIn(with: provider, in: browser))
        }
    }

    /// Signs in with a passkey that the user chooses in the system's sheet.
    ///
    /// ```swift
    /// try await account.signInWithPasskey(with: passkeys)
    /// ```
    ///
    /// - Parameter style: `immediatelyAvailable` shows a sheet only if this device has a passkey.
    /// - Returns: `.cancelled` if the user closed the sheet, or there is no passkey: show nothing.
    /// - Throws: ``AuthError``, such as ``AuthError/passkeyRefused``. ``SignInMessage`` has a text for each.
    @discardableResult
    public func signInWithPasskey(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.passkey) {
            let assertion = try await self.service.passkeyAssertion(with: passkeys, style: style)
            return .session(try await self.service.signIn(with: assertion))
        }
    }

    /// Runs the phases of one sign-in. Sets ``linkQuestion`` if it results in a question.
    func authenticate(
        _ method: AuthMethod, signingUp address: String? = nil, _ work: @MainActor () async throws -> AuthResponse
    ) async throws(AuthError) -> SignInOutcome {
        guard step(.begin(method)) else { return .ignored }
        epoch += 1
        let (mine, startedAt) = (epoch, clock.uptime())
        error = nil
        (linkHasExpired, pendingLink) = (false, nil)
        record(.started(method))
        do {
            guard let session = try await work().session else {
                if epoch == mine {
                    unconfirmedAddress = address
                    await fail()
                }
                return .checkMail
            }
            guard epoch == mine else { throw AuthError.cancelled }
            opening = Opening(method: method, startedAt: startedAt)
            guard enter(session) else { return .secondFactorNeeded }
            let isConfirmed = isConfirmed(session.user)
            isNewUser = address != nil || isConfirmed || method.mayCreateAccount && session.user.isNew
            loadProfile()
            return .signedIn
        } catch {
            // A sign-out or another sign-in took precedence.
            let failure = epoch == mine ? AuthError(error) : .cancelled
            if epoch == mine {
                if case .emailInUse(let question?) = failure { linkQuestion = question }
                await fail()
            }
            guard failure != .cancelled else {
                record(.cancelled(method))
                return .cancelled
            }
            record(.failed(method, failure.code))
            throw failure
        }
    }

    /// Whether a session is the first one of the account whose sign-up waited for a mail. Asked once.
    func isConfirmed(_ user: User) -> Bool {
        defer { unconfirmedAddress = nil }
        return unconfirmedAddress != nil && unconfirmedAddress?.lowercased() == user.email?.lowercased()
    }

    private func fail() async {
        step(.fail)
        await catchUp()
    }

    /// - Returns: Whether the phase allows the step. An unexpected step is recorded and changes nothing.
    @discardableResult
    func step(_ step: AuthStep) -> Bool {
        guard let next = phase.after(step) else {
            record(.stepIgnored)
            return false
        }
        if phase != next { phase = next }
        return true
    }

    func record(_ event: TelemetryEvent) {
        for sink in sinks { sink.record(event) }
    }

    /// Lets the receivers of telemetry send what waits. The screens' `gatehouse(_:branding:)` calls it when the app goes to
    /// the background.
    @discardableResult
    public func flushTelemetry() -> Task<Void, Never> {
        Task { [sinks] in
            for sink in sinks { await sink.flush() }
        }
    }
}

extension User {
    /// Whether the last sign-in, by a provider, created the account: both times are then less than five seconds apart. The
    /// protocol has no more exact sign.
    fileprivate var isNew: Bool {
        guard let last = times.lastSignInAt else { return false }
        return abs(last.timeIntervalSince(createdAt)) < 5
    }
}

extension AuthMethod {
    /// Whether a sign-in may create the account. A password or a passkey of an account was there before.
    fileprivate var mayCreateAccount: Bool { self != .email && self != .passkey }
}
