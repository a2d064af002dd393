package import AccountDomain
package import GatehouseWire

/// The OAuth server for other apps and agents (draft-ietf-oauth-v2-1, OpenID Connect Core 1.0).
package struct OAuthRules: Sendable {
    /// Asks the user; `authorization_id` is added.
    package var consentPage: String
    /// Where a user enters a device's code (RFC 8628 §3.2).
    package var devicePage: String
    /// RFC 7591, without an administrator.
    package var allowsRegistration = false
    /// Accepts the URL of its metadata as a client's ID.
    package var readsDocuments = true
    /// Without `scope` in the request.
    package var usualScopes = OAuthScopes(trusted: [OAuthScopes.email])
    /// The deployment's own, in addition to ``OAuthScopes/standard``.
    package var ownScopes: [OAuthScopeText] = []
    /// The APIs that access tokens may be for (RFC 8707).
    package var resources: [String] = []
    /// Unverified clients may not call themselves so.
    package var appName = ""

    package init(consentPage: String, devicePage: String) {
        (self.consentPage, self.devicePage) = (consentPage, devicePage)
    }

    /// RFC 9728 §3.1; the resource's path follows.
    package static let resourceMetadataPath = "/.well-known/oauth-protected-resource"

    package var scopeNames: [String] { OAuthScopes.standard + ownScopes.map(\.name) }
}

/// A scope in plain words.
package struct OAuthScopeText: Sendable {
    package let name: String
    /// By language.
    private let texts: [(language: String, text: String)]

    /// - Parameter texts: Has `en`.
    package init(_ name: String, _ texts: [(language: String, text: String)]) {
        (self.name, self.texts) = (name, texts)
    }

    /// - Parameter languages: As preferred, such as `de-AT`.
    package func text(for languages: [String]) -> String {
        for wanted in languages {
            if let found = texts.first(where: { $0.language == wanted }) { return found.text }
            let base = wanted.split(ascii: "-").first.map(String.init)
            if let found = texts.first(where: { $0.language == base }) { return found.text }
        }
        return texts.first { $0.language == "en" }?.text ?? name
    }
}
