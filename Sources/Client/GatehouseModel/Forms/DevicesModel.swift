import Foundation
public import Gatehouse
public import Observation

/// The state of the screen that lists the user's devices.
@MainActor @Observable
public final class DevicesModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The devices are loading.
        case loading
        /// The devices are shown.
        case showing
        /// A device is being signed out; disable all buttons.
        case working
        /// The last call failed. Without ``devices``, offer to reload.
        case failed
        /// The server keeps no list, such as hosted Supabase.
        case unsupported
    }

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The sessions, this device's first and then by last use.
    public private(set) var devices: [SessionInfo]?
    private let manager: AuthManager

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// Reloads the list, which stays until then.
    public func load() async {
        guard phase != .working else { return }
        phase = .loading
        await reload()
    }

    /// Signs a device out.
    ///
    /// - Returns: The work, which outlives the screen.
    @discardableResult
    public func end(_ device: SessionInfo) -> Task<Void, Never>? {
        guard phase != .working, phase != .loading else { return nil }
        phase = .working
        return Task {
            do throws(AuthError) {
                try await manager.devices.signOut(device.id)
                await reload()
            } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
                // It is signed out already.
                await reload()
            } catch {
                phase = .failed
            }
        }
    }

    private func reload() async {
        do throws(AuthError) {
            devices = try await manager.devices.list()
            phase = .showing
        } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
            phase = .unsupported
        } catch .cancelled {
            // The screen has gone, or loads again.
        } catch {
            phase = .failed
        }
    }
}
