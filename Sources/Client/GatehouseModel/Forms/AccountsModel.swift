package import Foundation
package import Gatehouse
import Observation

/// The state of the list of this device's accounts, on the profile and the login screen.
///
/// Actions return their work, which continues after the screen has closed; nil if there is none.
@MainActor @Observable
package final class AccountsModel {
    /// The phase of the list.
    package enum Phase: Hashable, Sendable {
        case showing
        /// An account is coming into use or being signed out.
        case working(UUID?)
        /// The last action failed.
        case failed(ModelText)
    }

    package private(set) var phase = Phase.showing
    /// Whether the login for another account is open.
    package var signsIn = false
    private let manager: AuthManager

    package init(manager: AuthManager) { self.manager = manager }

    package var accounts: [DeviceAccount] { manager.accounts }
    /// The accounts that a signed-out user can choose.
    package var choices: [DeviceAccount] { accounts.filter { $0.state == .signedIn } }
    package var canAdd: Bool { manager.canAddAccount }
    package var isWorking: Bool { if case .working = phase { true } else { false } }
    package var failure: ModelText? { if case .failed(let text) = phase { text } else { nil } }

    /// Reads the list again.
    package func load() async { await manager.loadAccounts() }

    /// Brings an account into use, or opens the login for one that is signed out.
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

    /// Signs an account out.
    @discardableResult
    package func remove(_ account: DeviceAccount) -> Task<Void, Never>? {
        work(on: account.id) { manager throws(AuthError) in try await manager.remove(account.id) }
    }

    /// Signs out of all accounts.
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
                // Its session has ended, and the list says so.
                if error == .notAuthenticated { signsIn = manager.isLoggedIn }
            }
        }
    }
}
