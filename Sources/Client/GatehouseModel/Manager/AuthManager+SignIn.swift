import Foundation
public import Gatehouse

/// The result of a sign-in.
public enum SignInOutcome: Hashable, Sendable {
    /// The user is signed in.
    case signedIn
    /// The user must first confirm the address or telephone number.
    case checkMail
    /// The first factor is proven; ask for ``AuthManager/secondFactor``.
    case secondFactorNeeded
    /// The user cancelled.
    case cancelled
    /// Another sign-in is in progress. Nothing was sent.
    case ignored
    /// The system lacks a sheet for new accounts: call ``AuthManager/signUpWithPasskey(_:firstName:with:)``.
    case formNeeded
    /// The user chose Sign in with Apple in the sheet.
    case applePreferred
}

extension AuthManager {
    /// Records the chosen sign-in method for telemetry.
    public func select(_ method: AuthMethod) { record(.methodSelected(method)) }

    /// Signs in with a password. The profile loads afterwards.
    ///
    /// - Throws: ``AuthError/wrongCredentials`` for an unknown account or a wrong password;
    ///   ``AuthError/alreadySignedIn``, without a request; or another ``AuthError``.
    @discardableResult
    public func signInWithEmail(_ email: String, password: String) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.email) { .session(try await self.service.signIn(email: email, password: password)) }
    }

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - password: At least 8 characters and at most 1,024 bytes.
    ///   - firstName: The profile's name.
    /// - Throws: As ``signInWithEmail(_:password:)``, and ``AuthError/userExists`` or ``AuthError/weakPassword(_:)``.
    @discardableResult
    public func signUpWithEmail(
        _ email: String, password: String, firstName: String? = nil
    ) async throws(AuthError) -> SignInOutcome {
        let upgrade: @MainActor () async throws -> SessionOrUser = {
            let data: AuthJSONObject? = firstName.map { ["first_name": .string($0)] }
            let user = try await self.service.update(
                user: AuthUserAttributes(email: email, password: password, data: data))
            guard !user.isAnonymous, let old = await self.service.currentSession else { return .user(user) }
            // Ignored: the old token says "anonymous" until the next refresh.
            _ = try? await self.service.accessToken(insteadOf: old.accessToken)
            return .session(await self.service.currentSession ?? old)
        }
        return try await authenticate(.email, signingUp: email, upgradingBy: upgrade) {
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
    /// - Parameter sheet: Shows Apple's sheet, or returns its button's result. Throws ``AuthError/cancelled``,
    ///   ``AuthError/providerFailed``, or a `URLError` without a connection.
    /// - Throws: As ``signInWithEmail(_:password:)``; ``AuthError/emailInUse(_:)`` with ``linkQuestion`` if the address
    ///   belongs to an account. Cancellation is an outcome.
    @discardableResult
    public func signInWithApple(_ sheet: @MainActor () async throws -> AppleCredential) async throws(AuthError)
        -> SignInOutcome
    {
        try await authenticate(.apple) { try await self.names.credentials(from: sheet) }
    }

    /// Signs in with Google's own sheet.
    ///
    /// - Parameter sheet: As for ``signInWithApple(_:)``.
    /// - Throws: As ``signInWithApple(_:)``.
    @discardableResult
    public func signInWithGoogle(
        _ sheet: @MainActor () async throws -> IDTokenCredentials
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.google, sheet)
    }

    private func authenticate(
        _ method: AuthMethod, _ sheet: @MainActor () async throws -> IDTokenCredentials
    ) async throws(AuthError) -> SignInOutcome {
        // The sheet returns once.
        var answer: IDTokenCredentials?
        func credentials() async throws -> IDTokenCredentials {
            if let answer { return answer }
            let new = try await sheet()
            answer = new
            return new
        }
        return try await authenticate(
            method, upgradingBy: { .session(try await self.service.link(with: try await credentials())) }
        ) {
            .session(try await self.service.signIn(with: try await credentials()))
        }
    }

    /// Signs in with Google in a browser.
    ///
    /// - Parameter browser: Such as `SystemWebAuthentication` or ``AppBrowser``; the server must allow its redirect
    ///   URL.
    /// - Throws: As ``signInWithApple(_:)``.
    @discardableResult
    public func signInWithGoogle(in browser: any WebAuthenticator) async throws(AuthError) -> SignInOutcome {
        try await signIn(with: .google, in: browser)
    }

    /// Signs in with any of the server's providers in a browser.
    ///
    /// - Throws: As ``signInWithGoogle(in:)``.
    @discardableResult
    public func signIn(with provider: AuthProvider, in browser: any WebAuthenticator) async throws(AuthError)
        -> SignInOutcome
    {
        try await authenticate(
            AuthMethod(provider), upgradingBy: { .session(try await self.service.link(provider, in: browser)) }
        ) {
            .session(try await self.service.signIn(with: provider, in: browser))
        }
    }

    /// Signs in with a passkey from the system's sheet.
    ///
    /// ```swift
    /// try await account.signInWithPasskey(with: passkeys)
    /// ```
    ///
    /// - Parameter style: `immediatelyAvailable` shows a sheet only if this device has a passkey.
    /// - Returns: `.cancelled` without a passkey, or if the user closed the sheet: show nothing.
    /// - Throws: ``AuthError``, such as ``AuthError/passkeyRefused``.
    @discardableResult
    public func signInWithPasskey(
        with passkeys: any PasskeyAuthenticator, style: PasskeyRequestStyle = .sheet
    ) async throws(AuthError) -> SignInOutcome {
        try await authenticate(.passkey) {
            let assertion = try await self.service.passkeyAssertion(with: passkeys, style: style)
            return .session(try await self.service.signIn(with: assertion))
        }
    }

    /// - Returns: false for a step that is not allowed, which is recorded.
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
        recent.keep(event.line, at: clock.now())
        for sink in sinks { sink.record(event) }
    }

    /// Flushes telemetry, as when the app enters the background.
    @discardableResult
    public func flushTelemetry() -> Task<Void, Never> {
        Task { [sinks] in
            for sink in sinks { await sink.flush() }
        }
    }
}
