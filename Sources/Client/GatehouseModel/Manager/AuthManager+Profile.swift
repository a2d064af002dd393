import Foundation
public import Gatehouse

extension AuthManager {
    /// Whether the profile can be changed: not in an app without profiles, see ``MetadataProfile``.
    public var canChangeProfile: Bool { !service.isReadOnly }

    /// Starts to reload the profile. Sets ``user``, or ``error`` after a failure.
    public func reloadProfile() {
        if isLoggedIn { loadProfile() }
    }

    /// Reloads the profile and returns when that has succeeded or failed, as `refreshable` needs it.
    ///
    /// ```swift
    /// List { rows }.refreshable { await manager.refreshProfile() }
    /// ```
    public func refreshProfile() async {
        reloadProfile()
        var awaited: Int?
        // Another load may supersede the one that is awaited.
        while isLoadingProfile, awaited != loadCount, let load = loading {
            awaited = loadCount
            await load.value
        }
    }

    /// Changes the given fields, and updates ``user`` with the response. Without changes it sends nothing. The change
    /// continues if the calling task is cancelled, for example because the user leaves the screen.
    ///
    /// - Throws: ``AuthError``, which is also set as ``error``: ``AuthError/notAuthenticated`` if signed out;
    ///   ``AuthError/networkError(_:)`` also for an invalid value. ``user`` is then unchanged.
    public func updateProfile(_ change: ProfileChange) async throws(AuthError) {
        guard !change.isEmpty else { return }
        let mine = epoch
        let me = try await call { try await self.service.updateProfile(change) }
        landChange(me, mine)
    }

    /// Changes the first name and the app's own fields. Omitted fields keep their values.
    ///
    /// ```swift
    /// try await manager.updateProfile(data: ["mood": "calm", "goal": .null])   // sets the mood, removes the goal
    /// ```
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters.
    ///   - data: A JSON Merge Patch; see `ProfileChange.data`.
    /// - Throws: As ``updateProfile(_:)``.
    public func updateProfile(firstName: FieldChange = .keep, data: JSONObject = [:]) async throws(AuthError) {
        try await updateProfile(ProfileChange(firstName: firstName, data: data))
    }

    /// Changes the first name and the app's own fields. A property that is nil keeps the stored value, as does a field
    /// that the value does not have.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// try await manager.updateProfile(data: Journal(mood: "calm"))
    /// ```
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters.
    ///   - data: A value that is encoded as a JSON object.
    /// - Throws: As ``updateProfile(_:)``, and ``AuthError/unknown(_:)`` for a value that cannot be encoded.
    public func updateProfile(
        firstName: FieldChange = .keep, data: some Encodable
    ) async throws(AuthError) {
        let members: JSONObject
        do { members = try JSONObject(encoding: data) } catch { throw .unknown(nil) }
        try await updateProfile(ProfileChange(firstName: firstName, data: members))
    }

    /// Deletes the account on the server, then signs out.
    ///
    /// ```swift
    /// do {
    ///     try await account.deleteAccount()
    /// } catch .freshSignInNeeded {
    ///     showsLogin = true
    /// } catch {
    ///     message = error.localizedDescription
    /// }
    /// ```
    ///
    /// - Throws: ``AuthError``, which is also set as ``error``. The user is then still signed in. After
    ///   ``AuthError/freshSignInNeeded`` the user must sign in again first; after ``AuthError/offline(_:)`` or
    ///   ``AuthError/networkError(_:)`` the account may be deleted, and the call can be repeated.
    public func deleteAccount() async throws(AuthError) {
        let mine = epoch
        try await call { try await self.service.deleteAccount() }
        // Another user who signed in meanwhile stays signed in.
        if epoch == mine { await signOut() }
    }

    /// Makes a call for the signed-in user. Sets ``error`` on failure.
    func call<Value: Sendable>(
        _ work: @escaping @MainActor () async throws -> Value
    ) async throws(AuthError) -> Value {
        let mine = epoch
        callCount += 1
        defer { callCount -= 1 }
        do {
            guard isLoggedIn else { throw AuthError.notAuthenticated }
            error = nil
            // Not in the caller's task, which ends with a screen: the server may have made the change by then.
            return try await Task { try await self.proving(work) }.value
        } catch {
            let failure = AuthError(error)
            // A screen that was left does not wait for its answer any more.
            if epoch == mine, failure != .cancelled { self.error = failure }
            throw failure
        }
    }

    /// A load in progress may contain the state before the change, so it starts again.
    private func landChange(_ me: SignedInAccount, _ mine: Int) {
        if epoch == mine, isLoadingProfile { loadProfile() }
        land(me, mine)
    }

    private func land(_ me: SignedInAccount, _ mine: Int) {
        guard epoch == mine, let user, user.id == me.id else { return }
        let shown = user.with(me)
        if shown != user { self.user = shown }
        if me.profile != nil { isProfileLoaded = true }
    }
}

// Loading.
extension AuthManager {
    /// Starts to load the profile, and supersedes an earlier load. The task does not retain the manager.
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
            error = me.profile == nil ? .profileNotCreated : nil
            if let account { startSendingKeptName(of: account, mine) }
        case .failure(let failure): refused(failure)
        }
    }

    /// Only the auth server ends a session. The event about it arrives too, in either order; both show the reason for
    /// the sign-out.
    private func refused(_ failure: any Error) {
        switch failure {
        case AuthClientError.signedOut(let reason): leave(reason)
        // A newer load has begun.
        case is CancellationError: break
        default: error = AuthError(failure)
        }
    }

    /// Runs in a task of the manager, because neither a sign-in nor a screen should wait for it or end it. Waits for an
    /// earlier task, so that no name is sent twice. Does not retain the manager.
    func startSendingKeptName(of account: User, _ mine: Int) {
        naming = Task { [weak self, earlier = naming] in
            await earlier?.value
            await self?.sendKeptName(of: account, mine)
        }
    }

    /// Sends a name from Apple to the server wherever it is missing: to the profile, and to the account's metadata, for
    /// servers that ignore the name in a sign-in. A failure is retried with the next load.
    private func sendKeptName(of account: User, _ mine: Int) async {
        do {
            let kept = try await names.read()
            let people = (account.identities ?? []).filter { $0.provider == AuthMethod.apple.rawValue }.map(\.id)
            for person in people {
                guard let name = kept[person], epoch == mine, let user, user.id == account.id else { continue }
                if user.firstName == nil, let given = name.given {
                    landChange(try await service.updateProfile(ProfileChange(firstName: .set(given))), mine)
                }
                // Another user may be signed in by now.
                guard epoch == mine else { return }
                if !account.hasName { try await service.updateMetadata(name.metadata) }
                try await names.forget(person)
            }
        } catch {
            // The name is still stored, and the next load of the profile sends it.
            record(.failed(.apple, AuthError(error).code))
        }
    }
}

extension User {
    /// Whether the metadata contains a name, under any of the keys that servers use.
    fileprivate var hasName: Bool {
        ["full_name", "name", "first_name"].contains { key in
            userMetadata[key]?.stringValue?.contains { !$0.isWhitespace } == true
        }
    }
}

extension AppleName {
    /// The name as sign-ups and other providers store it in the metadata.
    fileprivate var metadata: JSONObject {
        var data: JSONObject = ["full_name": .string(full)]
        data["first_name"] = given.map(AnyJSON.string)
        return data
    }
}
