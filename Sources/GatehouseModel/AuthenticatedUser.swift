public import Foundation
import Gatehouse

/// The signed-in person as the app shows them.
public struct AuthenticatedUser: Hashable, Sendable, Identifiable {
    /// The account's lasting identifier.
    public var id: UUID
    /// Nil when the account has none.
    public var email: String?
    /// Nil when the person gave none.
    public var firstName: String?
    /// Each a `league_identifier` such as `nba_1610612744`.
    public var favoriteTeams: [String]

    /// For tests and previews; ``AuthManager`` makes its own.
    public init(id: UUID, email: String? = nil, firstName: String? = nil, favoriteTeams: [String] = []) {
        self.id = id
        self.email = email
        self.firstName = firstName
        self.favoriteTeams = favoriteTeams
    }

    /// One letter for the profile button: the first of the trimmed first name, else of the email, else "?".
    public var initial: String {
        let name = (firstName ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let letter = name.first ?? (email ?? "").trimmingCharacters(in: .whitespacesAndNewlines).first
        return letter.map { String($0).uppercased() } ?? "?"
    }
}

extension AuthenticatedUser {
    /// Who the session says it is, before the profile is there. The name is the one of the sign-up.
    init(_ user: User) {
        let name = user.userMetadata["first_name"]?.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines)
        self.init(id: user.id, email: user.email, firstName: name?.isEmpty == false ? name : nil)
    }

    /// The same person with what the gateway knows. The address is the session's: the gateway has it from a token, which
    /// may be older than the last change.
    func with(_ me: SignedInAccount) -> AuthenticatedUser {
        var user = self
        user.email = email ?? me.email
        if let profile = me.profile {
            (user.firstName, user.favoriteTeams) = (profile.firstName, profile.favoriteTeams)
        }
        return user
    }
}
