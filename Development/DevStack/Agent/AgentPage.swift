import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// A sample OAuth client in one page: it asks a user for access, in this browser or as a device without one, and shows
/// the tokens it receives. Its client ID is the URL of its metadata.
struct AgentPage: Sendable {
    static let path = LandingPage.path + "/agent"

    let external: String

    private var clientID: String { external + Self.path + "/client.json" }

    func table(runtime: ServerRuntime) -> RouteTable {
        RouteTable(
            group: RouteGroup(prefixes: [Self.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime, [Route(.get, "", show), Route(.get, "/client.json", document)])
    }

    /// draft-ietf-oauth-client-id-metadata-document §4.
    @Sendable private func document(_ request: Request, _ context: ServerContext) -> Response {
        let grants: AuthJSON = [
            "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
        ]
        let members: AuthJSONObject = [
            "client_id": .string(clientID), "client_name": "Sample Agent", "client_uri": .string(external + Self.path),
            "redirect_uris": [.string(external + Self.path)], "grant_types": grants,
            "token_endpoint_auth_method": "none",
        ]
        return Answer.json(Array(AuthJSON.object(members).text.utf8))
    }

    @Sendable private func show(_ request: Request, _ context: ServerContext) -> Response {
        Page.response(
            title: "Sample agent – gatehouse dev", script: AgentScript.script, policy: ["connect-src 'self'"],
            """
            <h1>Sample agent</h1>
            <p>An app or agent of other people that asks one of your users for access (OAuth 2.1). \
            Its client ID is the address of its metadata: <code id="client">\(clientID)</code></p>
            <form id="ask"><label>Scopes <input name="scope" value="openid email profile" autocomplete="off" \
            spellcheck="false"></label>
            <p><button class="main" name="how" value="browser">Ask in this browser</button>
            <button name="how" value="device">Ask as a device without a browser</button></p></form>
            <noscript><p>The agent needs JavaScript.</p></noscript>
            <section id="answer" aria-live="polite"></section>
            <p><a href="\(LandingPage.path)">About this server</a></p>
            """)
    }
}
