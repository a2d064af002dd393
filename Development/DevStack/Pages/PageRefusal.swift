import Hummingbird

/// The client is uncertain, so the error is shown on a page instead of being sent to the app (RFC 6749 §4.1.2.1).
struct PageRefusal: Error, Equatable {
    let error: String
    let explanation: String
    /// The rejected value; `accepted` lists valid ones.
    var found: String?
    var accepted: [String] = []

    init(_ error: String, _ explanation: String, found: String? = nil, accepted: [String] = []) {
        (self.error, self.explanation, self.found, self.accepted) = (error, explanation, found, accepted)
    }

    func response(_ provider: SimulatedProvider) -> Response {
        let facts: [HTML] = [
            "<dt>Error</dt><dd><code>\(error)</code></dd>\n",
            found.map { "<dt>Sent</dt><dd><code>\($0)</code></dd>\n" } ?? "",
        ]
        return Page.response(
            provider, title: "This request is refused", status: .badRequest,
            """
            <h1>This request is refused</h1>
            <p>\(explanation)</p>
            <p class="quiet">As at \(provider.name), nobody is sent on and the app gets no answer.</p>
            <dl>
            \(facts)\
            \(accepted.map { "<dt>Accepted</dt><dd><code>\($0)</code></dd>\n" as HTML })\
            </dl>
            """)
    }
}
