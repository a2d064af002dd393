package import GatehouseWire

package struct VerifiedIdentity: Equatable, Sendable {
    /// ``ProviderSettings/name``.
    package let provider: String
    /// 1 to 255 bytes, unique within ``provider``.
    package let subject: String
    package let issuer: String
    /// In the audience; nil for an identity from the profile.
    package let client: String?
    /// As the provider wrote it; nil if malformed.
    package let email: String?
    package let isEmailVerified: Bool
    /// Apple's relay address.
    package let isPrivateRelay: Bool
    /// At most 100 code points, no control characters, never empty.
    package private(set) var name: String?
    package private(set) var givenName: String?
    package private(set) var familyName: String?
    /// An https URL of at most 2,048 bytes.
    package let picture: String?
    /// nil without an ID token, or without a unique mark in it.
    package internal(set) var token: IDTokenFingerprint?
    package let authenticatedAt: Instant?
    /// Stored as `identity_data`, and merged into `user_metadata`.
    package private(set) var data: AuthJSONObject

    /// Fills a missing name: Apple sends it only once, next to the token.
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
    init(
        _ claims: ProfileClaims, subject: String, issuer: String, client: String?, settings: ProviderSettings
    ) {
        provider = settings.name
        self.subject = subject
        self.issuer = issuer
        self.client = client
        let email = claims.email
        self.email = email
        isEmailVerified = email != nil && claims.vouchesForEmail(settings)
        isPrivateRelay = email != nil && claims.isPrivateRelay(settings.kind)
        name = claims.readable("name")
        givenName = claims.readable("given_name")
        familyName = claims.readable("family_name")
        picture = claims.picture
        token = nil
        authenticatedAt = claims.time("auth_time")
        data = [:]
        data = IdentityData(claims: claims, identity: self).members(settings)
    }
}

/// Not signed.
package struct PersonName: Equatable, Sendable {
    package let given: String?
    package let family: String?
    /// At most 100 code points.
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

    /// Apple's first consent: `{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"…"}`. Ignores its address:
    /// unlike the ID token's, it is not signed.
    package init?(appleUser text: String) {
        // Ignored: it passed through the browser, and sign-in works without it.
        guard text.utf8.count <= 4_096, let name = (try? JSONReader.read(text))?["name"] else { return nil }
        self.init(given: name["firstName"]?.stringValue, family: name["lastName"]?.stringValue)
    }
}
