import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

/// One request of a browser, with its session.
struct Visit {
    let pages: WebPages
    let request: Request
    let context: ServerContext
    /// The form's, or the query's.
    let fields: Query
    /// From the cookie.
    let known: WebSession?
    var session: WebSession
    /// Set by the Auth API, for the browser.
    var cookies: [HTTPField] = []
    /// From the previous page.
    let flash: Flash?
    /// The console's ``flash``.
    let sentence: String?

    var language: MailLanguage {
        pages.site == .console ? .english : session.language ?? .preferred(request.headers[.acceptLanguage])
    }

    /// Replaces `%@` in order.
    func say(_ text: StaticString, _ arguments: String...) -> String {
        pages.texts.text(text, arguments, in: language)
    }

    var isSignedIn: Bool { session.tokens != nil }

    /// For links to other languages. Omits a query beyond 4,096 bytes, which five links would repeat.
    var addressWithoutLanguage: String {
        let path = request.uri.path
        guard request.method == .get, (request.uri.query ?? "").utf8.count <= 4_096 else { return path }
        let query = fields.parameters.filter { $0.name != "lang" }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    /// A query can come from anyone, so it fills no form.
    func entered(_ name: String) -> String? { request.method == .post ? fields[name] : nil }
}

extension AuthUser {
    var signInMethods: [AuthUserIdentity] { identities ?? [] }
}
