public import Foundation
public import Gatehouse

/// The signed-in user.
public struct AuthenticatedUser: Hashable, Sendable, Identifiable {
    /// The account's permanent id.
    public var id: UUID
    /// nil if the account has none.
    public var email: String?
    /// The address that awaits confirmation.
    public var newEmail: String?
    /// The telephone number, with `+`; nil if the account has none.
    public var phone: String?
    /// The number that awaits confirmation, with `+`.
    public var newPhone: String?
    /// The address that moved to another account; nil once this one has a new address. The password still signs in with
    /// it.
    public var formerEmail: String?
    /// Credentials unusable until the user restores them.
    public var setAside: [AuthSetAsideCredential] = []
    /// Whether the account has no sign-in method; see ``AuthManager/signInAnonymously()``.
    public var isAnonymous = false
    /// nil if the user has not entered one.
    public var firstName: String?
    /// The custom fields; empty until ``AuthManager/isProfileLoaded``. See ``data(as:)``.
    public var data: AuthJSONObject
    /// Profile members unknown to this library.
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

    /// Decodes the custom fields.
    ///
    /// ```swift
    /// struct Journal: Codable { var mood: String? }
    /// let mood = try user.data(as: Journal.self).mood
    /// ```
    ///
    /// - Throws: `DecodingError` for a missing field that is not optional, or another type.
    public func data<Value: Decodable>(as type: Value.Type) throws -> Value { try data.decoded(as: type) }

    /// The avatar's letter: from the first name, else the email address, else "?".
    public var initial: String {
        let name = (firstName ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        let letter = name.first ?? (email ?? "").trimmingCharacters(in: .whitespacesAndNewlines).first
        return letter.map { String($0).uppercased() } ?? "?"
    }
}

extension AuthenticatedUser {
    /// Notices about a moved address and set-aside credentials.
    public var notices: [ModelText] {
        let moved = formerEmail.map {
            ModelText(
                "%@ now belongs to another account. You can't sign in to this one with emailed codes anymore, but your other sign-in methods still work.",
                $0.shownAddress)
        }
        return [moved].compactMap(\.self) + setAside.map(\.notice)
    }
}

extension AuthSetAsideCredential {
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
    /// Before the profile is loaded, the name is the sign-up's.
    init(_ user: AuthUser) {
        let name = user.userMetadata["first_name"]?.stringValue?.trimmingCharacters(in: .whitespacesAndNewlines)
        self.init(id: user.id, email: user.email, firstName: name?.isEmpty == false ? name : nil)
        isAnonymous = user.isAnonymous
        newEmail = user.newEmail
        (phone, newPhone) = (user.phone.map { "+" + $0 }, user.newPhone.map { "+" + $0 })
        formerEmail = user.formerEmail
        setAside = user.setAside
    }

    /// Keeps the session's email address, which may be newer.
    func with(_ me: SignedInAccount) -> AuthenticatedUser {
        var user = self
        user.email = email ?? me.email
        if let profile = me.profile {
            (user.firstName, user.data, user.others) = (profile.firstName, profile.data, profile.others)
        }
        return user
    }

    mutating func keepProfile(of user: AuthenticatedUser) {
        (firstName, data, others) = (user.firstName, user.data, user.others)
    }
}
