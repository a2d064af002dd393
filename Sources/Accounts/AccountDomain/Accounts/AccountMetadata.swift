package import GatehouseWire

/// The metadata and identity data of new accounts.
package enum AccountMetadata {
    /// The limit in bytes for each of the two metadata objects of an imported account. Tokens leave out what exceeds
    /// ``TokenRoom``.
    package static let maximumBytes = 32_768
    /// Levels of either object. Exports hold it a few levels deep, and are read with ``JSONReader/maximumDepth``.
    package static let maximumDepth = 64

    /// The members that ``emailIdentity(user:email:isVerified:data:)`` adds to what a sign-up entered.
    package static let serverMembers: Set<ExternalName> = ["sub", "email", "email_verified", "phone_verified"]

    /// The identity data of an email sign-up. Members that the caller sends never replace the verified ones.
    package static func emailIdentity(
        user: UserID, email: EmailAddress, isVerified: Bool, data: AuthJSONObject
    ) -> AuthJSONObject {
        var members = data
        members["sub"] = .string(user.text)
        members["email"] = .string(email.text)
        members["email_verified"] = .bool(isVerified)
        members["phone_verified"] = false
        return members
    }

    /// The identity data of an account with a telephone number.
    package static func phoneIdentity(user: UserID, phone: PhoneNumber, isVerified: Bool) -> AuthJSONObject {
        [
            "sub": .string(user.text), "phone": .string(phone.text), "email_verified": false,
            "phone_verified": .bool(isVerified),
        ]
    }

    /// `{"provider": first, "providers": all}`, without duplicates, in order of appearance.
    package static func providers(_ names: [String], over members: AuthJSONObject = [:]) -> AuthJSONObject {
        guard let first = names.first else { return members }
        var seen: Set<ExternalName> = []
        let distinct = names.filter { seen.insert(ExternalName(trusted: $0)).inserted }
        return members.merging(["provider": .string(first), "providers": .array(distinct.map(AuthJSON.string))]) {
            $1
        }
    }
}
