import GatehouseWire

extension Setting {
    /// A one-line description of a setting for redirects or providers, in Markdown; nil for other settings.
    var providerSummary: String? {
        switch self {
        case .uriAllowList:
            "Comma-separated addresses that browsers may be sent back to, besides `site_url`: letter by letter, custom "
                + "schemes too (`boxscore://signed-in`). One on `http://127.0.0.1` or `http://localhost` stands for "
                + "every port there."
        case .redirectPatterns:
            "Whether the entries of `uri_allow_list` are patterns, as in Supabase (`https://*.example.org/**`), and "
                + "every address of the site is allowed."
        case .implicitFlow:
            "Whether tokens may come back in an address's fragment, for clients without PKCE. RFC 9700 advises "
                + "against it."
        case .plainProofKeys: "Whether a PKCE verifier may be its own challenge (`plain`)."
        case .manualLinking: "Whether people who are signed in may link and unlink sign-in methods."
        case .openIDProviders:
            "Other OpenID providers: a JSON array, see [below](#any-other-openid-provider)."
        case .outgoingNetworks:
            "Comma-separated networks (`10.1.0.0/16`) that providers may be in although they are not public."
        case .outgoingLoopback:
            "Whether providers may be on this machine, with http too: for stand-ins. Not for servers that others use."
        default: appleSummary ?? googleSummary ?? keycloakSummary
        }
    }

    private var appleSummary: String? {
        switch self {
        case .appleEnabled: "Sign in with Apple."
        case .appleClientID: "Comma-separated: the Services ID first, which browsers use, then bundle ids."
        case .iosBundleID: "One more bundle id, behind those of `external_apple_client_id`."
        case .appleKey:
            "The text of Apple's .p8 file; line breaks may be written `\\n`. With it client secrets are signed as they "
                + "are needed, and none runs out."
        case .appleKeyID: "The id of that key: ten capital letters and digits."
        case .appleTeamID: "The team that the key belongs to: ten capital letters and digits."
        case .appleSecret:
            "A ready-made client secret, for at most six months; `gatehouse doctor` tells when it ends. Does not count "
                + "beside `external_apple_key`. Without either: sign-in from apps, not from browsers."
        case .appleRedirectURI: redirectSummary
        case .appleURL: "Where a stand-in for Apple is, in front of `/auth/…`; also the issuer of its tokens."
        case .appleSkipNonceCheck: nonceSummary
        case .appleEmailOptional: emailSummary
        case .appleLinking: linkingSummary
        default: nil
        }
    }

    private var googleSummary: String? {
        switch self {
        case .googleEnabled: "Sign in with Google."
        case .googleClientID: "Comma-separated: the web client first, which browsers use, then those of the apps."
        case .googleSecret: "The web client's secret. Without it: sign-in from apps, not from browsers."
        case .googleRedirectURI: redirectSummary
        case .googleURL: "The issuer of a stand-in for Google; its discovery document is below it."
        case .googleSkipNonceCheck: nonceSummary
        case .googleEmailOptional: emailSummary
        case .googleLinking: linkingSummary
        default: nil
        }
    }

    private var keycloakSummary: String? {
        switch self {
        case .keycloakEnabled: "Sign-in through a Keycloak."
        case .keycloakClientID: "Comma-separated; browsers use the first."
        case .keycloakSecret: "The first client's secret. Without it: sign-in from apps, not from browsers."
        case .keycloakRedirectURI: redirectSummary
        case .keycloakURL: "The realm, as its tokens name it: `https://id.example.org/realms/staff`."
        case .keycloakSkipNonceCheck: nonceSummary
        case .keycloakEmailOptional: emailSummary
        case .keycloakLinking: linkingSummary
        default: nil
        }
    }

    private var redirectSummary: String {
        "Ours, as it is registered with the provider. Without a value: `external_url` + `/callback`."
    }

    private var nonceSummary: String {
        "For apps that cannot know the nonce in their ID token. Browsers' nonces are checked all the same."
    }

    private var emailSummary: String { "Whether an account may begin without an e-mail address." }

    private var linkingSummary: String {
        "`automatic`, `confirm` or `never`: what happens when an account has proven the same address, see "
            + "[linking.md](linking.md)."
    }
}
