package import GatehouseWire

/// Who a provider says somebody is, as far as accounts need to know it. Whoever makes one has checked it.
package struct ProviderIdentity: Equatable, Sendable {
    /// `apple`, `google`, …; never `email` or `phone`, which are the account's own.
    package let provider: String
    /// The provider's name for the person; with ``provider`` it is the person.
    package let subject: String
    /// nil when the provider gave none, or one that the Auth API does not accept.
    package let email: EmailAddress?
    /// Whether the provider vouches for ``email``.
    package let isEmailVerified: Bool
    /// Whether ``email`` only forwards to an address that the person did not tell.
    package let isPrivateRelay: Bool
    /// What becomes `identity_data`, and is merged into `user_metadata`.
    package let data: JSONObject
    /// What the profile takes over while it has nothing of its own.
    package let profile: ProfileFill

    /// - Parameter email: As the provider writes it.
    /// - Returns: nil for a provider or subject that is empty, and for `email` and `phone`.
    package init?(
        provider: String, subject: String, email: String?, isEmailVerified: Bool, isPrivateRelay: Bool = false,
        data: JSONObject, profile: ProfileFill = ProfileFill()
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

    /// The address, if the provider vouches for it.
    package var provenEmail: EmailAddress? { isEmailVerified ? email : nil }

    /// A provider that says more than fits into a token is heard only on what identifies the person.
    private static func bounded(_ data: JSONObject) -> JSONObject {
        guard AnyJSON.object(data).text.utf8.count > AccountMetadata.maximumBytes / 2 else { return data }
        let facts = ["iss", "sub", "provider_id", "email", "email_verified", "phone_verified"]
        return data.filter { facts.contains($0.key) }
    }
}

/// What a provider offers a profile (requirement C6). What the schema would refuse is cut or left out.
package struct ProfileFill: Equatable, Sendable {
    /// At most 50 code points.
    package let firstName: String?
    /// At most 100 code points.
    package let name: String?
    /// https, as ``WebAddress`` allows it.
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
    /// Whether a provider outside signs people in, and not the account's own address or telephone.
    package static func isOfProvider(_ provider: String) -> Bool { provider != "email" && provider != "phone" }
    package var isOfProvider: Bool { Self.isOfProvider(provider) }

    package init(id: IdentityID, user: UserID, _ identity: ProviderIdentity, at now: Instant) {
        self.init(
            id: id, user: user, provider: identity.provider, providerID: identity.subject,
            data: AnyJSON.object(identity.data).text, email: identity.email?.text, at: now)
        isEmailVerified = identity.isEmailVerified
    }

    /// Whether the provider vouches that its person has the address.
    package func vouches(for email: String?) -> Bool { isEmailVerified && email != nil && self.email == email }
}

// For what is kept sealed between a question and its answer.
extension ProviderIdentity {
    package var json: AnyJSON {
        let members: [String: AnyJSON?] = [
            "provider": .string(provider), "subject": .string(subject), "email": (email?.text).map(AnyJSON.string),
            "is_email_verified": .bool(isEmailVerified), "is_private_relay": .bool(isPrivateRelay),
            "data": .object(data), "first_name": profile.firstName.map(AnyJSON.string),
            "name": profile.name.map(AnyJSON.string), "avatar_url": profile.avatarURL.map(AnyJSON.string),
        ]
        return .object(JSONObject(members.compactMapValues(\.self)))
    }

    /// - Returns: nil for what ``json`` cannot have made.
    package init?(json: AnyJSON) {
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
