package import AccountDomain
package import GatehouseWire
package import IdentityProviders

/// The `client_id` of a client that publishes its metadata (draft-ietf-oauth-client-id-metadata-document §3).
struct ClientDocumentURL: Sendable {
    let text: String
    fileprivate let url: ProviderURL

    /// nil unless it is an https URL with a path, without query, fragment, user name and dot segments. On this machine
    /// also http, which ``OutgoingAddressRule`` allows for development only.
    init?(_ text: String) {
        guard let url = ProviderURL(text), url.isSecure || url.isLoopback, url.text == text, let parts = URLParts(text),
            parts.rest.utf8.count > 1, parts.rest.hasPrefix("/"), !parts.rest.contains(ascii: "?"),
            !parts.rest.split(ascii: "/").contains(where: { ["..", "."].contains(String($0)) })
        else { return nil }
        (self.text, self.url) = (text, url)
    }

    fileprivate var host: String? { URLParts(text)?.host }
}

enum ClientDocumentProblem: Error {
    /// Of the client's site, or of our database.
    case outage(any Error)
    case refused(String)

    var isOutage: Bool { if case .outage = self { true } else { false } }

    /// For the client's developer.
    var text: String {
        switch self {
        case .outage: "its metadata document cannot be read"
        case .refused(let text): text
        }
    }
}

/// Reads clients' metadata through the address rules of all outgoing calls.
package struct ClientDocuments: Sendable {
    /// The draft's recommendation is 5 KB.
    private static let maximumBytes = 10_240
    /// A person waits.
    private static let timeLimit: Duration = .seconds(5)
    /// Whatever its caching headers say: the draft allows bounds of the server's own (§5.2).
    static let lifetime: Duration = .seconds(3_600)
    private let send: ProviderTransport

    package init(send: @escaping ProviderTransport) { self.send = send }

    func read(
        _ url: ClientDocumentURL, rules: OAuthRules
    ) async throws(ClientDocumentProblem) -> OAuthClientMetadata {
        let answer: ProviderResponse
        do {
            answer = try await send(
                .text(
                    url.url, headers: ["accept": "application/json", "user-agent": "Gatehouse"],
                    maximumBytes: Self.maximumBytes, timeLimit: Self.timeLimit))
        } catch { throw .outage(error) }
        guard answer.status == 200 else { throw .outage(UnusableRange(status: answer.status)) }
        do {
            return try Self.metadata(JSONMembers(answer.body), of: url, rules)
        } catch let problem as ClientMetadataProblem {
            throw .refused(problem.text)
        } catch { throw .refused("its metadata document is not a JSON object") }
    }

    private static func metadata(
        _ members: JSONMembers, of url: ClientDocumentURL, _ rules: OAuthRules
    ) throws -> OAuthClientMetadata {
        guard try members.string("client_id") == url.text else {
            throw ClientMetadataProblem("the document has another client_id")
        }
        guard members["client_secret"] == nil else {
            throw ClientMetadataProblem("a published document must not have a client_secret")
        }
        let metadata = try OAuthClientMetadata(members, for: rules, isPublic: true)
        guard metadata.authentication == .none else {
            throw ClientMetadataProblem("token_endpoint_auth_method must be none")
        }
        // Only its own pages: a document could otherwise send codes to an open redirect of a trusted site.
        for target in metadata.redirectURIs {
            guard let parts = URLParts(target),
                !parts.isWeb || parts.host == url.host
                    || URLParts.loopbackHosts.contains(parts.host)
            else { throw ClientMetadataProblem("a redirect_uri is on another host", error: "invalid_redirect_uri") }
        }
        return metadata
    }
}
