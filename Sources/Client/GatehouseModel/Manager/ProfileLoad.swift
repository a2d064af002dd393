import Gatehouse

extension AuthManager {
    var profileLoad: ProfileLoad { ProfileLoad(manager: self) }

    func loadProfile() { profileLoad.start() }
}

/// Also sends a missing name from Apple.
@MainActor
struct ProfileLoad {
    let manager: AuthManager

    /// Supersedes an earlier load. Does not retain the manager.
    func start() {
        manager.loading?.cancel()
        manager.loadCount += 1
        manager.isLoadingProfile = true
        let (load, mine) = (manager.loadCount, manager.epoch)
        manager.loading = Task { [weak manager, service = manager.service] in
            let profile: Result<SignedInAccount, any Error>
            do { profile = .success(try await service.fetchMe()) } catch { profile = .failure(error) }
            await manager?.profileLoad.loaded(profile, load, mine)
        }
    }

    private func loaded(_ profile: Result<SignedInAccount, any Error>, _ load: Int, _ mine: Int) async {
        let account = await manager.service.currentSession?.user
        guard load == manager.loadCount, mine == manager.epoch else { return }
        manager.isLoadingProfile = false
        switch profile {
        case .success(let me):
            if let account, account.id == manager.user?.id { manager.user?.email = account.email }
            land(me, mine)
            manager.error = me.profile == nil ? .profileNotCreated : nil
            if let account { startSendingKeptName(of: account, mine) }
        case .failure(let failure): refused(failure)
        }
    }

    /// Only the auth server ends a session; its event shows the same reason.
    private func refused(_ failure: any Error) {
        switch failure {
        case AuthClientError.signedOut(let reason): manager.leave(reason)
        // A newer load has begun.
        case is CancellationError: break
        default: manager.error = AuthError(failure)
        }
    }

    /// Neither sign-ins nor screens wait. Waits for an earlier task, so that no name is sent twice. Does not retain the
    /// manager.
    private func startSendingKeptName(of account: AuthUser, _ mine: Int) {
        manager.naming = Task { [weak manager, earlier = manager.naming] in
            await earlier?.value
            await manager?.profileLoad.sendKeptName(of: account, mine)
        }
    }

    /// To the profile and the metadata. The next load retries.
    private func sendKeptName(of account: AuthUser, _ mine: Int) async {
        do {
            let kept = try await manager.names.read()
            let people = (account.identities ?? []).filter { $0.provider == AuthMethod.apple.rawValue }.map(\.id)
            for person in people {
                guard let name = kept[person], manager.epoch == mine, let user = manager.user, user.id == account.id
                else { continue }
                if user.firstName == nil, let given = name.given {
                    landChange(try await manager.service.updateProfile(ProfileChange(firstName: .set(given))), mine)
                }
                // Another user may be signed in.
                guard manager.epoch == mine else { return }
                if !account.hasName { try await manager.service.updateMetadata(name.metadata) }
                try await manager.names.forget(person)
            }
        } catch {
            // The next load sends the stored name.
            manager.record(.failed(.apple, AuthError(error).code))
        }
    }

    /// A load in progress may contain the previous state.
    func landChange(_ me: SignedInAccount, _ mine: Int) {
        if manager.epoch == mine, manager.isLoadingProfile { start() }
        land(me, mine)
    }

    private func land(_ me: SignedInAccount, _ mine: Int) {
        guard manager.epoch == mine, let user = manager.user, user.id == me.id else { return }
        let shown = user.with(me)
        if shown != user { manager.user = shown }
        if me.profile != nil { manager.isProfileLoaded = true }
    }
}

extension AuthUser {
    /// Under any server's key.
    fileprivate var hasName: Bool {
        ["full_name", "name", "first_name"].contains { key in
            userMetadata[key]?.stringValue?.contains { !$0.isWhitespace } == true
        }
    }
}

extension AppleName {
    /// As sign-ups and other providers store it.
    fileprivate var metadata: AuthJSONObject {
        var data: AuthJSONObject = ["full_name": .string(full)]
        data["first_name"] = given.map(AuthJSON.string)
        return data
    }
}
