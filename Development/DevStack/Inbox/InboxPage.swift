import GatehouseWire
import HTTPTypes
import Hummingbird

/// Without scripts, new emails need a reload.
struct InboxPage {
    let mails: [InboxMail]
    let search: String
    /// Without the search.
    let total: Int

    private static let policy = ["connect-src 'self'", "form-action 'self'"]

    var response: Response {
        Page.response(
            title: "Inbox – gatehouse dev", script: InboxScript.list, style: InboxScript.style, policy: Self.policy,
            """
            <h1>Inbox</h1>
            <p class="quiet">Mails of this server come here. None is sent.</p>
            <form role="search" method="get" action="\(Inbox.path)">
            <label for="q">Search</label>
            <span class="row">
            <input id="q" name="q" type="search" value="\(search)" maxlength="\(String(Inbox.longestSearch))" \
            autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="Address, subject or text">
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

    static var missing: Response {
        Page.response(
            title: "Inbox – gatehouse dev", status: .notFound, style: InboxScript.style,
            """
            <h1>This mail is gone</h1>
            <p>The inbox keeps the newest \(String(Inbox.maximumCount)) mails.</p>
            <p><a href="\(Inbox.path)">All mails</a></p>
            """)
    }

    private var summary: String {
        let found = mails.count == 1 ? "1 mail" : "\(mails.count) mails"
        return search.isEmpty ? found : "\(found) of \(total)"
    }

    private var content: HTML {
        if !mails.isEmpty { return #"<ul role="list" aria-label="Mails, newest first">\#n\#(mails.map(row))</ul>"# }
        if total > 0 { return #"<div class="empty"><p><strong>Nothing found.</strong></p></div>"# }
        return """
            <div class="empty">
            <p><strong>No mail yet.</strong></p>
            <p class="quiet">Ask for a password reset or a magic link in your app. The mail appears here at once.</p>
            </div>
            """
    }

    private func row(_ mail: InboxMail) -> HTML {
        """
        <li><a class="mail" href="\(Inbox.path)/mails/\(mail.id)"><strong><bdi>\(mail.subject)</bdi></strong>\
        \(mail.code.map { "<code>\($0)</code>" as HTML } ?? "")\
        <span class="quiet">To <bdi>\(mail.recipient)</bdi></span>\
        <time class="quiet" datetime="\(mail.moment)">\(mail.readableMoment)</time></a></li>

        """
    }
}

extension InboxMail {
    var moment: String { "\(Instant(seconds: sentAt.seconds))" }
    /// Without the script, which shows the reader's time zone.
    var readableMoment: String { "\(moment.prefix(10)) \(moment.dropFirst(11).prefix(8)) UTC" }
}
