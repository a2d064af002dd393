public import Foundation

/// Reads and changes the profile of the person who is signed in: the gateway's `/v1/auth/me`.
///
/// A conformer sends the session's access token, and refreshes it once when the gateway refuses it. It throws
/// `AuthClientError` (`refused` with the gateway's status, `offline` without an answer, `signedOut` without a session)
/// or ``AuthError``. A `refused` with status 401 means that a refresh was tried and did not help.
public protocol ProfileSource: Sendable {
    func fetchMe() async throws -> Me

    /// - Returns: The whole profile after the change.
    func updateProfile(_ changes: ProfileChanges) async throws -> Me

    /// Deletes the account with everything that belongs to it, or nothing. Repeating it is harmless.
    func deleteAccount() async throws
}

/// What the gateway says about the person who is signed in.
public struct Me: Hashable, Sendable {
    /// The account's lasting identifier.
    public var id: UUID
    /// Nil when the account has none.
    public var email: String?
    /// Nil when the account has no profile.
    public var profile: ProfileSummary?

    /// What an answer said.
    public init(id: UUID, email: String?, profile: ProfileSummary?) {
        self.id = id
        self.email = email
        self.profile = profile
    }
}

/// What a person keeps with the account.
public struct ProfileSummary: Hashable, Sendable {
    /// At most 50 characters; nil when there is none.
    public var firstName: String?
    /// Each a `league_identifier`; at most 30.
    public var favoriteTeams: [String]

    /// What an answer said.
    public init(firstName: String?, favoriteTeams: [String] = []) {
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
    }
}

/// Keeps a value, or replaces it; with an optional value `.set(nil)` clears it.
public enum Change<Value: Hashable & Sendable>: Hashable, Sendable {
    case keep
    case set(Value)
}

/// What to change of a profile; everything that is not set is kept.
public struct ProfileChanges: Hashable, Sendable {
    /// At most 50 characters; `.set(nil)` clears it.
    public var firstName: Change<String?>
    /// At most 30.
    public var favoriteTeams: Change<[String]>

    /// Everything that is not given is kept.
    public init(firstName: Change<String?> = .keep, favoriteTeams: Change<[String]> = .keep) {
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { firstName == .keep && favoriteTeams == .keep }
}
