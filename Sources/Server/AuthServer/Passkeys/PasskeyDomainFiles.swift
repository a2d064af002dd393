import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird
import WebAuthn

/// Fetched by browsers and phones from the passkeys' domain, at the server's root.
package struct WellKnownFiles: Sendable {
    static let appleAppSiteAssociation = "/.well-known/apple-app-site-association"
    static let assetLinks = "/.well-known/assetlinks.json"
    package static let relatedOrigins = "/.well-known/webauthn"
    package static let passkeyEndpoints = "/.well-known/passkey-endpoints"

    /// A file without contents does not exist.
    package let contents: [(path: String, json: String)]

    /// - Parameter accountPage: Where people manage their passkeys.
    package init(_ identity: AppIdentity, accountPage: String?) {
        var contents: [(path: String, json: String)] = []
        if !identity.apps.apple.isEmpty {
            contents.append((Self.appleAppSiteAssociation, Self.association(identity.apps.apple)))
        }
        if !identity.apps.android.isEmpty {
            contents.append((Self.assetLinks, Self.assetLinks(identity.apps.android)))
        }
        let origins = identity.party.origins.filter { $0.host != nil }.map(\.text)
        contents.append((Self.relatedOrigins, AuthJSON.object(["origins": .array(origins.map(AuthJSON.string))]).text))
        if let accountPage {
            let page = AuthJSON.string(accountPage)
            contents.append((Self.passkeyEndpoints, AuthJSON.object(["enroll": page, "manage": page]).text))
        }
        self.contents = contents
    }

    /// Public, so any site may read them.
    package func table(_ runtime: ServerRuntime) -> RouteTable {
        let group = RouteGroup(
            prefixes: [""], format: .profile, crossOrigin: CrossOriginPolicy(), cacheControl: "public, max-age=3600")
        return RouteTable(
            group: group, runtime: runtime,
            contents.map { file in
                let bytes = Array(file.json.utf8)
                return Route(.get, file.path) { _, _ in Answer.json(bytes) }
            })
    }

    /// `webcredentials` shares passwords and passkeys ([Supporting associated
    /// domains](https://developer.apple.com/documentation/xcode/supporting-associated-domains)).
    private static func association(_ apps: [String]) -> String {
        AuthJSON.object(["webcredentials": ["apps": .array(apps.map(AuthJSON.string))]]).text
    }

    /// One statement per package, with all of its certificates ([Digital Asset
    /// Links](https://developers.google.com/digital-asset-links/v1/statements)).
    private static func assetLinks(_ apps: [AppIdentifiers.Android]) -> String {
        var packages: [String] = []
        for app in apps where !packages.contains(app.package) { packages.append(app.package) }
        let statements = packages.map { package -> AuthJSON in
            let prints = apps.filter { $0.package == package }.map { AuthJSON.string($0.fingerprint) }
            return [
                "relation": [
                    "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
                ],
                "target": [
                    "namespace": "android_app", "package_name": .string(package),
                    "sha256_cert_fingerprints": .array(prints),
                ],
            ]
        }
        return AuthJSON.array(statements).text
    }
}
