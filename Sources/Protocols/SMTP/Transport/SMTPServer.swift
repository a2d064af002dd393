package import GatehouseWire

/// The server that takes our mails, and how to reach it.
package struct SMTPServer: Sendable {
    package enum Security: String, CaseIterable, Sendable {
        /// TLS after STARTTLS (RFC 3207). A server that does not offer it gets nothing.
        case startTLS = "starttls"
        /// TLS from the first byte (RFC 8314 §3.3), usually on port 465.
        case tls
        /// No TLS: for a server on this machine, or where the network itself is protected.
        case off
    }

    package enum Credential: Sendable {
        case none
        /// PLAIN or LOGIN.
        case password(user: String, Secret)
        /// XOAUTH2 with an access token, requested before each mail: it expires within hours.
        case token(user: String, @Sendable () throws -> Secret)
    }

    /// A name in A-labels, or an IP address without brackets.
    package let host: String
    package let port: Int
    package var security: Security
    /// A file with the only certificate authorities to trust, in PEM; nil for the system's.
    package var authorityFile: String?
    package var credential = Credential.none
    /// Our name in EHLO; nil for the machine's.
    package var clientName: String?
    /// How many connections there are at most.
    package var connections = 4
    /// How long a connection may take, with its handshake.
    package var connectTimeLimit: Duration = .seconds(15)
    /// How long an attempt may take. A server may check a mail before it accepts it: an attempt that ends too early
    /// makes a second copy.
    package var timeLimit: Duration = .seconds(120)

    /// - Returns: nil unless `host` is a name or an IP address.
    package init?(host: String, port: Int, security: Security) {
        guard let host = IPAddress(host)?.description ?? MailAddress.domain(host[...]) else { return nil }
        (self.host, self.port, self.security) = (host, port, security)
    }

    /// Whether the server is on this machine, so that the connection crosses no network.
    package var isLoopback: Bool {
        IPAddress(host)?.isLoopback ?? (host == "localhost" || host.hasSuffix(".localhost"))
    }

    var hasCredential: Bool { if case .none = credential { false } else { true } }

    /// For libcurl. The path is our name in EHLO.
    var url: String {
        let scheme = security == .tls ? "smtps" : "smtp"
        let isVersion6 = IPAddress(host)?.isVersion4 == false
        return "\(scheme)://\(isVersion6 ? "[\(host)]" : host):\(port)/\(clientName ?? "")"
    }
}
