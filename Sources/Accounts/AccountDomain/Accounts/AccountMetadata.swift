package import GatehouseWire

package enum AccountMetadata {
    /// For each of an imported account's two metadata objects. Tokens leave out what exceeds ``TokenRoom``.
    package static let maximumBytes = 32_768
    /// Levels of nesting. Leaves room for those of an export, within ``JSONReader/maximumDepth``.
    package static let maximumDepth = 64

    /// Added by ``emailIdentity(user:email:isVerified:data:)`` to a sign-up's data.
    package static let serverMembers: Set<ExternalName> = ["sub", "email", "email_verified", "phone_verified"]

    /// Members that the caller sends never replace the verified ones.
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

    package static func phoneIdentity(user: UserID, phone: PhoneNumber, isVerified: Bool) -> AuthJSONObject {
        [
            "sub": .string(user.text), "phone": .string(phone.text), "email_verified": false,
            "phone_verified": .bool(isVerified),
        ]
    }

    /// Of a sign-up by phone. As in Supabase Auth, without the number.
    package static func phoneSignUp(user: UserID, data: AuthJSONObject) -> AuthJSONObject {
        data.merging(["sub": .string(user.text), "email_verified": false, "phone_verified": false]) { $1 }
    }

    /// `{"provider": first, "providers": all}`, without duplicates, in order.
    package static func providers(_ names: [String], over members: AuthJSONObject = [:]) -> AuthJSONObject {
        guard let first = names.first else { return members }
        var seen: Set<ExternalName> = []
        let distinct = names.filter { seen.insert(ExternalName(trusted: $0)).inserted }
        return members.merging(["provider": .string(first), "providers": .array(distinct.map(AuthJSON.string))]) {
            $1
        }
    }
}
