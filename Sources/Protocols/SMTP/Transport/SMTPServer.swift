package import GatehouseWire

package struct SMTPServer: Sendable {
    package enum Security: String, CaseIterable, Sendable {
        /// RFC 3207. Nothing is sent to a server that does not offer it.
        case startTLS = "starttls"
        /// From the first byte (RFC 8314 §3.3), usually on port 465.
        case tls
        /// For a server on this machine or in a protected network.
        case off
    }

    package enum Credential: Sendable {
        case none
        /// PLAIN or LOGIN.
        case password(user: String, Secret)
        /// XOAUTH2, requested before each email: the token expires within hours.
        case token(user: String, @Sendable () throws -> Secret)
    }

    /// A-labels, or an IP address without brackets.
    package let host: String
    package let port: Int
    package var security: Security
    /// PEM with the only certificate authorities to trust; nil for the system's.
    package var authorityFile: String?
    package var credential = Credential.none
    /// For EHLO; nil for the machine's name.
    package var clientName: String?
    /// The maximum.
    package var connections = 4
    /// Including the handshake.
    package var connectTimeLimit: Duration = .seconds(15)
    /// Per attempt. A server may check an email before accepting it, so an early end sends it twice.
    package var timeLimit: Duration = .seconds(120)

    /// - Returns: nil unless `host` is a name or an IP address.
    package init?(host: String, port: Int, security: Security) {
        guard let host = IPAddress(host)?.description ?? MailAddress.domain(host[...]) else { return nil }
        (self.host, self.port, self.security) = (host, port, security)
    }

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
