import AccountDomain
import AccountStore
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

extension OAuthClientHandlers {
    /// - Parameter text: A UUID, or the URL of a document, which is read if it is not known or no longer fresh.
    func client(
        named text: String, _ request: Request, _ context: ServerContext
    ) async throws -> OAuthClient? {
        if let id = OAuthClientID(text) { return try await registered(id) }
        let rules = try rules
        guard let documents = server.clientDocuments, rules.readsDocuments, let url = ClientDocumentURL(text) else {
            return nil
        }
        let known = try await accounts.oauth.client(document: url.text)
        if let known, known.freshUntil.map({ runtime.now() < $0 }) ?? false { return known }
        try await runtime.take(Limits.clientDocument, request, context)
        do throws(ClientDocumentProblem) {
            let client = OAuthClient(
                id: accounts.newID(), document: url.text, registration: .document,
                metadata: try await documents.read(url, rules: rules), isVerified: false, createdAt: runtime.now())
            return try await stored(client)
        } catch {
            // An outage of the client's site must not end what users approved.
            if let known, error.isOutage { return known }
            throw Refusal(.badRequest, .oauthClientNotFound, "invalid client_id: \(error.text)", cause: error)
        }
    }

    /// A document's client has its URL as only ID.
    private func registered(_ id: OAuthClientID) async throws -> OAuthClient? {
        try await accounts.oauth.client(id).flatMap { $0.document == nil ? $0 : nil }
    }

    private func stored(_ client: OAuthClient) async throws(ClientDocumentProblem) -> OAuthClient {
        var client = client
        client.freshUntil = runtime.now() + ClientDocuments.lifetime
        do { return try await accounts.oauth.store(document: client, at: runtime.now()) } catch { throw .outage(error) }
    }

    /// RFC 6749 §2.3. A public client names itself only.
    ///
    /// - Parameter isFirst: Whether this may be the client's first request, so that its document is read if needed.
    /// - Throws: ``Refusal`` in OAuth's format: `invalid_client`, with status 401 if the client used `Authorization`.
    func authenticated(
        _ fields: OAuthFields, isFirst: Bool = false, _ request: Request, _ context: ServerContext
    ) async throws -> OAuthClient {
        let basic = try Self.basic(request.headers[.authorization])
        guard basic == nil || fields["client_secret"] == nil else {
            throw OAuthProblem.invalidRequest("The client authenticates in two ways").refusal
        }
        let name = basic?.name ?? fields["client_id"]
        guard let name, basic == nil || fields["client_id"] == nil || fields["client_id"] == name else {
            throw Self.invalidClient(basic != nil)
        }
        let secret = basic?.secret ?? fields["client_secret"].map(Secret.init)
        let found = isFirst ? try await firstSeen(name, request, context) : try await known(name)
        guard let client = found else { throw Self.invalidClient(basic != nil) }
        guard client.isConfidential else {
            if let secret, !secret.isEmpty { throw Self.invalidClient(basic != nil) }
            return client
        }
        guard let secret, try await accounts.oauth.isSecret(secret, of: client.id) else {
            throw Self.invalidClient(basic != nil)
        }
        return client
    }

    private func firstSeen(
        _ name: String, _ request: Request, _ context: ServerContext
    ) async throws -> OAuthClient? {
        do {
            return try await client(named: name, request, context)
        } catch let refusal as Refusal where refusal.code == .oauthClientNotFound {
            throw Refusal.oauth("invalid_client", refusal.message, cause: refusal.cause)
        }
    }

    private func known(_ name: String) async throws -> OAuthClient? {
        if let id = OAuthClientID(name) { return try await registered(id) }
        guard let url = ClientDocumentURL(name) else { return nil }
        return try await accounts.oauth.client(document: url.text)
    }

    static func invalidClient(_ usedHeader: Bool) -> Refusal {
        .oauth(
            "invalid_client", "Client authentication failed", status: usedHeader ? .unauthorized : .badRequest,
            headers: usedHeader ? [.wwwAuthenticate: "Basic realm=\"oauth\""] : [:])
    }

    /// RFC 6749 §2.3.1: both parts are form-encoded.
    private static func basic(_ header: String?) throws -> (name: String, secret: Secret)? {
        guard let header, header.utf8.count <= 4_096, header.lowercased().hasPrefix("basic ") else { return nil }
        guard let bytes = Data(base64Encoded: String(header.dropFirst(6))) else { throw invalidClient(true) }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            let name = FormText.read(text[..<colon].utf8), let secret = FormText.read(text[colon...].utf8.dropFirst())
        else { throw invalidClient(true) }
        return (name, Secret(secret))
    }
}
