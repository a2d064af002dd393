import GatehouseModel
import SwiftUI

/// A draft of the favourite teams.
@MainActor @Observable
final class TeamsEditor {
    enum Phase: Hashable {
        case editing, saving, saved
        /// With a message for the user.
        case failed(String)
    }

    private(set) var phase = Phase.editing
    private(set) var chosen: [String]
    private let manager: AuthManager

    init(manager: AuthManager) {
        self.manager = manager
        chosen = manager.user?.favoriteTeams ?? []
    }

    /// Whether the draft differs from the saved teams.
    var hasChanges: Bool { phase != .saved && chosen != manager.user?.favoriteTeams ?? [] }
    var canSave: Bool { phase == .editing && hasChanges && manager.isProfileLoaded }

    func isChosen(_ team: Team) -> Bool { chosen.contains(team.id) }
    func canToggle(_ team: Team) -> Bool { isChosen(team) || chosen.count < maximumFavorites }

    func toggle(_ team: Team) {
        if isChosen(team) { chosen.removeAll { $0 == team.id } } else { chosen.append(team.id) }
    }

    /// Saves the draft, even if the user leaves the screen during the request.
    func save() {
        guard canSave else { return }
        phase = .saving
        Task {
            do throws(AuthError) {
                try await manager.updateProfile(favoriteTeams: chosen)
                phase = .saved
            } catch {
                // The alert says it.
                manager.error = nil
                phase = .failed(error.message)
            }
        }
    }

    /// The user has read the message.
    func goOn() {
        if case .failed = phase { phase = .editing }
    }
}
