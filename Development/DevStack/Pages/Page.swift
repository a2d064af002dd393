import Crypto
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

enum Page {
    /// - Parameter script: The only script that may run.
    static func response(
        _ provider: SimulatedProvider, title: String, status: HTTPResponse.Status = .ok, script: StaticString? = nil,
        _ body: HTML
    ) -> Response {
        response(
            title: "\(title) – stand-in for \(provider.name)",
            header: "<strong>Stand-in for \(provider.name)</strong> made by gatehouse dev, on this machine",
            status: status, script: script, body)
    }

    static func response(
        title: String, header: HTML = "<strong>gatehouse dev</strong> on this machine",
        status: HTTPResponse.Status = .ok, script: StaticString? = nil, style: StaticString? = nil,
        policy: [String] = [], _ body: HTML
    ) -> Response {
        let html: HTML = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <style>\(HTML(trusted: PageStyle.sheet))</style>
            \(style.map { "<style>\(HTML(trusted: $0))</style>" as HTML } ?? "")
            </head>
            <body>
            <header>\(header)</header>
            <main>
            \(body)
            </main>
            \(script.map { "<script>\(HTML(trusted: $0))</script>" as HTML } ?? "")
            </body>
            </html>

            """
        var response = Answer.text(html.text, status: status, contentType: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] = Self.policy(script, style, policy)
        // This page's URL contains the app's state. Like the real providers, send only its origin.
        response.headers[.referrerPolicy] = "origin"
        return response
    }

    /// Without `form-action`: browsers also apply it to redirects after a form, which lead to the app's own scheme.
    private static func policy(_ script: StaticString?, _ style: StaticString?, _ others: [String]) -> String {
        let styles = [PageStyle.sheet, style].compactMap(\.self).map { "'\(digest($0))'" }.joined(separator: " ")
        let parts = [
            "default-src 'none'", "style-src \(styles)", script.map { "script-src '\(digest($0))'" }, "base-uri 'none'",
            "frame-ancestors 'none'",
        ]
        return (parts.compactMap(\.self) + others).joined(separator: "; ")
    }

    private static func digest(_ text: StaticString) -> String {
        "sha256-" + Data(SHA256.hash(data: Array("\(text)".utf8))).base64EncodedString()
    }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = Self("content-security-policy")!
    static let referrerPolicy = Self("referrer-policy")!
    static let pragma = Self("pragma")!
}
