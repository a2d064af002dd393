import Foundation
public import Gatehouse

extension AuthManager {
    /// Loads the profile again, as after a pull to refresh. The answer lands in ``user``, a failure in ``error``.
    public func reloadProfile() {
        if isLoggedIn { loadProfile() }
    }

    /// Changes only what is given; the server's answer replaces ``user``. Sends nothing when nothing is given.
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters; nil clears it.
    ///   - favoriteTeams: All of them, at most 30; nil keeps them, an empty list clears.
    /// - Throws: ``AuthError``, and ``error`` is the same; nothing was changed here then.
    public func updateProfile(
        firstName: FieldChange = .keep, favoriteTeams: [String]? = nil
    ) async throws(AuthError) {
        guard firstName != .keep || favoriteTeams != nil else { return }
        let mine = epoch
        let me = try await call {
            try await self.service.updateProfile(firstName: firstName, favoriteTeams: favoriteTeams)
        }
        landChange(me, mine)
    }

    /// Deletes the account at the server, then signs out here.
    ///
    /// - Throws: ``AuthError``, and ``error`` is the same; the person is still signed in then.
    public func deleteAccount() async throws(AuthError) {
        let mine = epoch
        try await call { try await self.service.deleteAccount() }
        // Whoever signed in meanwhile has deleted nothing.
        if epoch == mine { await signOut() }
    }

    /// Makes a call for the person who is signed in; its failure is in ``error``, too.
    func call<Value: Sendable>(
        _ work: @MainActor () async throws -> Value
    ) async throws(AuthError) -> Value {
        let mine = epoch
        callCount += 1
        defer { callCount -= 1 }
        do {
            guard isLoggedIn else { throw AuthError.notAuthenticated }
            error = nil
            return try await work()
        } catch {
            let failure = AuthError(error)
            if epoch == mine { self.error = failure }
            throw failure
        }
    }

    /// A load under way may have been answered before the change was made: it begins anew.
    private func landChange(_ me: SignedInAccount, _ mine: Int) {
        if epoch == mine, isLoadingProfile { loadProfile() }
        land(me, mine)
    }

    private func land(_ me: SignedInAccount, _ mine: Int) {
        guard epoch == mine, let user, user.id == me.id else { return }
        let shown = user.with(me)
        if shown != user { self.user = shown }
        isProfileLoaded = true
    }
}

// Loading.
extension AuthManager {
    /// Starts to load; an earlier load can no longer land. The task does not keep the manager alive.
    func loadProfile() {
        loading?.cancel()
        loadCount += 1
        isLoadingProfile = true
        let (load, mine) = (loadCount, epoch)
        loading = Task { [weak self, service] in
            let profile: Result<SignedInAccount, any Error>
            do { profile = .success(try await service.fetchMe()) } catch { profile = .failure(error) }
            await self?.loaded(profile, load, mine)
        }
    }

    private func loaded(_ profile: Result<SignedInAccount, any Error>, _ load: Int, _ mine: Int) async {
        let account = await service.currentSession?.user
        guard load == loadCount, mine == epoch else { return }
        isLoadingProfile = false
        switch profile {
        case .success(let me):
            if let account, account.id == user?.id { user?.email = account.email }
            land(me, mine)
            error = nil
            if let account { startSendingKeptName(of: account, mine) }
        case .failure(let failure):
            await refused(failure)
        }
    }

    private func refused(_ failure: any Error) async {
        guard AuthError.endsSession(failure) else {
            error = AuthError(failure)
            return
        }
        switch failure {
        // The auth server said so already, and its event is on its way, too. Which is heard first is chance, so both
        // show the same: why the person was signed out, and no error beside it.
        case AuthClientError.signedOut(let reason), GatewayError.notAuthenticated(.signedOut(let reason)):
            leave(reason)
            if case .endedByServer = reason { return }
        // The gateway's word, after a refresh, that the token opens nothing.
        default:
            leave(.endedByServer((failure as? AuthClientError)?.code ?? .noAuthorization))
            await endSession()
        }
        error = .notAuthenticated
    }

    /// The manager's own task: whoever signed in does not wait for it, and a screen that goes away does not end it. An
    /// earlier one is waited for, so that no name is sent twice. It does not keep the manager alive.
    func startSendingKeptName(of account: User, _ mine: Int) {
        naming = Task { [weak self, earlier = naming] in
            await earlier?.value
            await self?.sendKeptName(of: account, mine)
        }
    }

    /// Gives the server a name that Apple gave, wherever it has none: in the profile, and in the account's metadata,
    /// which a server that does not read the name of a sign-in leaves without. A failure leaves it for the next time.
    private func sendKeptName(of account: User, _ mine: Int) async {
        do {
            let kept = try await names.read()
            let people = (account.identities ?? []).filter { $0.provider == AuthMethod.apple.rawValue }.map(\.id)
            for person in people {
                guard let name = kept[person], epoch == mine, let user, user.id == account.id else { continue }
                if user.firstName == nil, let given = name.given {
                    landChange(try await service.updateProfile(firstName: .set(given), favoriteTeams: nil), mine)
                }
                // Somebody else may be signed in by now.
                guard epoch == mine else { return }
                if !account.hasName { try await service.updateMetadata(name.metadata) }
                try await names.forget(person)
            }
        } catch {
            // The name is still in the store: the next load of the profile sends it.
            record(.failed(.apple, SignInProblem(error)))
        }
    }
}

extension User {
    /// Whether the metadata has a name, by whichever of the names that servers use for it.
    fileprivate var hasName: Bool {
        ["full_name", "name", "first_name"].contains { key in
            userMetadata[key]?.stringValue?.contains { !$0.isWhitespace } == true
        }
    }
}

extension AppleName {
    /// As sign-ups and other providers leave a name in the metadata.
    fileprivate var metadata: JSONObject {
        var data: JSONObject = ["full_name": .string(full)]
        data["first_name"] = given.map(AnyJSON.string)
        return data
    }
}
