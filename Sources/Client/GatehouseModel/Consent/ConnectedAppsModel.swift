public import Gatehouse
public import Observation

/// The state of the screen that lists apps and agents with access.
@MainActor @Observable
public final class ConnectedAppsModel {
    /// The screen's phase.
    public typealias Phase = ListPhase

    /// The current phase.
    public private(set) var phase = Phase.loading
    /// The apps and agents with access, newest first.
    public private(set) var grants: [OAuthGrant] = []
    private let manager: AuthManager
    /// Outdates lists being loaded.
    @ObservationIgnored private var changes = 0

    /// Creates a model.
    public init(manager: AuthManager) { self.manager = manager }

    /// The last removal's message.
    public var message: SignInMessage? { if case .refused(let message) = phase { message } else { nil } }

    /// Reloads the list, which stays until then.
    public func load() async {
        guard phase != .working else { return }
        if phase == .failed { phase = .loading }
        await reload()
    }

    /// Ends the access of an app or agent, after the user's confirmation.
    ///
    /// - Returns: The work, which outlives the screen.
    @discardableResult
    public func remove(_ grant: OAuthGrant) -> Task<Void, Never>? {
        guard phase != .working, phase != .loading else { return nil }
        phase = .working
        changes += 1
        return Task {
            do throws(AuthError) {
                try await manager.consents.remove(grant)
            } catch .networkError(.refused(let refusal)) where refusal.status == 404 {
                // It has no access already, perhaps after a lost response.
            } catch {
                phase = SignInMessage(changing: error).map { .refused($0) } ?? .showing
                return
            }
            await reload()
        }
    }

    private func reload() async {
        let started = changes
        do throws(AuthError) {
            let grants = try await manager.consents.grants()
            if started == changes { (self.grants, phase) = (grants, .showing) }
        } catch {
            // The screen has gone, or loads again.
            if started == changes, error != .cancelled { phase = .failed }
        }
    }
}
