package import GatehouseWire

package typealias OAuthClientID = Identifier<OAuthClient>

/// An app or agent that acts for users (RFC 6749 §2).
package struct OAuthClient: Sendable {
    /// `token_endpoint_auth_method` (RFC 7591 §2).
    package enum Authentication: String, CaseIterable, Sendable {
        case none
        case basic = "client_secret_basic"
        case post = "client_secret_post"
    }

    package enum Registration: String, CaseIterable, Sendable {
        /// By an administrator.
        case manual
        /// By the client itself (RFC 7591).
        case dynamic
        /// The client's ID is the URL of its metadata (draft-ietf-oauth-client-id-metadata-document).
        case document
    }

    package enum Grant: String, CaseIterable, Sendable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        /// RFC 8628 §3.4.
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    }

    package var id: OAuthClientID
    /// The URL of its metadata; nil unless ``Registration/document``.
    package var document: String?
    package var registration: Registration
    package var metadata: OAuthClientMetadata
    /// An administrator has checked name and logo.
    package var isVerified: Bool
    package var createdAt: Instant
    package var updatedAt: Instant
    /// Until when the document's content is used without another request.
    package var freshUntil: Instant?

    package init(
        id: OAuthClientID, document: String? = nil, registration: Registration, metadata: OAuthClientMetadata,
        isVerified: Bool, createdAt: Instant
    ) {
        self.id = id
        self.document = document
        self.registration = registration
        self.metadata = metadata
        self.isVerified = isVerified
        self.createdAt = createdAt
        updatedAt = createdAt
    }

    /// Its `client_id`.
    package var publicID: String { document ?? id.text }
    package var isConfidential: Bool { metadata.authentication != .none }

    /// Compares bytes. A public client on the user's machine may choose another port (RFC 8252 §7.3).
    package func mayReceive(at redirectURI: String) -> Bool {
        metadata.redirectURIs.contains { registered in
            if registered == redirectURI { return true }
            guard !isConfidential, let one = URLParts(registered), let other = URLParts(redirectURI) else {
                return false
            }
            return one.scheme == "http" && other.scheme == "http" && URLParts.loopbackHosts.contains(one.host)
                && one.host == other.host && one.rest == other.rest
        }
    }

    /// Whether only this client can receive what is sent to the address, so that a remembered consent may answer
    /// (RFC 8252 §8.6).
    package func isKnown(by redirectURI: String) -> Bool {
        isConfidential || URLParts(redirectURI)?.scheme == "https"
    }

    /// Of its document, or of its pages if an administrator vouches for them.
    package var host: String? { (document ?? (isVerified ? metadata.uri : nil)).flatMap(URLParts.init)?.host }
}

/// RFC 7591 §2, as far as it is used.
package struct OAuthClientMetadata: Sendable {
    package static let mostRedirectURIs = 10
    /// In code points.
    package static let longestName = 100

    package var name: String
    package var uri: String?
    package var logo: String?
    package var redirectURIs: [String]
    package var grants: [OAuthClient.Grant] = [.authorizationCode, .refreshToken]
    package var authentication: OAuthClient.Authentication = .basic
    /// Beyond which it gets nothing; nil for every scope of the server.
    package var scopes: OAuthScopes?

    package init(name: String, redirectURIs: [String]) { (self.name, self.redirectURIs) = (name, redirectURIs) }
}

extension OAuthClientMetadata {
    /// Whether browsers may return there: https; http on this machine; an app's own scheme. No fragment (RFC 6749
    /// §3.1.2).
    ///
    /// - Parameter isVouched: false needs a scheme that is a domain of the app's (RFC 8252 §7.1).
    package static func isRedirectURI(_ text: String, isVouched: Bool = true) -> Bool {
        guard let url = URLParts(text), !url.rest.contains(ascii: "#"), url.hasOnlyURLCharacters else { return false }
        guard url.isWeb else {
            return (url.hasAuthority || url.rest.hasPrefix("/")) && !systemSchemes.contains(url.scheme)
                && (isVouched || url.scheme.contains(ascii: "."))
        }
        guard url.hasUnambiguousHost else { return false }
        return url.scheme == "https" || URLParts.loopbackHosts.contains(url.host)
    }

    /// Schemes of browsers and systems, which no app owns.
    private static let systemSchemes = [
        "intent", "chrome-extension", "moz-extension", "safari-web-extension", "ws", "wss", "ftp", "mailto", "tel",
        "sms", "view-source", "filesystem", "content", "market", "itms-apps", "ms-settings", "ssh", "git",
    ]

    /// false for a name with control or direction characters, which would display as another name.
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longestName * 4 && text.unicodeScalars.count <= longestName
            && !text.unicodeScalars.contains { $0.isDeceptive }
            && text.unicodeScalars.contains { !$0.properties.isWhitespace }
    }

    package var json: AuthJSON {
        let members: [String: AuthJSON?] = [
            "client_name": .string(name), "client_uri": uri.map(AuthJSON.string), "logo_uri": logo.map(AuthJSON.string),
            "redirect_uris": .array(redirectURIs.map(AuthJSON.string)),
            "grant_types": .array(grants.map { .string($0.rawValue) }),
            "token_endpoint_auth_method": .string(authentication.rawValue),
            "scope": (scopes?.text).map(AuthJSON.string),
        ]
        return .object(AuthJSONObject(members.compactMapValues(\.self)))
    }

    package init(stored json: AuthJSON) {
        name = json["client_name"]?.stringValue ?? ""
        uri = json["client_uri"]?.stringValue
        logo = json["logo_uri"]?.stringValue
        redirectURIs = (json["redirect_uris"]?.arrayValue ?? []).compactMap(\.stringValue)
        grants = (json["grant_types"]?.arrayValue ?? []).compactMap {
            $0.stringValue.flatMap(OAuthClient.Grant.init(text:))
        }
        authentication =
            (json["token_endpoint_auth_method"]?.stringValue).flatMap(OAuthClient.Authentication.init(text:)) ?? .basic
        scopes = (json["scope"]?.stringValue).flatMap(OAuthScopes.init)
    }
}
