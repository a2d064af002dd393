import GatehouseWire

/// As in Supabase Auth ([Identities](https://supabase.com/docs/guides/auth/identities)).
struct IdentityData {
    let claims: ProfileClaims
    let identity: VerifiedIdentity

    func members(_ settings: ProviderSettings) -> AuthJSONObject {
        if settings.oauth != nil { return social }
        guard identity.client != nil else { return profile }
        return switch settings.kind {
        case .apple: apple
        case .google: google
        case .openID: token
        }
    }

    private var common: AuthJSONObject {
        var members: AuthJSONObject = [
            "iss": .string(identity.issuer), "sub": .string(identity.subject),
            "email_verified": .bool(identity.isEmailVerified), "phone_verified": false,
        ]
        members["email"] = identity.email.map(AuthJSON.string)
        return members
    }

    private func with(
        _ texts: [String: String?], custom: [String: AuthJSON?], in members: AuthJSONObject
    ) -> AuthJSONObject {
        var members = members
        for (name, text) in texts { members[name] = text.map(AuthJSON.string) }
        let custom = custom.compactMapValues(\.self)
        if !custom.isEmpty { members["custom_claims"] = .object(AuthJSONObject(custom)) }
        return members
    }

    private var apple: AuthJSONObject {
        with(
            ["provider_id": identity.subject],
            custom: [
                "is_private_email": claims.flag("is_private_email").map(AuthJSON.bool),
                "auth_time": claims.number("auth_time"),
                "transfer_sub": claims.text("transfer_sub").map(AuthJSON.string),
            ], in: common)
    }

    private var google: AuthJSONObject {
        let name = claims.text("name")
        return with(
            [
                "provider_id": identity.subject, "name": name, "full_name": name, "picture": identity.picture,
                "avatar_url": identity.picture,
            ], custom: ["hd": claims.text("hd").map(AuthJSON.string)], in: common)
    }

    /// Used without an ID token.
    private var profile: AuthJSONObject {
        let name = claims.text("name")
        return with(
            [
                "provider_id": identity.subject, "name": name, "full_name": name, "picture": identity.picture,
                "avatar_url": identity.picture,
            ], custom: ["preferred_username": claims.text("preferred_username").map(AuthJSON.string)], in: common)
    }

    /// Without OpenID Connect.
    private var social: AuthJSONObject {
        let (name, account) = (claims.text("name"), claims.text("preferred_username"))
        return with(
            [
                "provider_id": identity.subject, "name": name, "full_name": name, "picture": identity.picture,
                "avatar_url": identity.picture, "user_name": account, "preferred_username": account,
                "given_name": claims.text("given_name"), "family_name": claims.text("family_name"),
            ], custom: [:], in: common)
    }

    private static let standardTexts = [
        "name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "website",
        "gender", "birthdate", "zoneinfo", "locale", "updated_at", "phone",
    ]

    private var token: AuthJSONObject {
        var members = common
        for name in Self.standardTexts { members[name] = claims.text(name).map(AuthJSON.string) }
        members["updated_at"] = members["updated_at"] ?? claims.number("updated_at")
        members["picture"] = identity.picture.map(AuthJSON.string)
        members["phone_verified"] = .bool(claims.flag("phone_verified") ?? false)
        members["iat"] = claims.number("iat")
        members["exp"] = claims.number("exp")
        let audience = claims.members["aud"]
        members["aud"] = audience?.stringValue.map { .array([.string($0)]) } ?? audience
        return members
    }
}
