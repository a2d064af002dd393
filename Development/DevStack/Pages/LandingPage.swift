package import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// RFC 7636, appendix B. For manual experiments only: the verifier is public.
package enum ExampleProofKey {
    package static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// S256.
    package static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
}

/// Shows the browser's return parameters, and links to both simulated providers.
struct LandingPage: Sendable {
    static let path = "/dev"

    let external: String
    var app: String?
    var inbox: String?
    /// The providers to link to.
    var offered: [String] = []

    func table(runtime: ServerRuntime) -> RouteTable {
        RouteTable(
            group: RouteGroup(prefixes: [Self.path], format: .auth, crossOrigin: nil, cacheControl: "no-store"),
            runtime: runtime,
            [Route(.get, "", show)])
    }

    @Sendable func show(_ request: Request, _ context: ServerContext) -> Response {
        let brought = FormFields(request.uri.query ?? "") ?? FormFields([])
        let outcome: HTML =
            if let code = brought["code"] {
                """
                <h1>Signed in</h1>
                <p>An app would trade this code for a session:</p>
                <dl><dt>Code</dt><dd><code>\(code)</code></dd></dl>
                <p class="quiet">As an app does it, if the sign-in began on this page:</p>
                <p><code>\(trade(code))</code></p>
                """
            } else if let error = brought["error"] {
                """
                <h1>Not signed in</h1>
                <p>\(brought["error_description"] ?? "The provider gave no reason.")</p>
                <dl><dt>Error</dt><dd><code>\(error)</code></dd>
                <dt>Code</dt><dd><code>\(brought["error_code"] ?? "none: the provider said so itself")</code></dd></dl>
                """
            } else {
                "<h1>Gatehouse is running</h1>"
            }
        return Page.response(
            title: "gatehouse dev",
            """
            \(outcome)
            \(placeLinks)\
            <h2>Sign in with the stand-ins</h2>
            <ul>
            \(SimulatedProvider.allCases.filter { offered.contains($0.rawValue) }.map(link))\
            </ul>
            """)
    }

    private var placeLinks: HTML {
        let links: [HTML?] = [
            #"<li><a href="\#(external)/account">Use the account pages, as an app's users see them</a></li>\#n"#,
            app.map { #"<li><a href="\#($0)">Use BoxScore, the reference app, in this browser</a></li>\#n"# as HTML },
            app.map {
                #"<li><a href="\#($0)/daily-ritual">Use DailyRitual, an app with its own screens</a></li>\#n"# as HTML
            },
            #"<li><a href="\#(external)/">See users and requests in the console</a></li>\#n"#,
            inbox.map { #"<li><a href="\#($0)">Read this server’s emails and text messages</a></li>\#n"# as HTML },
            #"<li><a href="\#(AgentPage.path)">Let an agent ask for access to an account</a></li>\#n"#,
            #"<li><a href="\#(APIPage.path)">Try this server’s API</a></li>\#n"#,
        ]
        return "<ul>\n\(links.compactMap(\.self))</ul>\n"
    }

    private func link(_ provider: SimulatedProvider) -> HTML {
        let query =
            "provider=\(provider.rawValue)&code_challenge=\(ExampleProofKey.challenge)&code_challenge_method=s256"
            + "&redirect_to=" + FormText.escape(external + Self.path)
        return #"<li><a href="\#(external + "/auth/v1/authorize?" + query)">Sign in with \#(provider.name)</a></li>\#n"#
    }

    /// Anyone can send a browser here with a made-up code, so the shell command quotes it as one word.
    private func trade(_ code: String) -> String {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("auth_code", code)
        writer.member("code_verifier", ExampleProofKey.verifier)
        writer.endObject()
        return "curl -s \(Self.word("\(external)/auth/v1/token?grant_type=pkce")) -d \(Self.word(writer.text))"
    }

    /// Single quotes, within which a POSIX shell treats only the quote specially (XCU 2.2.2). On bytes, like the shell:
    /// a quote followed by a combining mark is still a quote.
    private static func word(_ text: String) -> String {
        "'" + text.split(ascii: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
