public import Foundation
public import Gatehouse

extension AuthManager {
    /// The devices on which the user is signed in.
    public var devices: Devices { Devices(manager: self) }

    /// The devices on which the user is signed in. See ``AuthManager/devices``.
    @MainActor
    public struct Devices {
        let manager: AuthManager
    }
}

extension AuthManager.Devices {
    /// Fetches the user's sessions, this device's first.
    ///
    /// - Throws: ``AuthError``, such as ``AuthError/notAuthenticated`` if signed out; ``AuthError/networkError(_:)`` with
    ///   status 404 if the server keeps no list.
    public func list() async throws(AuthError) -> [SessionInfo] {
        guard manager.isLoggedIn else { throw .notAuthenticated }
        do { return try await manager.service.sessions() } catch { throw AuthError(error) }
    }

    /// Signs out one of the user's other devices.
    ///
    /// - Parameter device: The `SessionInfo.id` of its session.
    /// - Throws: As ``list()``; status 404 also if the user has no such session.
    public func signOut(_ device: UUID) async throws(AuthError) {
        try await manager.changing { try await manager.service.revokeSession(id: device) }
    }
}
