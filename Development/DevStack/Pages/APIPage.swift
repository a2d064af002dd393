import GatehouseWire
package import HTTPServing
import HTTPTypes
import Hummingbird

/// Every request of the server, to read and to try. Without scripts it is a list.
package struct APIPage: Sendable {
    package static let path = LandingPage.path + "/api"

    private let content: [HTML]

    /// - Throws: ``JSONProblem``.
    package init(document: [UInt8]) throws {
        let paths = try JSONReader.read(document)["paths"]?.objectValue ?? [:]
        var all: [(tag: String, path: String, html: HTML)] = []
        for (path, operations) in paths {
            for (method, operation) in operations.objectValue ?? [:] {
                let tag = operation["tags"]?.arrayValue?.first?.stringValue ?? ""
                all.append((tag, path, Self.row(method, path, operation)))
            }
        }
        content = Self.tags.map { tag in
            let rows = all.filter { $0.tag == tag }
                .sorted { ($0.path, $0.html.text) < ($1.path, $1.html.text) }.map(\.html)
            return "<h2>\(tag)</h2>\n\(rows)"
        }
    }

    package func table(runtime: ServerRuntime) -> RouteTable {
        let group = RouteGroup(prefixes: [Self.path], format: .auth, crossOrigin: nil, cacheControl: "no-store")
        return RouteTable(group: group, runtime: runtime, [Route(.get, "", show)])
    }

    private static let tags = ["Auth", "Mail", "Providers", "Administration", "Profiles", "Operations", "Absent"]

    private static func row(_ method: String, _ path: String, _ operation: AuthJSON) -> HTML {
        let codes = operation["x-error-codes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let settings = operation["x-settings"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let more: [HTML] = [
            operation["description"]?.stringValue.map { "<p>\($0)</p>" as HTML },
            codes.isEmpty ? nil : "<p class=\"quiet\">Codes: <code>\(codes.joined(separator: ", "))</code></p>",
            settings.isEmpty
                ? nil : "<p class=\"quiet\">Settings: <code>\(settings.joined(separator: ", "))</code></p>",
        ].compactMap(\.self)
        return """
            <details data-method="\(method)" data-path="\(path)"><summary><code>\(method.uppercased()) \(path)</code>\
            <span class="quiet">\(operation["summary"]?.stringValue ?? "")</span></summary>\(more)</details>

            """
    }

    @Sendable private func show(_ request: Request, _ context: ServerContext) -> Response {
        Page.response(
            title: "API – gatehouse dev", script: APIScript.script, style: APIScript.style,
            policy: ["connect-src 'self'"],
            """
            <h1>API</h1>
            <p class="quiet">Every request of this server, from its <code>/openapi.json</code>. Open one to send it.</p>
            <p id="keys" hidden><label>Authorization <input id="bearer" autocomplete="off" spellcheck="false" \
            placeholder="An access token, or a secret key"></label></p>
            \(content)
            <p><a href="\(LandingPage.path)">About this server</a></p>
            """)
    }
}
