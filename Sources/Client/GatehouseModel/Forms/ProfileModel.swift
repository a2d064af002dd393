public import Gatehouse
public import Observation

/// The state and actions of the profile screen. Uses ``AuthManager/user`` without a copy of it.
///
/// Actions return their work, which continues after the screen has closed; nil if there is none.
@MainActor @Observable
public final class ProfileModel {
    /// The phase of the screen.
    public enum Phase: Hashable, Sendable {
        /// The profile.
        case showing
        /// The user is asked whether to sign out.
        case confirmingSignOut
        /// The user is asked whether to delete the account.
        case confirmingDeletion
        /// A change is being sent.
        case saving
        /// An overlay covers the screen: "Deleting account...".
        case deleting
        /// The last action failed.
        case failed(ProfileAlert)
    }

    /// The current phase.
    public private(set) var phase = Phase.showing
    private let manager: AuthManager
    /// The failure that the alert shows.
    @ObservationIgnored private var failure: AuthError?

    /// Creates a model for the manager's user.
    public init(manager: AuthManager) { self.manager = manager }

    /// The user; nil dismisses the screen.
    public var user: AuthenticatedUser? { manager.user }

    /// Whether the profile can be changed.
    public var canChange: Bool { manager.canChangeProfile }

    /// The question to confirm.
    public var question: ModelText? {
        switch phase {
        case .confirmingSignOut: Self.signOutQuestion
        case .confirmingDeletion: Self.deletionQuestion
        case .showing, .saving, .deleting, .failed: nil
        }
    }

    package static let signOutQuestion: ModelText = "Are you sure you want to sign out?"
    package static let deletionQuestion: ModelText =
        "This will permanently delete your account and all your data. This cannot be undone."

    /// The text of the overlay.
    public var progress: ModelText? { phase == .deleting ? "Deleting account..." : nil }

    /// The user tapped "Sign Out".
    public func askToSignOut() { if phase == .showing { phase = .confirmingSignOut } }
    /// The user tapped "Delete Account".
    public func askToDelete() { if phase == .showing { phase = .confirmingDeletion } }

    /// The user cancelled the question or dismissed the alert.
    public func dismiss() {
        switch phase {
        case .failed:
            // The alert has said it.
            if manager.error == failure { manager.error = nil }
            phase = .showing
        case .confirmingSignOut, .confirmingDeletion: phase = .showing
        case .showing, .saving, .deleting: break
        }
    }

    /// The user confirmed the question. Does nothing without one.
    @discardableResult
    public func confirm() -> Task<Void, Never>? {
        switch phase {
        case .confirmingSignOut:
            phase = .showing
            return Task { await manager.signOut() }
        case .confirmingDeletion:
            phase = .deleting
            return Task {
                do throws(AuthError) {
                    try await manager.deleteAccount()
                    phase = .showing
                } catch {
                    fail("Could Not Delete Account", error)
                }
            }
        case .showing, .saving, .deleting, .failed: return nil
        }
    }

    /// Saves the given fields, even if the user leaves the screen during the request: the phase is `saving`, and then
    /// `showing` or, with an alert, `failed`.
    ///
    /// - Returns: Ends when the change has succeeded or failed.
    @discardableResult
    public func save(_ change: ProfileChange) -> Task<Void, Never>? {
        guard phase == .showing else { return nil }
        phase = .saving
        return Task {
            do throws(AuthError) {
                try await manager.updateProfile(change)
                phase = .showing
            } catch {
                fail("Could Not Save Profile", error)
            }
        }
    }

    private func fail(_ title: ModelText, _ error: AuthError) {
        // The user did not give the proof that the server requires.
        guard error != .cancelled else {
            phase = .showing
            return
        }
        failure = error
        phase = .failed(ProfileAlert(title: title, message: error.content))
    }
}

/// A failure to show on the profile screen.
public struct ProfileAlert: Hashable, Sendable {
    /// For example "Could Not Delete Account".
    public var title: ModelText
    /// The ``AuthError/content`` of the error.
    public var message: ModelText

    /// For tests and previews.
    public init(title: ModelText, message: ModelText) {
        self.title = title
        self.message = message
    }
}
