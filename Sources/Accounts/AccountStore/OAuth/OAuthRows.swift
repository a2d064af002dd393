import AccountDomain
import GatehouseWire
import SQLDatabase

extension OAuthStore {
    static let clientColumns = Columns(
        of: "oauth_clients",
        from: OAuthClient(
            id: OAuthClientID(trusted: Accounts.nilID), registration: .manual,
            metadata: OAuthClientMetadata(name: "", redirectURIs: []), isVerified: false,
            createdAt: Instant(seconds: 0)),
        [
            .init("id") { $0.id = $1.id() },
            .init("document_url") { $0.document = $1.textIfPresent() },
            .init("registration") { $0.registration = OAuthClient.Registration(text: $1.text()) ?? .dynamic },
            .init("metadata") { $0.metadata = OAuthClientMetadata(stored: $1.json()) },
            .init("is_verified") { $0.isVerified = $1.bool() },
            .init("created_at") { $0.createdAt = $1.instant() },
            .init("updated_at") { $0.updatedAt = $1.instant() },
            .init("fresh_until") { $0.freshUntil = $1.instantIfPresent() },
        ])

    static let authorizationColumns: StaticString = """
        oauth_authorizations.id, oauth_authorizations.client_id, oauth_authorizations.user_id, \
        oauth_authorizations.flow, oauth_authorizations.status, oauth_authorizations.request, \
        oauth_authorizations.user_agent, oauth_authorizations.ip, oauth_authorizations.user_code, \
        oauth_authorizations.created_at, oauth_authorizations.expires_at
        """
}

extension Row {
    /// null for damaged JSON, which the program never writes.
    mutating func json() -> AuthJSON {
        // Ignored: our own JSON, so it parses.
        textIfPresent().flatMap { try? JSONReader.read($0) } ?? .null
    }

    mutating func client() -> OAuthClient { OAuthStore.clientColumns.read(&self) }

    mutating func sessionClientIfPresent() -> SessionClient? {
        textIfPresent().map { SessionClient(id: OAuthClientID(trusted: $0), stored: .null) }
    }

    mutating func authorization() -> OAuthAuthorization {
        OAuthAuthorization(
            id: id(), client: id(), user: idIfPresent(), flow: OAuthAuthorization.Flow(text: text()) ?? .redirect,
            status: OAuthAuthorization.Status(text: text()) ?? .denied, request: OAuthRequest(stored: json()),
            device: Device(userAgent: textIfPresent(), address: textIfPresent()), userCode: textIfPresent(),
            createdAt: instant(), expiresAt: instant())
    }
}

extension SessionClient {
    mutating func read(_ grant: String?) {
        // Ignored: our own JSON, so it parses.
        guard let grant, let json = try? JSONReader.read(grant) else { return }
        self = SessionClient(id: id, stored: json)
    }
}
