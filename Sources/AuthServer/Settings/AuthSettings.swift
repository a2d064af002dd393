package import AccountDomain
package import GatehouseWire

/// What the auth door is told. The defaults are the safe ones.
package struct AuthSettings: Sendable {
    /// Where clients reach the auth API, without a slash at the end, such as `https://api.example.org/auth/v1`.
    package var externalURL: String
    /// `iss` of access tokens; the external URL unless it is set.
    package var issuer: String
    /// Lifetime of an access token; whole seconds.
    package var accessTokenLifetime: Duration = .seconds(3_600)
    /// Whether new accounts can be made by anybody.
    package var allowsSignUp = true
    package var allowsAnonymousSignIn = false
    package var allowsEmail = true
    /// Whether an address counts as confirmed without a mail. It never counts as proven by that.
    package var confirmsAutomatically = false
    package var passwordPolicy: PasswordPolicy
    /// Answers to a password come after a multiple of this, so that their time tells nothing. It is longer than the check of
    /// any hash that an import accepts.
    package var passwordAnswerTime: Duration = .milliseconds(250)
    /// Whether a person gives the current password to set a new one.
    package var requiresCurrentPassword = false
    /// Where browsers may be sent back to.
    package var redirects: RedirectAllowList
    /// Whether tokens may come back in the fragment of an address, for clients without a proof key (RFC 9700 §2.1.2
    /// advises against it).
    package var allowsImplicitFlow = false
    /// Whether a proof key may be its own challenge (`plain`, RFC 7636 §4.2).
    package var allowsPlainProofKeys = false
    /// Whether people who are signed in may link and unlink sign-in methods.
    package var allowsManualLinking = true
    /// Roles whose tokens may use the admin API.
    package var adminRoles = ["service_role", "supabase_admin"]
    package var apiKeys = APIKeys()
    /// Shown by `GET /health`.
    package var version: String

    package init(externalURL: String, passwordPolicy: PasswordPolicy = PasswordPolicy(), version: String) {
        self.externalURL = externalURL
        issuer = externalURL
        redirects = RedirectAllowList(siteURL: externalURL, entries: [])
        self.passwordPolicy = passwordPolicy
        self.version = version
    }
}

/// The keys that a client sends as `apikey`, or as its bearer when it has no session.
package struct APIKeys: Sendable {
    /// `sb_publishable_…`: says which app asks, gives no rights.
    package var publishable: [Secret] = []
    /// `sb_secret_…`: gives the rights of `service_role`. For servers only.
    package var secret: [Secret] = []
    /// Whether a request without a known key is refused. The open routes need none.
    package var areRequired = false

    package init() {}

    package enum Kind: Equatable, Sendable { case publishable, secret }

    /// Compares with every key, in a time that does not tell which came close.
    package func kind(of presented: Secret) -> Kind? {
        let isSecret = secret.reduce(false) { $1.matches(presented) || $0 }
        let isPublishable = publishable.reduce(false) { $1.matches(presented) || $0 }
        return isSecret ? .secret : isPublishable ? .publishable : nil
    }
}
