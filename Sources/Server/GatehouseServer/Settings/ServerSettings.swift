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
package import WebPages

/// The validated settings of a server. Can only be created from validated text.
package struct ServerSettings: Sendable {
    package var parts: Set<ServedPart>
    package var auth: AuthSettings
    package var listen: ListenAddress
    /// The separate address of `/metrics`; nil disables it, unless ``servesMetricsToLoopback``.
    package var metricsListen: ListenAddress?
    /// Serves `/metrics` on the main port to loopback callers, as in `gatehouse dev`.
    package var servesMetricsToLoopback = false
    /// Serves the OpenAPI document.
    package var servesAPIDocument = false
    /// The prefixes of the Auth API; an empty string is the root.
    package var authPrefixes: [String]
    /// The enabled sign-in providers.
    package var providers: [ConfiguredProvider]
    /// The addresses that may be called for providers.
    package var outgoing: OutgoingAddressRule
    package var hooks = HookConfiguration()
    /// nil if no captcha is needed.
    package var captcha: CaptchaSettings?
    /// nil if no server takes mails.
    package var mail: MailSettings?
    package var database: DatabaseLocation
    /// nil for a standalone gateway, which seals nothing.
    package var secrets: ServerSecrets?
    package var tokens: TokenSettings
    package var sessions: SessionPolicy
    package var retention = Retention()
    /// The `aud` and `role` of new accounts.
    package var audience: String
    package var role: String
    /// nil disables rate limits.
    package var rates: AuthRates?
    /// The folder that mails are written to instead of being sent.
    package var mailFolder: String?
    package var clientAddress: ClientAddressRule
    /// Set in `gatehouse dev` only.
    package var callers: LocalCallers?
    package var requestTimeLimit: Duration
    package var allowedHeaders: [String]
    /// The maximum number of sign-ins waiting for each hashing thread.
    package var hashQueue: Int
    /// nil for one per core.
    package var hashThreads: Int?
    /// Memory and time that the hash of a new password takes.
    package var hashCost: Argon2Settings = .owasp
    /// nil if new passwords are compared with the built-in list alone.
    package var breachedPasswordsURL: String?
    package var appScheme: AppScheme?
    /// Writes mails, with the operator's templates; nil for a standalone gateway.
    package var mailWriter: MailWriter?
    /// The fields that the configuration adds to profiles.
    package var profileFields = ConfiguredFields()
    /// nil without account pages.
    package var pages: PageSettings?
    /// nil if the pages have no files of the operator's.
    package var brandingFiles: BrandingFiles?
    /// nil without a console.
    package var console: PageSettings?
    /// Whether to count what apps report of sign-ins.
    package var countsEvents: Bool
    /// The apps whose events are counted apart.
    package var countedApps: [String]
    /// The issuer behind a standalone gateway.
    package var issuer: RemoteIssuerSettings?
    package var logLevel: Logger.Level
    package var logFormat: LineLogHandler.Format
    package var factors = FactorRules()
    /// All settings as operators may see them.
    package var shown: [ShownSetting] = []
}

/// The location of the database.
package struct DatabaseLocation: Sendable {
    /// The path of the SQLite file; empty for a database server.
    package let path: String
    /// The URL of a PostgreSQL server, which may contain a password.
    package let server: Secret?
    /// The number of connections for transactions; PostgreSQL only.
    package let connections: Int

    package init(path: String) { (self.path, server, connections) = (path, nil, 0) }

    package init(server: Secret, connections: Int) {
        (path, self.server, self.connections) = ("", server, connections)
    }

    /// The name in messages.
    package var name: String { server == nil ? path : "the database server" }
}

/// The keys that sign and verify access tokens. Keys in the database always verify as well.
package struct TokenSettings: Sendable {
    package var imported: [JSONWebKey] = []
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false
}

/// Another auth server whose tokens the gateway accepts.
package struct RemoteIssuerSettings: Sendable {
    package let keysURL: String
    /// The `iss` of its tokens, which is also the URL of its admin API.
    package let issuer: String
    /// The key for deleting accounts there.
    package let secretKey: Secret

    package init(keysURL: String, issuer: String, secretKey: Secret) {
        self.keysURL = keysURL
        self.issuer = issuer
        self.secretKey = secretKey
    }
}

// Prints no values. `check-config` prints them with secrets masked.
extension ServerSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "ServerSettings[\(listen)]" }
    package var customMirror: Mirror {
        Mirror(self, children: ["listen": listen, "authPrefixes": authPrefixes, "database": database])
    }
}
