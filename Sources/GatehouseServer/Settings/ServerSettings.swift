package import AccountDomain
package import AuthServer
package import GatehouseWire
package import HTTPServing
package import IdentityProviders
package import JSONWebTokens
package import Logging
package import PasswordHashing
package import ProfileGateway

/// Everything that a running server is told. Made from text that was checked; there is no other way.
package struct ServerSettings: Sendable {
    package var parts: Set<ServedPart>
    package var auth: AuthSettings
    package var listen: ListenAddress
    /// For `/metrics` alone; nil: nowhere, unless ``servesMetricsToLoopback``.
    package var metricsListen: ListenAddress?
    /// `/metrics` on the main port for callers on this machine: `gatehouse dev` does.
    package var servesMetricsToLoopback = false
    /// Where the auth API is mounted; empty text is the root.
    package var authPrefixes: [String]
    /// The providers that people may sign in with.
    package var providers: [ConfiguredProvider]
    /// Which addresses are called for them.
    package var outgoing: OutgoingAddressRule
    package var database: DatabaseLocation
    /// nil for a gateway alone, which seals nothing.
    package var secrets: ServerSecrets?
    package var tokens: TokenSettings
    package var sessions: SessionPolicy
    /// Given to new accounts.
    package var audience: String
    package var role: String
    /// nil: nothing is limited.
    package var rates: AuthRates?
    package var clientAddress: ClientAddressRule
    /// Not nil in `gatehouse dev`.
    package var callers: LocalCallers?
    package var requestTimeLimit: Duration
    package var allowedHeaders: [String]
    /// Sign-ins that may wait for each hashing thread.
    package var hashQueue: Int
    /// nil: as many as the machine has cores.
    package var hashThreads: Int?
    /// Memory and time that the hash of a new password takes.
    package var hashCost: Argon2Settings = .owasp
    package var appScheme: AppScheme?
    /// The issuer that the gateway stands in front of, when it stands alone.
    package var issuer: RemoteIssuerSettings?
    package var logLevel: Logger.Level
    package var logFormat: LineLogHandler.Format
}

/// Where the accounts are kept.
package struct DatabaseLocation: Sendable {
    /// Of the SQLite file; empty when it is a server.
    package let path: String
    /// The URL of a PostgreSQL server, which may hold a password.
    package let server: Secret?
    /// Of the server, for transactions.
    package let connections: Int

    package init(path: String) { (self.path, server, connections) = (path, nil, 0) }

    package init(server: Secret, connections: Int) {
        (path, self.server, self.connections) = ("", server, connections)
    }

    /// What people are told.
    package var name: String { server == nil ? path : "the database server" }
}

/// Which keys sign and verify access tokens besides those of the database, which always verify.
package struct TokenSettings: Sendable {
    package var imported: [JSONWebKey] = []
    package var sharedSecret: JSONWebKey?
    package var signsWithSharedSecret = false
}

/// An auth server elsewhere, which the gateway trusts.
package struct RemoteIssuerSettings: Sendable {
    package let keysURL: String
    /// `iss` of its tokens, and the address of its admin API.
    package let issuer: String
    /// Deletes accounts there.
    package let secretKey: Secret
}

// What is told about all of it is `check-config`, which masks what is secret.
extension ServerSettings: CustomStringConvertible, CustomReflectable {
    package var description: String { "ServerSettings[\(listen)]" }
    package var customMirror: Mirror {
        Mirror(self, children: ["listen": listen, "authPrefixes": authPrefixes, "database": database])
    }
}
