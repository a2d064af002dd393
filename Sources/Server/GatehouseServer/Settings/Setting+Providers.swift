import AccountDomain
import GatehouseWire

extension Setting {
    // Redirects, and sign-in through providers.
    package static let uriAllowList = Setting(
        "uri_allow_list", .gotrue, .text(),
        "Comma-separated addresses that browsers may be sent back to, besides `site_url`: letter by letter, custom "
            + "schemes too (`boxscore://signed-in`). One on `http://127.0.0.1` or `http://localhost` stands for every "
            + "port there.")
    package static let redirectPatterns = Setting(
        "redirect_patterns", .none, .flag(false),
        "Whether the entries of `uri_allow_list` are patterns, as in Supabase (`https://*.example.org/**`), and every "
            + "address of the site is allowed.")
    package static let implicitFlow = Setting(
        "external_implicit_flow_enabled", .none, .flag(false),
        "Whether tokens may come back in an address's fragment, for clients without PKCE. RFC 9700 advises against it.")
    package static let plainProofKeys = Setting(
        "external_plain_pkce_enabled", .none, .flag(false),
        "Whether a PKCE verifier may be its own challenge (`plain`).")
    package static let manualLinking = Setting(
        "security_manual_linking_enabled", .gotrue, .flag(true),
        "Whether people who are signed in may link and unlink sign-in methods.")
    package static let iosBundleID = Setting(
        "external_ios_bundle_id", .gotrue, .text(), "One more bundle id, behind those of `external_apple_client_id`.")
    package static let appleKey = Setting(
        "external_apple_key", .none, .secret,
        "The text of Apple's .p8 file; line breaks may be written `\\n`. With it client secrets are signed as they "
            + "are needed, and none runs out.")
    package static let appleKeyID = Setting(
        "external_apple_key_id", .none, .text(), "The id of that key: ten capital letters and digits.")
    package static let appleTeamID = Setting(
        "external_apple_team_id", .none, .text(), "The team that the key belongs to: ten capital letters and digits.")
    package static let openIDProviders = Setting(
        "openid_providers", .none, .secret,
        "Other OpenID providers: a JSON array, see [below](#any-other-openid-provider).")
    package static let outgoingNetworks = Setting(
        "outgoing_networks", .none, .text(),
        "Comma-separated networks (`10.1.0.0/16`) that providers may be in although they are not public.")
    package static let outgoingLoopback = Setting(
        "outgoing_loopback", .none, .flag(false),
        "Whether providers may be on this machine, with http too: for stand-ins. Not for servers that others use.")
}

/// The settings of a provider that has variables of its own, `GATEHOUSE_EXTERNAL_NAME_…`.
struct ProviderNames: Sendable {
    let enabled, clientID, secret, redirectURI, url, skipNonceCheck, emailOptional, linking: Setting

    static let apple = ProviderNames(
        "apple", "Sign in with Apple.",
        clientID: "Comma-separated: the Services ID first, which browsers use, then bundle ids.",
        secret: "A ready-made client secret, for at most six months; `gatehouse doctor` tells when it ends. Does not "
            + "count beside `external_apple_key`. Without either: sign-in from apps, not from browsers.",
        url: "Where a stand-in for Apple is, in front of `/auth/…`; also the issuer of its tokens.",
        isEmailOptional: true)
    static let google = ProviderNames(
        "google", "Sign in with Google.",
        clientID: "Comma-separated: the web client first, which browsers use, then those of the apps.",
        secret: "The web client's secret. Without it: sign-in from apps, not from browsers.",
        url: "The issuer of a stand-in for Google; its discovery document is below it.")
    static let keycloak = ProviderNames(
        "keycloak", "Sign-in through a Keycloak.", clientID: "Comma-separated; browsers use the first.",
        secret: "The first client's secret. Without it: sign-in from apps, not from browsers.",
        url: "The realm, as its tokens name it: `https://id.example.org/realms/staff`.", linking: .confirm)
    static let all = [apple, google, keycloak]

    private init(
        _ name: String, _ enabled: String, clientID: String, secret: String, url: String, isEmailOptional: Bool = false,
        linking policy: LinkingPolicy = .automatic
    ) {
        let key = "external_\(name)_"
        self.enabled = Setting(key + "enabled", .gotrue, .flag(false), enabled)
        self.clientID = Setting(key + "client_id", .gotrue, .text(), clientID)
        self.secret = Setting(key + "secret", .gotrue, .secret, secret)
        redirectURI = Setting(
            key + "redirect_uri", .gotrue, .text(),
            "Ours, as it is registered with the provider. Without a value: `external_url` + `/callback`.")
        self.url = Setting(key + "url", .gotrue, .text(), url)
        skipNonceCheck = Setting(
            key + "skip_nonce_check", .gotrue, .flag(false),
            "For apps that cannot know the nonce in their ID token. Browsers' nonces are checked all the same.")
        emailOptional = Setting(
            key + "email_optional", .gotrue, .flag(isEmailOptional),
            "Whether an account may begin without an email address.")
        linking = Setting(
            key + "linking", .none, .text(policy.rawValue),
            "`automatic`, `confirm` or `never`: what happens when an account has proven the same address, see "
                + "[linking.md](linking.md).")
    }

    var settings: [Setting] { [enabled, clientID, secret, redirectURI, url, skipNonceCheck, emailOptional, linking] }
}
