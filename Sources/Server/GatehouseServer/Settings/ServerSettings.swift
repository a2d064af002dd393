package import AccountDomain
package import AuthServer
package import GatehouseWire
package import HTTPServing
package import IdentityProviders
package import JSONWebTokens
package import Logging
package import MailTemplates
package import PasswordHashing
package import ProfileGateway
package import TextMessages
package import WebPages

/// Can only be created from validated text.
package struct ServerSettings: Sendable {
    package var parts: Set<ServedPart>
    package var auth: AuthSettings
    package var listen: ListenAddress
    /// nil disables `/metrics`, unless ``servesMetricsToLoopback``.
    package var metricsListen: ListenAddress?
    /// `/metrics` on the main port for loopback callers, as in `gatehouse dev`.
    package var servesMetricsToLoopback = false
    package var servesAPIDocument = false
    /// An empty string is the root.
    package var authPrefixes: [String]
    package var providers: [ConfiguredProvider]
    /// Allowed for providers.
    package var outgoing: OutgoingAddressRule
    package var hooks = HookConfiguration()
    package var captcha: CaptchaSettings?
    /// nil without an SMTP server.
    package var mail: MailSettings?
    /// nil without a provider of text messages.
    package var texts: TextMessageSettings?
    package var textWriter: TextWriter?
    package var database: DatabaseLocation
    /// nil for a standalone gateway, which encrypts nothing.
    package var secrets: ServerSecrets?
    package var tokens: TokenSettings
    package var sessions: SessionPolicy
    package var retention = Retention()
    /// Of new accounts.
    package var audience: String
    package var role: String
    /// nil disables rate limits.
    package var rates: AuthRates?
    /// Mails are written here instead of being sent.
    package var mailFolder: String?
    package var clientAddress: ClientAddressRule
    /// In `gatehouse dev` only.
    package var callers: LocalCallers?
    package var requestTimeLimit: Duration
    package var allowedHeaders: [String]
    /// Waiting sign-ins per hashing thread.
    package var hashQueue: Int
    /// nil for one per core.
    package var hashThreads: Int?
    /// For new passwords.
    package var hashCost: Argon2Settings = .owasp
    /// nil compares new passwords with the built-in list only.
    package var breachedPasswordsURL: String?
    package var appScheme: AppScheme?
    /// nil unless the OAuth server's clients may use profiles.
    package var clientAccess: ClientRights?
    /// nil for a standalone gateway.
    package var mailWriter: MailWriter?
    package var profileFields = ConfiguredFields()
    /// nil without account pages.
    package var pages: PageSettings?
    /// nil without branding files.
    package var brandingFiles: BrandingFiles?
    /// nil without a console.
    package var console: PageSettings?
    /// Counts what apps report of sign-ins.
    package var countsEvents: Bool
    /// Counted separately.
    package var countedApps: [String]
    /// Of a standalone gateway.
    package var issuer: RemoteIssuerSettings?
    /// nil without a collector.
    package var traces: TraceSettings?
    package var logLevel: Logger.Level
    package var logFormat: LineLogHandler.Format
    package var factors = FactorRules()
    /// For operators.
    package var shown: [ShownSetting] = []
}

package struct DatabaseLocation: Sendable {
    /// Empty for PostgreSQL.
    package let path: String
    /// May contain a password.
    package let server: Secret?
    /// For transactions; PostgreSQL only.
    package let connections: Int

    package init(path: String) { (self.path, server, connections) = (path, nil, 0) }

    package init(server: Secret, connections: Int) {
        (path, self.server, self.connections) = ("", server, connections)
    }

    package var name: String { server == nil ? path : "the database server" }
}

/// The database's keys always verify as well.
package struct TokenSettings: Sendable {
    package var imported: [JSONWebKey] = []
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false
}

package struct RemoteIssuerSettings: Sendable {
    package let keysURL: String
    /// The `iss` of its tokens, and the URL of its admin API.
    package let issuer: String
    /// For deleting accounts there.
    package let secretKey: Secret

    package init(keysURL: String, issuer: String, secretKey: Secret) {
        self.keysURL = keysURL
        self.issuer = issuer
        self.secretKey = secretKey
    }
}

// Prints no values. `check-config` masks secrets.
extension ServerSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "ServerSettings[\(listen)]" }
    package var customMirror: Mirror {
        Mirror(self, children: ["listen": listen, "authPrefixes": authPrefixes, "database": database])
    }
}
