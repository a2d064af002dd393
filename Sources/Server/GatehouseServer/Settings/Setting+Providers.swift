import AccountDomain
import GatehouseWire
import IdentityProviders

extension Setting {
    // Redirects and providers.
    package static let uriAllowList = Setting(
        "uri_allow_list", .gotrue, .text(),
        "Comma-separated exact addresses that browsers may return to, such as `boxscore://signed-in`. "
            + "`http://127.0.0.1` and `http://localhost` include every port.")
    package static let redirectPatterns = Setting(
        "redirect_patterns", .none, .flag(false),
        "Treats `uri_allow_list` as patterns, as Supabase does (`https://*.example.org/**`), and allows every "
            + "address on the origin of `site_url`.")
    package static let implicitFlow = Setting(
        "external_implicit_flow_enabled", .none, .flag(false),
        "Allows tokens in the URL fragment, for clients without PKCE. RFC 9700 advises against it.")
    package static let plainProofKeys = Setting(
        "external_plain_pkce_enabled", .none, .flag(false),
        "Allows PKCE's `plain` method: the verifier is its own challenge.")
    package static let manualLinking = Setting(
        "security_manual_linking_enabled", .gotrue, .flag(true),
        "Lets signed-in users link and remove sign-in methods.")
    package static let iosBundleID = Setting(
        "external_ios_bundle_id", .gotrue, .text(),
        "One more bundle ID for `external_apple_client_id`.")
    package static let appleKey = Setting(
        "external_apple_key", .none, .secret,
        "Text of Apple's .p8 key; line breaks may be `\\n`. Signs client secrets when needed.")
    package static let appleKeyID = Setting(
        "external_apple_key_id", .none, .text(),
        "That key's ID: ten capital letters and digits.")
    package static let appleTeamID = Setting(
        "external_apple_team_id", .none, .text(),
        "That key's team ID: ten capital letters and digits.")
    package static let openIDProviders = Setting(
        "openid_providers", .none, .secret,
        "JSON array of OpenID providers, see below.")
    package static let oauthProviders = Setting(
        "oauth_providers", .none, .secret,
        "JSON array of providers without OpenID Connect, see [providers.md](providers.md).")
    package static let outgoingNetworks = Setting(
        "outgoing_networks", .none, .text(),
        "Comma-separated private networks (`10.1.0.0/16`) where providers are allowed.")
    package static let outgoingLoopback = Setting(
        "outgoing_loopback", .none, .flag(false),
        "Allows providers on this machine, even over http. For development only.")
}

/// `GATEHOUSE_EXTERNAL_NAME_…`.
struct ProviderNames: Sendable {
    let enabled, clientID, secret, redirectURI, url, skipNonceCheck, emailOptional, linking: Setting

    static let apple = ProviderNames(
        "apple",
        clientID: "Comma-separated client IDs: the Services ID for browsers, then bundle IDs.",
        secret: "Client secret generated in advance, valid for up to six months. Ignored with "
            + "`external_apple_key`. Without either, only apps can sign in.",
        url: "URL of a stand-in for Apple, without `/auth/…`; also its tokens' issuer.",
        isEmailOptional: true)
    static let google = ProviderNames(
        "google",
        clientID: "Comma-separated client IDs: the web client, then the apps' clients.",
        secret: "The web client's secret. Without it, only apps can sign in.",
        url: "Issuer of a stand-in for Google, with its discovery document below.")
    static let keycloak = ProviderNames(
        "keycloak", clientID: "Comma-separated client IDs; browsers use the first.",
        secret: "The first client's secret. Without it, only apps can sign in.",
        url: "Issuer of the realm: `https://id.example.org/realms/staff`.", linking: .confirm)
    /// The rows of `providers.json`.
    static let known = KnownProvider.all.map(ProviderNames.init)
    static let all = [apple, google, keycloak] + known

    private init(_ provider: KnownProvider) {
        self.init(
            provider.name,
            clientID: "Comma-separated client IDs of a provider in [providers.md](providers.md): the web client first, "
                + "then the apps'.",
            secret: "The web client's secret.",
            url: "Base URL of your own installation (`https://github.example.org`), or Microsoft's tenant "
                + "(`https://login.microsoftonline.com/<tenant ID>`).",
            isEmailOptional: provider.isEmailOptional, linking: .confirm, sharesRows: true)
    }

    /// - Parameter sharesRows: Whether other providers are documented in the same rows.
    private init(
        _ name: String, clientID: String, secret: String, url: String, isEmailOptional: Bool = false,
        linking policy: LinkingPolicy = .automatic, sharesRows: Bool = false
    ) {
        let (key, anyKey) = ("external_\(name)_", "external_<provider>_")
        func row(_ name: String, if isShared: Bool) -> String? { isShared ? anyKey + name : nil }
        enabled = Setting(
            key + "enabled", .gotrue, .flag(false), "Enables sign-in through this provider.",
            documentedKey: anyKey + "enabled")
        self.clientID = Setting(
            key + "client_id", .gotrue, .text(), clientID, documentedKey: row("client_id", if: sharesRows))
        self.secret = Setting(key + "secret", .gotrue, .secret, secret, documentedKey: row("secret", if: sharesRows))
        redirectURI = Setting(
            key + "redirect_uri", .gotrue, .text(),
            "Redirect URI registered with the provider. Default: `external_url` + `/callback`.",
            documentedKey: anyKey + "redirect_uri")
        self.url = Setting(key + "url", .gotrue, .text(), url, documentedKey: row("url", if: sharesRows))
        skipNonceCheck = Setting(
            key + "skip_nonce_check", .gotrue, .flag(false),
            "Skips the nonce check for apps that cannot know their ID token's nonce, never for browsers.",
            documentedKey: anyKey + "skip_nonce_check")
        emailOptional = Setting(
            key + "email_optional", .gotrue, .flag(isEmailOptional), "Allows accounts without an email.",
            documentedKey: anyKey + "email_optional")
        linking = Setting(
            key + "linking", .none, .text(policy.rawValue),
            "If an account has the same proven email: `automatic`, `confirm` or `never` ([linking](linking.md)).",
            documentedKey: anyKey + "linking")
    }

    var settings: [Setting] { [enabled, clientID, secret, redirectURI, url, skipNonceCheck, emailOptional, linking] }
}
