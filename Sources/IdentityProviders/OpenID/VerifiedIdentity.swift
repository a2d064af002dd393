package import GatehouseWire

/// Who a provider says somebody is, checked. Holds nothing of any account.
package struct VerifiedIdentity: Equatable, Sendable {
    /// ``ProviderSettings/name``.
    package let provider: String
    /// The provider's name for the person, 1 to 255 bytes; with ``provider`` it is the person.
    package let subject: String
    package let issuer: String
    /// Which of our client ids it was said to; nil when the provider's profile said it, without ID token.
    package let client: String?
    /// As the provider writes it; nil when it gave none, or something that is no address.
    package let email: String?
    /// Whether the provider vouches for ``email``.
    package let isEmailVerified: Bool
    /// Whether ``email`` is one of Apple's that forward to one the person did not tell.
    package let isPrivateRelay: Bool
    /// Names for people to read: at most 100 code points, no control characters, never empty.
    package private(set) var name: String?
    package private(set) var givenName: String?
    package private(set) var familyName: String?
    /// https, at most 2,048 bytes.
    package let picture: String?
    /// nil where no ID token said it, or one that nothing tells from another.
    package internal(set) var token: IDTokenMark?
    /// When the person last proved to the provider who they are, if it says so.
    package let authenticatedAt: Instant?
    /// What becomes `identity_data`, and is merged into `user_metadata` (contract 3.2 and 3.3).
    package private(set) var data: JSONObject

    /// The same with a name from elsewhere, if the provider gave none: Apple tells it once, beside the token.
    package func naming(_ person: PersonName?) -> VerifiedIdentity {
        guard let person, name == nil else { return self }
        var named = self
        named.name = person.full
        named.givenName = person.given ?? givenName
        named.familyName = person.family ?? familyName
        named.data["name"] = .string(person.full)
        named.data["full_name"] = .string(person.full)
        return named
    }
}

extension VerifiedIdentity {
    /// - Parameters:
    ///   - claims: Of the ID token, or the provider's profile; any types.
    ///   - client: Nil when it is the profile.
    init(
        _ claims: ProfileClaims, subject: String, issuer: String, client: String?, settings: ProviderSettings
    ) {
        provider = settings.name
        self.subject = subject
        self.issuer = issuer
        self.client = client
        let email = claims.email
        self.email = email
        isEmailVerified = email != nil && claims.vouchesForEmail(settings.kind)
        isPrivateRelay = email != nil && claims.isPrivateRelay(settings.kind)
        name = claims.readable("name")
        givenName = claims.readable("given_name")
        familyName = claims.readable("family_name")
        picture = claims.picture
        token = nil
        authenticatedAt = claims.time("auth_time")
        data = [:]
        data = IdentityData(claims: claims, identity: self).members(settings.kind)
    }
}

/// A name as people write it, given beside an identity and not signed by anybody.
package struct PersonName: Equatable, Sendable {
    package let given: String?
    package let family: String?
    /// Both, as far as they are there, 100 code points at most.
    package let full: String

    /// - Returns: nil when nothing readable is left.
    package init?(given: String?, family: String?) {
        func readable(_ text: String?) -> String? {
            let cut = DisplayText.cut(text ?? "", to: 100)
            return cut.isEmpty ? nil : cut
        }
        (self.given, self.family) = (readable(given), readable(family))
        full = DisplayText.cut([self.given, self.family].compactMap(\.self).joined(separator: " "), to: 100)
        guard !full.isEmpty else { return nil }
    }

    /// Reads the `user` field that Apple posts with the first consent:
    /// `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"…"}`. The address in it is not signed and not
    /// read; the one in the ID token counts.
    package init?(appleUser text: String) {
        // Lost: why it is unreadable. It went through the person's browser, and the sign-in is good without it.
        guard text.utf8.count <= 4_096, let name = (try? JSONReader.read(text))?["name"] else { return nil }
        self.init(given: name["firstName"]?.stringValue, family: name["lastName"]?.stringValue)
    }
}
