import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import NIOCore
import ScreenDriver

/// They load nothing from other servers, and text can become neither code nor style: the script sets styles through the
/// DOM, without an exception from the content security policy.
enum LivePages {
    static func page(of app: ReferenceApp) -> Response {
        let links = ReferenceApp.allCases.map { other in
            let mark = other == app ? " aria-current=\"page\"" : ""
            return "<a href=\"\(LiveApp.path)\(other.path)\"\(mark)>\(other.rawValue)</a>"
        }
        return page(
            String(decoding: PackageResources.app_html, as: UTF8.self)
                .replacing("{{app}}", with: app.rawValue).replacing("{{links}}", with: links.joined(separator: "\n")))
    }

    static var back: Response {
        notice("Back to the app", "The answer has reached the app. This window can be closed.", closes: true)
    }
    static var nobodyWaits: Response {
        notice(
            "No phone waits for this", "The app was restarted or has continued without it. Start again in the app.",
            status: .notFound)
    }

    static var script: Response { file(PackageResources.app_js, "text/javascript; charset=utf-8") }
    static var closing: Response { Answer.text("close()\n", contentType: "text/javascript; charset=utf-8") }
    static var style: Response {
        Answer.text(
            HTMLPage.sheet + "\n" + String(decoding: PackageResources.app_css, as: UTF8.self),
            contentType: "text/css; charset=utf-8")
    }

    /// - Throws: A ``Refusal`` with status 404 for an unknown name.
    static func font(_ name: String) throws -> Response {
        guard fonts.contains(name) else { throw Refusal.unknownAddress }
        let bytes = try Data(contentsOf: Bundle.module.bundleURL.appending(path: "Fonts/\(name)"))
        return Response(
            status: .ok, headers: [.contentType: "font/woff2"], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    private static let fonts: Set = [
        "Inter-Regular.woff2", "Inter-SemiBold.woff2", "Inter-Bold.woff2", "NotoSansJP-Regular.woff2",
    ]

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Answer.text(String(decoding: bytes, as: UTF8.self), contentType: type)
    }

    private static func notice(
        _ title: String, _ text: String, closes: Bool = false, status: HTTPResponse.Status = .ok
    ) -> Response {
        let script = closes ? "<script src=\"/app/close.js\"></script>\n" : ""
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="stylesheet" href="/app/app.css">
            \(script)</head>
            <body class="notice">
            <main>
            <h1>\(title)</h1>
            <p>\(text)</p>
            </main>
            </body>
            </html>

            """
        return page(html, status)
    }

    private static func page(_ html: String, _ status: HTTPResponse.Status = .ok) -> Response {
        var response = Answer.text(html, status: status, contentType: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] = """
            default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        response.headers[.referrerPolicy] = "same-origin"
        return response
    }
}

extension HTTPField.Name {
    static let contentSecurityPolicy = Self("content-security-policy")!
    static let referrerPolicy = Self("referrer-policy")!
}
