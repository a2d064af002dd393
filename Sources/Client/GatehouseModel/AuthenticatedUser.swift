public import Foundation
public import Gatehouse

/// The signed-in user as the app shows it.
public struct AuthenticatedUser: Hashable, Sendable, Identifiable {
    /// The account's permanent id.
    public var id: UUID
    /// nil if the account has none.
    public var email: String?
    /// The address that the account gets when the user confirms it; nil if there is none. It may wait for ever.
    public var newEmail: String?
    /// The address that moved to another account, whose user started over; nil if none did, and once the account has another
    /// one. The password still signs in with it.
    public var formerEmail: String?
    /// The credentials that open nothing until the user restores them.
    public var setAside: [AuthSetAsideCredential] = []
    /// Whether the user signed in anonymously and has not added a sign-in method; see ``AuthManager/signInAnonymously()``.
    public var isAnonymous = false
    /// nil if the user has not entered one.
    public var firstName: String?
    /// The app's own fields; empty until ``AuthManager/isProfileLoaded``. ``data(as:)`` gives them types.
    public var data: AuthJSONObject
    /// The members of the profile that this library does not know, such as those that the configuration of the app's
    /// server adds.
    public var others: AuthJSONObject

    /// For tests and previews; ``AuthManager`` creates its own.
    public init(
        id: UUID, email: String? = nil, firstName: String? = nil, data: AuthJSONObject = [:],
        others: AuthJSONObject = [:]
    ) {
        self.id = id
        self.email = email
        self.firstName = firstName
        self.data = data
        self.others = others
    }

    /// The app's own fields as a value of the app's own.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// let mood = try user.data(as: Journal.self).mood
    /// ```
    ///
    /// - Throws: `DecodingError` for a missing field, or for one of another type. A field that is optional may be
    ///   missing.
    public func data<Value: Decodable>(as type: Value.Type) throws -> Value { try data.decoded(as: type) }

    /// A letter for the profile button: the first one of the trimmed first name, else of the email address, else "?".
    public var initial: String {
        let name = (firstName ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let letter = name.first ?? (email ?? "").trimmingCharacters(in: .whitespacesAndNewlines).first
        return letter.map { String($0).uppercased() } ?? "?"
    }
}

extension AuthenticatedUser {
    /// News about the account: a moved address, and each credential that was set aside, with the way to restore it.
    public var notices: [ModelText] {
        let moved = formerEmail.map {
            ModelText(
                "%@ now belongs to another account. Emailed codes no longer open this one. Other sign-in methods do.",
                $0.shownAddress)
        }
        return [moved].compactMap(\.self) + setAside.map(\.notice)
    }
}

extension AuthSetAsideCredential {
    /// Why the credential opens nothing, and how to restore it.
    var notice: ModelText {
        switch kind {
        case .password:
            "Your earlier password is set aside. To use it again, sign in with it and enter the code we email you."
        case .passkey(_, let name?):
            ModelText(
                "The passkey “%@” is set aside. To use it again, sign in with it and enter the code we email you.", name
            )
        case .passkey:
            "A passkey is set aside. To use it again, sign in with it and enter the code we email you."
        case .identity(_, let provider):
            ModelText(
                "%@ is set aside. To use it again, sign in with it and confirm that this account is yours.",
                AuthMethod(rawValue: provider).name)
        }
    }
}

extension AuthenticatedUser {
    /// The user of the session, before the profile is loaded. The name comes from the sign-up.
    init(_ user: AuthUser) {
        let name = user.userMetadata["first_name"]?.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines)
        self.init(id: user.id, email: user.email, firstName: name?.isEmpty == false ? name : nil)
        isAnonymous = user.isAnonymous
        newEmail = user.newEmail
        formerEmail = user.formerEmail
        setAside = user.setAside
    }

    /// The user with the gateway's profile. The email address is the session's, because the gateway's comes from a
    /// token and may be older.
    func with(_ me: SignedInAccount) -> AuthenticatedUser {
        var user = self
        user.email = email ?? me.email
        if let profile = me.profile {
            (user.firstName, user.data, user.others) = (profile.firstName, profile.data, profile.others)
        }
        return user
    }

    /// Keeps the profile that is known of the same user.
    mutating func keepProfile(of user: AuthenticatedUser) {
        (firstName, data, others) = (user.firstName, user.data, user.others)
    }
}
