import AccountDomain
import AuthServer
import GatehouseWire
import ProfileGateway
import WebPages

/// With Supabase's names where it has them.
extension Setting {
    package static let oauthServerEnabled = Setting(
        "oauth_server_enabled", .gotrue, .flag(false),
        "Lets [other apps and agents](oauth-server.md) ask users for access (OAuth 2.1, OpenID Connect).")
    package static let oauthPath = Setting(
        "oauth_server_authorization_path", .gotrue, .text(),
        "Path on `site_url` of the app's own page, or universal link, that asks for consent. Default: the account page."
    )
    package static let oauthRegistration = Setting(
        "oauth_server_allow_dynamic_registration", .gotrue, .flag(false),
        "Lets clients register themselves (RFC 7591).")
    package static let oauthDocuments = Setting(
        "oauth_client_documents", .none, .flag(true),
        "Accepts the https URL of its metadata document as a client's ID.")
    package static let oauthUsualScope = Setting(
        "oauth_server_default_scope", .gotrue, .text("email"), "Scopes of a request that names none.")
    package static let oauthScopes = Setting(
        "oauth_scopes", .none, .text(),
        "Path of a JSON file with the app's own scopes in plain words: `{\"scores:read\":{\"en\":\"Read your scores\"}}`."
    )
    package static let oauthResources = Setting(
        "oauth_resources", .none, .text(),
        "Comma-separated addresses of the APIs that access tokens may be for: `https://api.example.org/mcp`.")
    package static let oauthProfileRead = Setting(
        "oauth_profile_read_scope", .none, .text(),
        "The scope of `oauth_scopes` with which clients read [profiles](oauth-server.md#profiles).")
    package static let oauthProfileWrite = Setting(
        "oauth_profile_write_scope", .none, .text(), "The scope with which they read and change profiles.")

    package static let oauth: [Setting] = [
        oauthServerEnabled, oauthPath, oauthRegistration, oauthDocuments, oauthUsualScope, oauthScopes, oauthResources,
        oauthProfileRead, oauthProfileWrite,
    ]
}

extension SettingsReader {
    /// nil without the OAuth server.
    mutating func oauthRules(_ auth: AuthSettings, _ pages: PageSettings?) -> OAuthRules? {
        let own = file(.oauthScopes) { try OAuthScopeFile($0).scopes } ?? []
        guard flag(.oauthServerEnabled) else { return nil }
        var rules = OAuthRules(consentPage: pages?.consent ?? "", devicePage: pages?.device ?? "")
        if let path = text(.oauthPath) {
            let site = auth.redirects.siteURL
            let page = (site.hasSuffix("/") ? String(site.dropLast()) : site) + path
            if !path.hasPrefix("/") || URLParts(page)?.isWeb != true {
                refuse(.oauthPath, "expected a path such as /oauth/consent, on a site_url of http or https")
            }
            rules.consentPage = page
            if pages == nil { rules.devicePage = page }
        } else if pages == nil {
            refuse(
                .oauthServerEnabled,
                "needs \(Setting.accountPages.environmentName) or \(Setting.oauthPath.environmentName)")
        }
        rules.allowsRegistration = flag(.oauthRegistration)
        rules.readsDocuments = flag(.oauthDocuments)
        rules.ownScopes = own
        rules.resources = resources()
        rules.appName = appName ?? ""
        let names = OAuthScopes(text(.oauthUsualScope) ?? "")
        guard let names, !names.names.isEmpty, names.names.allSatisfy({ rules.scopeNames.contains($0) }) else {
            refuse(.oauthUsualScope, "expected scopes such as email, or of \(Setting.oauthScopes.environmentName)")
            return rules
        }
        rules.usualScopes = names
        return rules
    }

    /// nil unless a setting names a scope, in a server with both parts. Adds the resource to the OAuth server's.
    mutating func clientAccess(_ auth: inout AuthSettings, _ parts: Set<ServedPart>) -> ClientRights? {
        let (read, write) = (text(.oauthProfileRead), text(.oauthProfileWrite))
        guard read != nil || write != nil else { return nil }
        guard let rules = auth.oauth, parts.contains(.gateway) else {
            let setting: Setting = read == nil ? .oauthProfileWrite : .oauthProfileRead
            refuse(setting, "needs \(Setting.oauthServerEnabled.environmentName) and the gateway in the same server")
            return nil
        }
        for (setting, name) in [(Setting.oauthProfileRead, read), (.oauthProfileWrite, write)] {
            guard let name, !rules.ownScopes.contains(where: { $0.name == name }) else { continue }
            refuse(setting, "expected a scope of \(Setting.oauthScopes.environmentName)")
        }
        guard let origin = URLParts(auth.externalURL)?.origin else { return nil }
        let path = "/v1/auth/me"
        if text(.jwtAudience) == origin + path {
            refuse(.jwtAudience, "is the audience of clients' tokens for profiles")
        }
        if !rules.resources.contains(origin + path) { auth.oauth?.resources.append(origin + path) }
        return ClientRights(
            resource: origin + path, metadata: origin + OAuthRules.resourceMetadataPath + path, readScope: read,
            writeScope: write)
    }

    private mutating func resources() -> [String] {
        let found = list(.oauthResources)
        // Otherwise clients' tokens would open the users' own API.
        if let audience = text(.jwtAudience), found.contains(audience) {
            refuse(.oauthResources, "has the audience of users' tokens (\(Setting.jwtAudience.environmentName))")
        }
        for resource in found {
            guard let url = URLParts(resource), url.isWeb, url.hasUnambiguousHost, !url.rest.contains(ascii: "#"),
                url.scheme == "https" || URLParts.loopbackHosts.contains(url.host)
            else {
                refuse(
                    .oauthResources, "expected https addresses without fragment, such as https://api.example.org/mcp")
                return []
            }
        }
        return found
    }
}

/// The app's own scopes, by name and language.
private struct OAuthScopeFile {
    let scopes: [OAuthScopeText]

    init(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let members = try JSONReader.read(text).objectValue else {
            throw UnusableScopes(description: "expected an object of scopes")
        }
        scopes = try members.keys.sorted().map { name in
            guard OAuthScopes.isName(name), !OAuthScopes.standard.contains(name) else {
                throw UnusableScopes(description: "\(name) cannot be the name of a scope")
            }
            let texts = members[name]?.objectValue ?? [:]
            guard texts["en"]?.stringValue?.isEmpty == false else {
                throw UnusableScopes(description: "\(name) has no English text")
            }
            return OAuthScopeText(
                name,
                texts.keys.sorted().compactMap { language in
                    texts[language]?.stringValue.map { (language, $0.cut(to: 200)) }
                })
        }
    }
}

private struct UnusableScopes: Error, CustomStringConvertible {
    let description: String
}
