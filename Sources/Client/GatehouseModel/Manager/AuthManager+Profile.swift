import Foundation
public import Gatehouse

extension AuthManager {
    /// Whether the profile can be changed; see ``MetadataProfile``.
    public var canChangeProfile: Bool { !service.isReadOnly }

    /// Starts to reload the profile, which sets ``user`` or ``error``.
    public func reloadProfile() {
        if isLoggedIn { loadProfile() }
    }

    /// Reloads the profile and returns afterwards, as `refreshable` requires.
    ///
    /// ```swift
    /// List { rows }.refreshable { await manager.refreshProfile() }
    /// ```
    public func refreshProfile() async {
        reloadProfile()
        var awaited: Int?
        // Another load may supersede the awaited one.
        while isLoadingProfile, awaited != loadCount, let load = loading {
            awaited = loadCount
            await load.value
        }
    }

    /// Changes the given fields, if any, and updates ``user``. Ignores cancellation.
    ///
    /// - Throws: ``AuthError``, which is also ``error``; ``AuthError/networkError(_:)`` for an invalid value. ``user``
    ///   is unchanged.
    public func updateProfile(_ change: ProfileChange) async throws(AuthError) {
        guard !change.isEmpty else { return }
        let mine = epoch
        let me = try await call { try await self.service.updateProfile(change) }
        profileLoad.landChange(me, mine)
    }

    /// Changes the first name and the custom fields. Omitted fields keep their values.
    ///
    /// ```swift
    /// try await manager.updateProfile(data: ["mood": "calm", "goal": .null])   // sets the mood, removes the goal
    /// ```
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters.
    ///   - data: A JSON Merge Patch; see `ProfileChange.data`.
    /// - Throws: As ``updateProfile(_:)``.
    public func updateProfile(firstName: FieldChange = .keep, data: AuthJSONObject = [:]) async throws(AuthError) {
        try await updateProfile(ProfileChange(firstName: firstName, data: data))
    }

    /// Changes the first name and the custom fields. Missing and nil properties keep their values.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// try await manager.updateProfile(data: Journal(mood: "calm"))
    /// ```
    ///
    /// - Parameters:
    ///   - firstName: At most 50 characters.
    ///   - data: A value that encodes as a JSON object.
    /// - Throws: As ``updateProfile(_:)``, and ``AuthError/unknown(_:)`` if encoding fails.
    public func updateProfile(
        firstName: FieldChange = .keep, data: some Encodable
    ) async throws(AuthError) {
        let members: AuthJSONObject
        do { members = try AuthJSONObject(encoding: data) } catch { throw .unknown(nil) }
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
    /// - Throws: ``AuthError``, which is also ``error``; the user stays signed in. After
    ///   ``AuthError/freshSignInNeeded`` the user must sign in again. After ``AuthError/offline(_:)`` or
    ///   ``AuthError/networkError(_:)`` the account may be deleted: retry.
    public func deleteAccount() async throws(AuthError) {
        let mine = epoch
        try await call { try await self.service.deleteAccount() }
        // Another user may have signed in during the request.
        if epoch == mine { await signOut() }
    }

    /// Sets ``error`` on failure.
    func call<Value: Sendable>(
        _ work: @escaping @MainActor () async throws -> Value
    ) async throws(AuthError) -> Value {
        let mine = epoch
        callCount += 1
        defer { callCount -= 1 }
        do {
            guard isLoggedIn else { throw AuthError.notAuthenticated }
            error = nil
            // The screen may close, but the server may have made the change.
            return try await proofs.provingToTheEnd(work)
        } catch {
            let failure = AuthError(error)
            // A closed screen shows no error.
            if epoch == mine, failure != .cancelled { self.error = failure }
            throw failure
        }
    }

    func changing<Value: Sendable>(
        _ work: @MainActor () async throws -> Value
    ) async throws(AuthError) -> Value {
        guard isLoggedIn else { throw .notAuthenticated }
        callCount += 1
        defer { callCount -= 1 }
        do { return try await proofs.proving(work) } catch { throw AuthError(error) }
    }
}
