package import AccountDomain
package import GatehouseWire

/// The defaults are the safe choices.
package struct AuthSettings: Sendable {
    /// The public URL without a trailing slash, such as `https://api.example.org/auth/v1`.
    package var externalURL: String
    /// The external URL by default.
    package var issuer: String
    /// Of its paths; an empty string is the root.
    package var prefixes = [""]
    /// In whole seconds.
    package var accessTokenLifetime: Duration = .seconds(3_600)
    package var tokenRoom = TokenRoom()
    package var allowsSignUp = true
    package var allowsAnonymousSignIn = false
    package var allowsEmail = true
    /// Confirms new addresses without a mail. Never proves their ownership.
    package var confirmsAutomatically = false
    /// nil disables mail.
    package var mail: MailRules?
    /// Sign-in and sign-up by phone. Needs ``texts``.
    package var allowsPhone = false
    /// nil disables text messages.
    package var texts: TextRules?
    package var passwordPolicy: PasswordPolicy
    /// Password responses are delayed to a multiple of this, so timing reveals nothing. Longer than checking any
    /// importable hash.
    package var passwordAnswerTime: Duration = .milliseconds(250)
    package var requiresCurrentPassword = false
    /// Users' sessions open and refresh only with a proof of a key from then on (RFC 9449); nil for never.
    package var keysRequiredFrom: Instant?
    package var redirects: RedirectAllowList
    /// Allows tokens in a URL's fragment, for clients without PKCE. RFC 9700 §2.1.2 advises against it.
    package var allowsImplicitFlow = false
    /// Allows the method `plain` (RFC 7636 §4.2).
    package var allowsPlainProofKeys = false
    package var allowsManualLinking = true
    /// nil disables the OAuth server.
    package var oauth: OAuthRules?
    /// Roles whose tokens may use the admin API.
    package var adminRoles = ["service_role", "supabase_admin"]
    package var apiKeys = APIKeys()
    /// For passkeys and WebAuthn factors; nil without either.
    package var identity: AppIdentity?
    /// nil disables passkeys.
    package var passkeys: PasskeyRules?
    /// The URL of their sign-in; nil without account pages.
    package var accountPages: String?
    /// The account page that takes an emailed code for a new password; nil without account pages.
    package var recoveryPage: String?
    /// The account page that takes an invitation's code; nil without account pages.
    package var invitationPage: String?
    /// The account page that removes connected apps; nil without account pages.
    package var connectedAppsPage: String?
    /// The account page that reports an unknown device; nil without account pages.
    package var deviceReportPage: String?
    /// nil without account pages.
    package var linkPageBrand: LinkPageBrand?
    /// Reported by `GET /health`.
    package var version: String

    package init(externalURL: String, passwordPolicy: PasswordPolicy = PasswordPolicy(), version: String) {
        self.externalURL = externalURL
        issuer = externalURL
        redirects = RedirectAllowList(siteURL: externalURL, entries: [])
        self.passwordPolicy = passwordPolicy
        self.version = version
    }
}

/// Sent as `apikey`, or as the bearer token without a session.
package struct APIKeys: Sendable {
    /// `sb_publishable_…`: identifies the app and grants no rights.
    package var publishable: [Secret] = []
    /// `sb_secret_…`: grants the rights of `service_role`. For servers only.
    package var secret: [Secret] = []
    /// Refuses requests without a known key. Open routes need none.
    package var areRequired = false

    package init() {}

    package enum Kind: Equatable, Sendable { case publishable, secret }

    /// Compares with every key in constant time.
    package func kind(of presented: Secret) -> Kind? {
        let isSecret = secret.reduce(false) { $1.matches(presented) || $0 }
        let isPublishable = publishable.reduce(false) { $1.matches(presented) || $0 }
        return isSecret ? .secret : isPublishable ? .publishable : nil
    }
}
