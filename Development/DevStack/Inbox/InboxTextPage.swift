import GatehouseWire
import HTTPTypes
import Hummingbird

struct InboxTextPage {
    let text: InboxText

    /// A phone, for the list.
    static let glyph: HTML = """
        <svg role="img" aria-label="Text message" viewBox="0 0 12 18" width="12" height="18">\
        <rect x="1" y="1" width="10" height="16" rx="2" fill="none" stroke="currentColor" stroke-width="1.5"/>\
        <path d="M4.5 14h3" stroke="currentColor" stroke-width="1.5"/></svg>
        """

    var response: Response {
        Page.response(
            title: "Text message to \(text.recipient) – gatehouse dev", script: InboxScript.mail,
            style: InboxScript.style,
            """
            <nav aria-label="Inbox"><a href="\(Inbox.path)">← All messages</a></nav>
            <h1>Text message</h1>
            <dl>
            <dt>To</dt><dd><bdi>\(text.recipient)</bdi></dd>
            <dt>Sent</dt><dd><time datetime="\(text.sentAt.moment)">\(text.sentAt.readableMoment)</time></dd>
            <dt>Code</dt><dd><code id="code">\(text.code)</code></dd>
            </dl>
            <p class="actions">
            <button type="button" id="copy" hidden>Copy code</button>
            <span id="copied" role="status"></span></p>
            <pre class="plain" dir="auto">\(text.text)</pre>
            """)
    }
}
