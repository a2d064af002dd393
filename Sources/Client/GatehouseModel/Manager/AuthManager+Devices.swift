public import Foundation
public import Gatehouse

extension AuthManager {
    /// The user's devices.
    public var devices: Devices { Devices(manager: self) }

    /// Lists and signs out the user's devices. See ``AuthManager/devices``.
    @MainActor
    public struct Devices {
        let manager: AuthManager
    }
}

extension AuthManager.Devices {
    /// Fetches the user's sessions, this device's first.
    ///
    /// - Throws: ``AuthError/networkError(_:)`` with status 404 if the server keeps no list.
    public func list() async throws(AuthError) -> [SessionInfo] {
        guard manager.isLoggedIn else { throw .notAuthenticated }
        do { return try await manager.service.sessions() } catch { throw AuthError(error) }
    }

    /// Signs out one of the user's other devices.
    ///
    /// - Parameter device: Its `SessionInfo.id`.
    /// - Throws: As ``list()``; status 404 also for an unknown session.
    public func signOut(_ device: UUID) async throws(AuthError) {
        try await manager.changing { try await manager.service.revokeSession(id: device) }
    }
}
