package import GatehouseWire

/// Verified by the code that creates this value.
package struct ProviderIdentity: Equatable, Sendable {
    /// `apple`, `google`, …; never `email` or `phone`.
    package let provider: String
    /// Unique together with ``provider``.
    package let subject: String
    /// nil if the provider sent none, or one that Supabase Auth does not accept.
    package let email: EmailAddress?
    package let isEmailVerified: Bool
    /// Whether the address hides the user's real one.
    package let isPrivateRelay: Bool
    /// Stored as `identity_data`, and merged into `user_metadata`.
    package let data: AuthJSONObject
    package let profile: ProfileFill

    /// - Returns: nil for an empty provider or subject, and for `email` and `phone`.
    package init?(
        provider: String, subject: String, email: String?, isEmailVerified: Bool, isPrivateRelay: Bool = false,
        data: AuthJSONObject, profile: ProfileFill = ProfileFill()
    ) {
        guard !provider.isEmpty, !subject.isEmpty, Identity.isOfProvider(provider) else { return nil }
        self.provider = provider
        self.subject = subject
        self.email = email.flatMap(EmailAddress.init)
        self.isEmailVerified = isEmailVerified && self.email != nil
        self.isPrivateRelay = isPrivateRelay
        self.data = Self.bounded(data)
        self.profile = profile
    }

    package var provenEmail: EmailAddress? { isEmailVerified ? email : nil }

    private static func bounded(_ data: AuthJSONObject) -> AuthJSONObject {
        AuthJSON.object(data).text.utf8.count > AccountMetadata.maximumBytes / 2 ? facts(of: data) : data
    }

    static func facts(of data: AuthJSONObject) -> AuthJSONObject {
        let facts = ["iss", "sub", "provider_id", "email", "email_verified", "phone_verified"]
        return data.filter { facts.contains($0.key) }
    }
}

/// Values are cut or dropped where the schema would refuse them.
package struct ProfileFill: Equatable, Sendable {
    /// At most 50 code points.
    package let firstName: String?
    /// At most 100 code points.
    package let name: String?
    /// An HTTPS URL that ``WebAddress`` accepts.
    package let avatarURL: String?

    package init(firstName: String? = nil, name: String? = nil, avatarURL: String? = nil) {
        self.firstName = Self.cut(firstName, to: 50)
        self.name = Self.cut(name, to: 100)
        self.avatarURL = avatarURL.flatMap { WebAddress.isPicture($0) ? $0 : nil }
    }

    package var isEmpty: Bool { self == ProfileFill() }

    private static func cut(_ text: String?, to length: Int) -> String? {
        guard let text else { return nil }
        var scalars = Substring(text).unicodeScalars
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
        scalars = scalars.drop(while: isBlank).prefix(length)
        while let last = scalars.last, isBlank(last) { scalars.removeLast() }
        return scalars.isEmpty ? nil : String(scalars)
    }
}

extension Identity {
    package static func isOfProvider(_ provider: String) -> Bool { provider != "email" && provider != "phone" }
    package var isOfProvider: Bool { Self.isOfProvider(provider) }

    package init(id: IdentityID, user: UserID, _ identity: ProviderIdentity, at now: Instant) {
        self.init(
            id: id, user: user, provider: identity.provider, providerID: identity.subject,
            data: AuthJSON.object(identity.data).text, email: identity.email?.text, at: now)
        isEmailVerified = identity.isEmailVerified
    }

    package func vouches(for email: String?) -> Bool { isEmailVerified && email != nil && self.email == email }
}

extension ProviderIdentity {
    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "provider": .string(provider), "subject": .string(subject), "email": (email?.text).map(AuthJSON.string),
            "is_email_verified": .bool(isEmailVerified), "is_private_relay": .bool(isPrivateRelay),
            "data": .object(data), "first_name": profile.firstName.map(AuthJSON.string),
            "name": profile.name.map(AuthJSON.string), "avatar_url": profile.avatarURL.map(AuthJSON.string),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    package init?(json: AuthJSON) {
        guard let provider = json["provider"]?.stringValue, let subject = json["subject"]?.stringValue,
            let isEmailVerified = json["is_email_verified"]?.boolValue,
            let isPrivateRelay = json["is_private_relay"]?.boolValue, let data = json["data"]?.objectValue
        else { return nil }
        self.init(
            provider: provider, subject: subject, email: json["email"]?.stringValue, isEmailVerified: isEmailVerified,
            isPrivateRelay: isPrivateRelay, data: data,
            profile: ProfileFill(
                firstName: json["first_name"]?.stringValue, name: json["name"]?.stringValue,
                avatarURL: json["avatar_url"]?.stringValue))
    }
}
