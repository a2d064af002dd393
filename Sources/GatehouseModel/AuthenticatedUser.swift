public import Foundation
import Gatehouse

/// The signed-in user as the app shows it.
public struct AuthenticatedUser: Hashable, Sendable, Identifiable {
    /// The account's permanent id.
    public var id: UUID
    /// nil if the account has none.
    public var email: String?
    /// nil if the user has not entered one.
    public var firstName: String?
    /// Team ids of the form `league_identifier`, such as `nba_1610612744`.
    public var favoriteTeams: [String]

    /// For tests and previews; ``AuthManager`` creates its own.
    public init(id: UUID, email: String? = nil, firstName: String? = nil, favoriteTeams: [String] = []) {
        self.id = id
        self.email = email
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
    }

    /// A letter for the profile button: the first one of the trimmed first name, else of the email address, else "?".
    public var initial: String {
        let name = (firstName ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let letter = name.first ?? (email ?? "").trimmingCharacters(in: .whitespacesAndNewlines).first
        return letter.map { String($0).uppercased() } ?? "?"
    }
}

extension AuthenticatedUser {
    /// The user of the session, before the profile is loaded. The name comes from the sign-up.
    init(_ user: User) {
        let name = user.userMetadata["first_name"]?.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines)
        self.init(id: user.id, email: user.email, firstName: name?.isEmpty == false ? name : nil)
    }

    /// The user with the gateway's profile. The email address is the session's, because the gateway's comes from a
    /// token and may be older.
    func with(_ me: SignedInAccount) -> AuthenticatedUser {
        var user = self
        user.email = email ?? me.email
        if let profile = me.profile {
            (user.firstName, user.favoriteTeams) = (profile.firstName, profile.favoriteTeams)
        }
        return user
    }
}
