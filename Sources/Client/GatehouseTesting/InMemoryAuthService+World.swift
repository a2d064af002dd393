public import Foundation
public import Gatehouse
public import GatehouseModel

extension InMemoryAuthService {
    /// Creates a service whose store contains a session, as after a restart of the app.
    ///
    /// ```swift
    /// let service = InMemoryAuthService.signedIn(data: ["mood": "calm"])
    /// let manager = service.makeManager()
    /// await manager.wait { $0.isProfileLoaded }
    /// ```
    public static func signedIn(
        email: String = "ada@example.com", firstName: String? = "Ada", data: AuthJSONObject = [:],
        others: AuthJSONObject = [:]
    ) -> InMemoryAuthService {
        let service = InMemoryAuthService()
        let id = service.addAccount(email: email, firstName: firstName, data: data, others: others)
        let now = service.clock.now
        service.state.withLock { state in
            // Ignored: the account was created one line above.
            if let opened = try? state.server.open(id, at: now) { state.store(opened.session) }
        }
        return service
    }

    /// Adds an account with a password, unless the address has one.
    ///
    /// - Parameters:
    ///   - data: The profile's custom fields.
    ///   - others: Profile members from the server's configuration.
    ///   - isEmailProven: Lets a provider that verifies the address open this account. Otherwise the sign-in throws
    ///     `identity_needs_confirmation` with a question, which the password answers; the address can also be moved to
    ///     a new account.
    /// - Returns: The account's id.
    @discardableResult
    public func addAccount(
        email: String, password: String = Fixtures.password, firstName: String? = nil, data: AuthJSONObject = [:],
        others: AuthJSONObject = [:], isEmailProven: Bool = false
    ) -> UUID {
        let now = clock.now
        return state.withLock { state in
            if let known = state.server.account(email: email) { return known.user.id }
            let id = state.server.add(email: email, firstName: firstName, at: now)
            state.server.link(.email, person: id.wire, email: email, to: id, at: now)
            state.server.update(id) { account in
                account.password = password
                account.isEmailProven = isEmailProven
                account.profile?.data = data
                account.profile?.others = others
            }
            return id
        }
    }

    /// Adds an account with a provider identity.
    ///
    /// - Parameter firstName: The name in metadata and profile.
    /// - Returns: The account's id.
    @discardableResult
    public func addAccount(of person: ProviderPerson, at provider: AuthProvider, firstName: String? = nil) -> UUID {
        let now = clock.now
        return state.withLock { state in
            let id = state.server.add(email: person.email, firstName: firstName, at: now)
            state.server.link(
                provider, person: person.id, email: person.email, isVerified: person.isEmailVerified, to: id, at: now)
            state.server.update(id) { $0.isEmailProven = person.isEmailVerified }
            return id
        }
    }
}

extension InMemoryAuthService {
    /// Simulates that the user confirmed a sign-up's address on another device, which proves it.
    ///
    /// Sets aside competing sign-ups' passwords. Does nothing without an account.
    public func confirmEmail(of email: String) {
        let now = clock.now
        state.withLock { state in
            guard let id = state.server.account(email: email)?.user.id else { return }
            let competing = state.server.codes.last { $0.owner == id && $0.slot == .confirmation }?.competing
            state.server.proving.prove(id, by: .confirmation, competing, Prover(), at: now)
        }
    }

    /// Simulates that the user opened a password reset link on this device: signs in, and requires a new password.
    ///
    /// An address's first proof sets its password aside and revokes its other sessions. Does nothing without an
    /// account.
    public func openRecoveryMail(of email: String) {
        guard account(email: email) != nil else { return }
        let mail = Mail(kind: .recovery, email: email.lowercased())
        state.withLock { $0.keepFlow(of: mail) }
        // Ignored: a fault of this call changes nothing.
        tell { _ = try? await $0.exchangeCodeForSession(authCode: mail.code) }
    }

    /// Simulates that another part of the app changed the account.
    ///
    /// - Parameter change: Changes the current session's user. Not called if signed out.
    public func changeUser(_ change: @Sendable (inout AuthUser) -> Void) {
        let changed = state.withLock { state -> AuthUser? in
            guard var user = state.account?.user else { return nil }
            change(&user)
            state.server.update(user.id) { [user] in $0.user = user }
            return user
        }
        if let changed { tell { await $0.replace(changed, then: .userUpdated) } }
    }

    /// Simulates a profile change on another device or by an administrator. The app is not notified.
    ///
    /// - Parameter change: Not called without an account and profile.
    public func changeProfile(of email: String, _ change: @Sendable (inout ProfileSummary) -> Void) {
        update(email) { account in
            if var profile = account.profile {
                change(&profile)
                account.profile = profile
            }
        }
    }

    /// Ends the current session, for example with `.endedByServer(.sessionExpired)` or `.signedOutElsewhere`.
    public func endSession(_ reason: SignedOutReason) {
        state.withLock { state in
            if let session = state.device.session { state.server.sessions[session] = nil }
        }
        tell { await $0.end(because: reason) }
    }

    /// Simulates the account's deletion by an administrator. Sessions notice when they need a new token.
    public func removeAccount(email: String) {
        state.withLock { state in
            if let account = state.server.account(email: email) { state.server.remove(account.user.id) }
        }
    }

    private func update(_ email: String, _ change: @Sendable (inout InMemoryServer.Account) -> Void) {
        state.withLock { state in
            if let account = state.server.account(email: email) { state.server.update(account.user.id, change) }
        }
    }
}

extension InMemoryAuthService {
    /// Creates the manager of an app that starts now, with an empty store for Apple's names.
    @MainActor
    public func makeManager(
        storage: any SecureStorage = MemoryStorage(), telemetry: [any TelemetrySink] = [],
        appleCredentials: AppleConsent = .unavailable
    ) -> AuthManager {
        AuthManager(
            service: service, storage: storage, clock: clock.clock, telemetry: telemetry,
            appleCredentials: appleCredentials)
    }
}

extension AuthManager {
    /// Waits for a condition, such as `{ $0.phase == .unauthenticated }` after a start, or until cancelled.
    public func wait(until condition: @MainActor (AuthManager) -> Bool) async {
        while !condition(self), !Task.isCancelled { await Task.yield() }
    }
}
