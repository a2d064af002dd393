package import AccountDomain
package import GatehouseWire

/// The settings of the Auth API. The defaults are the safe choices.
package struct AuthSettings: Sendable {
    /// The public URL of the Auth API without a trailing slash, such as `https://api.example.org/auth/v1`.
    package var externalURL: String
    /// The `iss` claim of access tokens; the external URL by default.
    package var issuer: String
    /// The lifetime of an access token, in whole seconds.
    package var accessTokenLifetime: Duration = .seconds(3_600)
    package var tokenRoom = TokenRoom()
    /// Whether anyone may create an account.
    package var allowsSignUp = true
    package var allowsAnonymousSignIn = false
    package var allowsEmail = true
    /// Whether new email addresses are confirmed without a mail. This never proves their ownership.
    package var confirmsAutomatically = false
    /// nil for a server that sends no mail.
    package var mail: MailRules?
    package var passwordPolicy: PasswordPolicy
    /// Responses to password checks are delayed to a multiple of this, so that their timing reveals nothing. Longer
    /// than any hash that an import accepts takes to check.
    package var passwordAnswerTime: Duration = .milliseconds(250)
    /// Whether changing the password requires the current one.
    package var requiresCurrentPassword = false
    /// The URLs that a sign-in may redirect to.
    package var redirects: RedirectAllowList
    /// Whether tokens may be returned in the fragment of a URL, for clients without PKCE. RFC 9700 §2.1.2 advises
    /// against it.
    package var allowsImplicitFlow = false
    /// Whether a PKCE challenge may use the method `plain` (RFC 7636 §4.2).
    package var allowsPlainProofKeys = false
    /// Whether users may link and unlink sign-in methods.
    package var allowsManualLinking = true
    /// Roles whose tokens may use the admin API.
    package var adminRoles = ["service_role", "supabase_admin"]
    package var apiKeys = APIKeys()
    /// The server's identity for passkeys and WebAuthn factors; nil without either.
    package var identity: AppIdentity?
    /// nil disables passkeys.
    package var passkeys: PasskeyRules?
    /// The address of the sign-in of the account pages; nil without them.
    package var accountPages: String?
    /// The address of the account page that takes the code of a mail to set a new password with; nil without them.
    package var recoveryPage: String?
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

/// The keys that a client sends as `apikey`, or as the bearer token when it has no session.
package struct APIKeys: Sendable {
    /// `sb_publishable_…`: identifies the app and grants no rights.
    package var publishable: [Secret] = []
    /// `sb_secret_…`: grants the rights of `service_role`. For servers only.
    package var secret: [Secret] = []
    /// Whether a request without a known key is refused. Open routes need none.
    package var areRequired = false

    package init() {}

    /// The permissions of a key.
    package enum Kind: Equatable, Sendable { case publishable, secret }

    /// Compares with every key in constant time.
    package func kind(of presented: Secret) -> Kind? {
        let isSecret = secret.reduce(false) { $1.matches(presented) || $0 }
        let isPublishable = publishable.reduce(false) { $1.matches(presented) || $0 }
        return isSecret ? .secret : isPublishable ? .publishable : nil
    }
}
