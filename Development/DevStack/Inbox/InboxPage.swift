import GatehouseWire
import HTTPTypes
import Hummingbird

/// Without scripts, new messages need a reload.
struct InboxPage {
    let messages: [InboxMessage]
    let search: String
    /// Without the search.
    let total: Int

    private static let policy = ["connect-src 'self'", "form-action 'self'"]

    var response: Response {
        Page.response(
            title: "Inbox – gatehouse dev", script: InboxScript.list, style: InboxScript.style, policy: Self.policy,
            """
            <h1>Inbox</h1>
            <p class="quiet">This server’s emails and text messages come here. None is sent.</p>
            <form role="search" method="get" action="\(Inbox.path)">
            <label for="q">Search</label>
            <span class="row">
            <input id="q" name="q" type="search" value="\(search)" maxlength="\(String(Inbox.longestSearch))" \
            autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="Address, number, subject or text">
            <button>Search</button>
            </span>
            </form>
            <p class="state"><span id="count" role="status">\(summary)</span> \
            <span id="live" data-is="off"></span></p>
            <div id="list">
            \(content)
            </div>
            <p><a href="\(LandingPage.path)">About this server</a></p>
            """)
    }

    static func missing(_ name: String) -> Response {
        Page.response(
            title: "Inbox – gatehouse dev", status: .notFound, style: InboxScript.style,
            """
            <h1>This \(name) is gone</h1>
            <p>The inbox keeps the newest \(String(Inbox.maximumCount)) messages.</p>
            <p><a href="\(Inbox.path)">All messages</a></p>
            """)
    }

    private var summary: String {
        let (mails, texts) = (messages.compactMap(\.mail).count, messages.compactMap(\.text).count)
        var found = mails == 1 ? "1 mail" : "\(mails) mails"
        if texts > 0 { found += texts == 1 ? ", 1 text message" : ", \(texts) text messages" }
        return search.isEmpty ? found : "\(found) of \(total)"
    }

    private var content: HTML {
        if !messages.isEmpty {
            return #"<ul role="list" aria-label="Messages, newest first">\#n\#(messages.map(row))</ul>"#
        }
        if total > 0 { return #"<div class="empty"><p><strong>Nothing found.</strong></p></div>"# }
        return """
            <div class="empty">
            <p><strong>No mail yet.</strong></p>
            <p class="quiet">Ask for a password reset or a magic link in your app. The mail appears here at once.</p>
            </div>
            """
    }

    private func row(_ message: InboxMessage) -> HTML {
        switch message {
        case .mail(let mail):
            row("mails/\(mail.id)", title: "<bdi>\(mail.subject)</bdi>", mail.code, to: mail.recipient, at: mail.sentAt)
        case .text(let text):
            row(
                "texts/\(text.id)", title: "\(InboxTextPage.glyph) <bdi>\(text.text)</bdi>", text.code,
                to: text.recipient, at: text.sentAt)
        }
    }

    private func row(_ path: String, title: HTML, _ code: String?, to recipient: String, at time: Instant) -> HTML {
        """
        <li><a class="mail" href="\(Inbox.path)/\(path)"><strong>\(title)</strong>\
        \(code.map { "<code>\($0)</code>" as HTML } ?? "")\
        <span class="quiet">To <bdi>\(recipient)</bdi></span>\
        <time class="quiet" datetime="\(time.moment)">\(time.readableMoment)</time></a></li>

        """
    }
}

extension Instant {
    /// Without fractions of a second.
    var moment: String { "\(Instant(seconds: seconds))" }
    /// Without the script, which shows the reader's time zone.
    var readableMoment: String { "\(moment.prefix(10)) \(moment.dropFirst(11).prefix(8)) UTC" }
}
