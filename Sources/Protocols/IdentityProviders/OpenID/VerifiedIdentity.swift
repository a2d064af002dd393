package import GatehouseWire

/// A user's verified identity at a provider. Contains nothing about accounts.
package struct VerifiedIdentity: Equatable, Sendable {
    /// ``ProviderSettings/name``.
    package let provider: String
    /// The provider's id of the user, 1 to 255 bytes, unique together with ``provider``.
    package let subject: String
    package let issuer: String
    /// The client id in the token's audience; nil if the identity comes from the provider's profile.
    package let client: String?
    /// The address as the provider wrote it; nil if there is none or it is malformed.
    package let email: String?
    /// Whether the provider verified ``email``.
    package let isEmailVerified: Bool
    /// Whether ``email`` is a relay address of Apple's that hides the real one.
    package let isPrivateRelay: Bool
    /// Display names: at most 100 code points, no control characters, never empty.
    package private(set) var name: String?
    package private(set) var givenName: String?
    package private(set) var familyName: String?
    /// An https URL of at most 2,048 bytes.
    package let picture: String?
    /// nil without an ID token, or if the token has no unique mark.
    package internal(set) var token: IDTokenFingerprint?
    /// When the user last authenticated at the provider, if it says so.
    package let authenticatedAt: Instant?
    /// Stored as `identity_data`, and merged into `user_metadata`.
    package private(set) var data: AuthJSONObject

    /// The identity with a name from elsewhere, if the provider gave none: Apple sends it only once, along with the
    /// token.
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
    ///   - claims: The claims of the ID token, or the provider's profile; of any type.
    ///   - client: nil for the profile.
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

/// A name sent with an identity but not signed.
package struct PersonName: Equatable, Sendable {
    package let given: String?
    package let family: String?
    /// Given and family name, at most 100 code points.
    package let full: String

    /// - Returns: nil if no printable text remains.
    package init?(given: String?, family: String?) {
        func readable(_ text: String?) -> String? {
            let cut = DisplayText.cut(text ?? "", to: 100)
            return cut.isEmpty ? nil : cut
        }
        (self.given, self.family) = (readable(given), readable(family))
        full = DisplayText.cut([self.given, self.family].compactMap(\.self).joined(separator: " "), to: 100)
        guard !full.isEmpty else { return nil }
    }

    /// Parses the `user` field that Apple posts with the first consent:
    /// `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"…"}`. Ignores its email address, which is not
    /// signed; the ID token contains the address too.
    package init?(appleUser text: String) {
        // Ignored: it passed through the user's browser, and the sign-in is valid without it.
        guard text.utf8.count <= 4_096, let name = (try? JSONReader.read(text))?["name"] else { return nil }
        self.init(given: name["firstName"]?.stringValue, family: name["lastName"]?.stringValue)
    }
}
