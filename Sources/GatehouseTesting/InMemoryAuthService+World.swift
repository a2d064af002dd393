public import Foundation
public import Gatehouse
public import GatehouseModel

// What was there before.
extension InMemoryAuthService {
    /// A service whose store holds a session: somebody who was signed in when the app was last closed.
    public static func signedIn(
        email: String = "ada@example.com", firstName: String? = "Ada", favoriteTeams: [String] = []
    ) -> InMemoryAuthService {
        let service = InMemoryAuthService()
        let id = service.addAccount(email: email, firstName: firstName, favoriteTeams: favoriteTeams)
        let (now, uptime) = (service.clock.now, service.clock.uptime)
        service.state.withLock { state in
            // What is lost: nothing, the account was made one line above.
            guard let opened = try? state.server.open(id, at: now) else { return }
            _ = state.device.keep(opened, at: uptime)
        }
        return service
    }

    /// Somebody who signed up before. An address that has an account already keeps it as it was.
    ///
    /// - Parameter isEmailProven: Whether a provider that proves the same address opens this account, too. Otherwise
    ///   it asks, with `identity_needs_confirmation` and a question: the password confirms, and the address can be
    ///   recovered.
    /// - Returns: The account's identifier.
    @discardableResult
    public func addAccount(
        email: String, password: String = Fixtures.password, firstName: String? = nil, favoriteTeams: [String] = [],
        isEmailProven: Bool = false
    ) -> UUID {
        let now = clock.now
        return state.withLock { state in
            if let known = state.server.account(email: email) { return known.user.id }
            let id = state.server.add(email: email, firstName: firstName, at: now)
            state.server.link(.email, person: id.wire, email: email, to: id, at: now)
            state.server.update(id) { account in
                account.password = password
                account.isEmailProven = isEmailProven
                account.profile?.favoriteTeams = favoriteTeams
            }
            return id
        }
    }

    /// Somebody who signed in with a provider before.
    ///
    /// - Returns: The account's identifier.
    @discardableResult
    public func addAccount(of person: ProviderPerson, at provider: Provider, firstName: String? = nil) -> UUID {
        let now = clock.now
        return state.withLock { state in
            let id = state.server.add(email: person.email, firstName: firstName, at: now)
            state.server.link(provider, person: person.id, email: person.email, to: id, at: now)
            state.server.update(id) { $0.isEmailProven = person.isEmailVerified }
            return id
        }
    }
}

// What others do.
extension InMemoryAuthService {
    /// The person opened the mail of the sign-up: the address is confirmed, and proven.
    public func confirmEmail(of email: String) {
        update(email) { ($0.isConfirmed, $0.isEmailProven) = (true, true) }
    }

    /// The person opened the mail for a new password: signed in here, and asked for one.
    public func openRecoveryMail(of email: String) {
        let (now, uptime) = (clock.now, clock.uptime)
        update(email) { ($0.isConfirmed, $0.isEmailProven) = (true, true) }
        state.withLock { state in
            state.restore()
            guard let id = state.server.account(email: email)?.user.id,
                // What is lost: nothing, the account is there.
                let opened = try? state.server.open(id, at: now)
            else { return }
            // What is lost: nothing, no wish comes between.
            _ = try? state.device.adopt(opened, begun: state.device.wishes, at: uptime, then: .passwordRecovery)
        }
    }

    /// Another part of the app changed the account, such as its metadata.
    public func changeUser(_ change: @Sendable (inout User) -> Void) {
        state.withLock { state in
            guard var user = state.device.kept?.session.user else { return }
            change(&user)
            state.server.update(user.id) { $0.user = user }
            state.device.replace(user)
            state.device.happened(.userUpdated)
        }
    }

    /// Another device, or an administrator, changed the profile; nobody here hears of it.
    public func changeProfile(of email: String, _ change: @Sendable (inout ProfileSummary) -> Void) {
        update(email) { account in
            if var profile = account.profile {
                change(&profile)
                account.profile = profile
            }
        }
    }

    /// The session here ends now, such as by `.endedByServer(.sessionExpired)` or `.signedOutElsewhere`.
    public func endSession(_ reason: SignedOutReason) {
        state.withLock { state in
            state.restore()
            if let kept = state.device.kept { state.server.sessions[kept.id] = nil }
            state.device.end(reason)
        }
    }

    /// An administrator deleted the account. Its sessions hear of it when they need another token.
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
    /// The manager of an app that starts now, with a store of its own for names that Apple gave.
    @MainActor
    public func makeManager(
        storage: any SecureStorage = MemoryStorage(), telemetry: [any TelemetrySink] = [],
        appleCredentials: AppleCredentials = .unavailable
    ) -> AuthManager {
        AuthManager(
            service: self, storage: storage, clock: clock.clock, telemetry: telemetry,
            appleCredentials: appleCredentials)
    }
}

extension AuthManager {
    /// Waits for what the manager has to hear first, such as `{ $0.phase == .unauthenticated }` after a start. Ends
    /// early when the task is cancelled, as by a test's time limit.
    public func wait(until condition: @MainActor (AuthManager) -> Bool) async {
        while !condition(self), !Task.isCancelled { await Task.yield() }
    }
}
