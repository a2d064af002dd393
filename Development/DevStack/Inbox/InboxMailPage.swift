import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

struct InboxMailPage {
    enum View: String, CaseIterable {
        case html, text, source

        var title: String {
            switch self {
            case .html: "Mail"
            case .text: "Text"
            case .source: "Source"
            }
        }
    }

    let mail: InboxMail
    let view: View

    /// The email's HTML may only open links in new windows. Without scripts and with its own origin, it cannot reach
    /// this page or any other.
    private static let sandbox = "allow-popups allow-popups-to-escape-sandbox"

    private var path: String { "\(Inbox.path)/mails/\(mail.id)" }

    var response: Response {
        Page.response(
            title: "\(mail.subject) – gatehouse dev", script: InboxScript.mail, style: InboxScript.style,
            policy: ["frame-src 'self'"],
            """
            <nav aria-label="Inbox"><a href="\(Inbox.path)">← All mails</a></nav>
            <h1><bdi>\(mail.subject)</bdi></h1>
            <dl>
            <dt>To</dt><dd><bdi>\(mail.recipient)</bdi></dd>
            <dt>Written</dt><dd><time datetime="\(mail.sentAt.moment)">\(mail.sentAt.readableMoment)</time></dd>
            \(mail.code.map { #"<dt>Code</dt><dd><code id="code">\#($0)</code></dd>"# as HTML } ?? "")
            </dl>
            \(actions)
            <nav class="views" aria-label="Forms of this mail">
            \(View.allCases.map(tab))\
            </nav>
            \(content)
            """)
    }

    private var actions: HTML {
        let parts: [HTML] = [
            mail.link.map {
                #"<a class="main" href="\#($0)" target="_blank" rel="noopener noreferrer">Open link</a>\#n"#
            } ?? "",
            mail.code == nil ? "" : "<button type=\"button\" id=\"copy\" hidden>Copy code</button>\n",
        ]
        return mail.link == nil && mail.code == nil
            ? "" : "<p class=\"actions\">\n\(parts)<span id=\"copied\" role=\"status\"></span></p>"
    }

    private func tab(_ other: View) -> HTML {
        let mark: HTML = other == view ? #" aria-current="page""# : ""
        return #"<a href="\#(path)?view=\#(other.rawValue)"\#(mark)>\#(other.title)</a>\#n"#
    }

    private var content: HTML {
        switch view {
        case .html:
            #"<iframe title="The mail as its recipient sees it" sandbox="\#(Self.sandbox)" src="\#(path)/html"></iframe>"#
        case .text: #"<pre class="plain" dir="auto">\#(mail.text)</pre>"#
        case .source: "<pre>\(mail.source)</pre>"
        }
    }

    /// Harmless outside of its frame as well. Emails load nothing from elsewhere.
    static func framed(_ mail: InboxMail) -> Response {
        var response = Answer.text(inNewWindows(mail.html), contentType: "text/html; charset=utf-8")
        response.headers[.contentSecurityPolicy] =
            "sandbox \(sandbox); default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            + "form-action 'none'; frame-ancestors 'self'"
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }

    /// As in email readers: other pages refuse to be shown in a frame.
    private static func inNewWindows(_ html: String) -> String {
        guard let head = html.range(of: "<head>", options: .caseInsensitive) else { return html }
        return html.replacingCharacters(in: head, with: "<head><base target=\"_blank\">")
    }
}
