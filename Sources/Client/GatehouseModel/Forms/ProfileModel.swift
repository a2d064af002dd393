public import Gatehouse
public import Observation

/// The state and actions of the profile screen.
///
/// Actions return their work, which outlives the screen.
@MainActor @Observable
public final class ProfileModel {
    /// The screen's phase.
    public enum Phase: Hashable, Sendable {
        /// The profile is shown.
        case showing
        /// "Sign Out" awaits confirmation.
        case confirmingSignOut
        /// "Delete Account" awaits confirmation.
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
    @ObservationIgnored private var failure: AuthError?

    /// Creates a model.
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

    /// The overlay's text.
    public var progress: ModelText? { phase == .deleting ? "Deleting account..." : nil }

    /// Asks whether to sign out.
    public func askToSignOut() { if phase == .showing { phase = .confirmingSignOut } }
    /// Asks whether to delete the account.
    public func askToDelete() { if phase == .showing { phase = .confirmingDeletion } }

    /// Cancels the question or dismisses the alert.
    public func dismiss() {
        switch phase {
        case .failed:
            // The alert has shown it.
            if manager.error == failure { manager.error = nil }
            phase = .showing
        case .confirmingSignOut, .confirmingDeletion: phase = .showing
        case .showing, .saving, .deleting: break
        }
    }

    /// Confirms the question, if any.
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

    /// Saves the given fields, with phase `saving` and then `showing` or `failed`.
    ///
    /// - Returns: The work, which outlives the screen.
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
        // The user did not give the required proof.
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
