import Hummingbird

/// OAuth 2.0 Form Post Response Mode §2.
enum FormPostPage {
    /// Without scripts, the user taps a button instead.
    private static let script: StaticString = "document.forms[0].submit()"

    static func response(_ provider: SimulatedProvider, to url: String, _ fields: [(name: String, value: String)])
        -> Response
    {
        Page.response(
            provider, title: "Back to the app", script: script,
            """
            <h1>Back to the app</h1>
            <p class="quiet">The answer goes to <code>\(url)</code>.</p>
            <form method="post" action="\(url)">
            \(fields.map { #"<input type="hidden" name="\#($0.name)" value="\#($0.value)">\#n"# as HTML })\
            <button class="main">Continue</button>
            </form>
            """)
    }
}
