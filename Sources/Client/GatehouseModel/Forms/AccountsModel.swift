package import Foundation
package import Gatehouse
import Observation

/// Actions return their work, which outlives the screen.
@MainActor @Observable
package final class AccountsModel {
    package enum Phase: Hashable, Sendable {
        case showing
        case working(UUID?)
        case failed(ModelText)
    }

    package private(set) var phase = Phase.showing
    package var signsIn = false
    private let manager: AuthManager

    package init(manager: AuthManager) { self.manager = manager }

    package var accounts: [DeviceAccount] { manager.accounts }
    package var choices: [DeviceAccount] { accounts.filter { $0.state == .signedIn } }
    package var canAdd: Bool { manager.canAddAccount }
    package var isWorking: Bool { if case .working = phase { true } else { false } }
    package var failure: ModelText? { if case .failed(let text) = phase { text } else { nil } }

    package func load() async { await manager.loadAccounts() }

    /// Activates an account, or opens the login for a signed-out one.
    @discardableResult
    package func choose(_ account: DeviceAccount) -> Task<Void, Never>? {
        switch account.state {
        case .active: return nil
        case .signedOut:
            signsIn = true
            return nil
        case .signedIn:
            return work(on: account.id) { manager throws(AuthError) in
                _ = try await manager.use(account.id)
            }
        }
    }

    @discardableResult
    package func remove(_ account: DeviceAccount) -> Task<Void, Never>? {
        work(on: account.id) { manager throws(AuthError) in try await manager.remove(account.id) }
    }

    @discardableResult
    package func signOutOfAll() -> Task<Void, Never>? {
        work(on: nil) { manager throws(AuthError) in await manager.signOutOfAllAccounts() }
    }

    private func work(
        on account: UUID?, _ work: @escaping @MainActor (AuthManager) async throws(AuthError) -> Void
    ) -> Task<Void, Never>? {
        guard !isWorking, !manager.isSigningIn else { return nil }
        phase = .working(account)
        return Task {
            do throws(AuthError) {
                try await work(manager)
                phase = .showing
            } catch {
                phase = error == .cancelled ? .showing : .failed(error.content)
                // Its session has ended, as the list shows.
                if error == .notAuthenticated { signsIn = manager.isLoggedIn }
            }
        }
    }
}
