public import Gatehouse
public import Observation

/// What the profile screen shows and does. The person is ``AuthManager/user``; no second copy is kept.
@MainActor @Observable
public final class ProfileModel {
    /// What the screen is doing.
    public enum Phase: Hashable, Sendable {
        case showing
        case confirmingSignOut
        case confirmingDeletion
        case saving
        /// Covers the screen: "Deleting account...".
        case deleting
        case failed(ProfileAlert)
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.showing
    private let manager: AuthManager

    /// Shows the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// Nil when the screen dismisses itself.
    public var user: AuthenticatedUser? { manager.user }

    /// Whether the person's teams are known, so that they can be changed.
    public var isLoaded: Bool { manager.isProfileLoaded }

    /// The question that waits for an answer.
    public var question: String? {
        switch phase {
        case .confirmingSignOut: "Are you sure you want to sign out?"
        case .confirmingDeletion: "This will permanently delete your account and all your data. This cannot be undone."
        case .showing, .saving, .deleting, .failed: nil
        }
    }

    /// The text of the overlay.
    public var progress: String? { phase == .deleting ? "Deleting account..." : nil }

    /// "Sign Out" was tapped.
    public func askToSignOut() { if phase == .showing { phase = .confirmingSignOut } }
    /// "Delete Account" was tapped.
    public func askToDelete() { if phase == .showing { phase = .confirmingDeletion } }

    /// The question was answered with no, or the alert was read.
    public func dismiss() {
        switch phase {
        case .confirmingSignOut, .confirmingDeletion, .failed: phase = .showing
        case .showing, .saving, .deleting: break
        }
    }

    /// The question was answered with yes. Does nothing when there was none.
    public func confirm() async {
        switch phase {
        case .confirmingSignOut:
            phase = .showing
            await manager.signOut()
        case .confirmingDeletion:
            phase = .deleting
            do {
                try await manager.deleteAccount()
                phase = .showing
            } catch {
                phase = .failed(ProfileAlert(title: "Could Not Delete Account", message: error.message))
            }
        case .showing, .saving, .deleting, .failed: break
        }
    }

    /// Saves what is given. A failure becomes an alert.
    public func save(firstName: FieldChange = .keep, favoriteTeams: [String]? = nil) async {
        guard phase == .showing else { return }
        phase = .saving
        do {
            try await manager.updateProfile(firstName: firstName, favoriteTeams: favoriteTeams)
            phase = .showing
        } catch {
            phase = .failed(ProfileAlert(title: "Could Not Save Profile", message: error.message))
        }
    }
}

/// A failure that the profile screen tells of.
public struct ProfileAlert: Hashable, Sendable {
    /// Such as "Could Not Delete Account".
    public var title: String
    /// The text of the ``AuthError``.
    public var message: String

    /// For tests and previews.
    public init(title: String, message: String) {
        self.title = title
        self.message = message
    }
}
