import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

/// One request of a browser: what it brought, and what its session becomes.
struct Visit {
    let pages: WebPages
    let request: Request
    let context: ServerContext
    /// The fields of the form, or of the query.
    let fields: Query
    /// The session that the browser's cookie has; nil without one.
    let known: WebSession?
    var session: WebSession
    /// Cookies that the Auth API sets, for the browser.
    var cookies: [HTTPField] = []
    /// The message at the top, from the previous page.
    let flash: Flash?
    /// The same in the console, which has its own words.
    let sentence: String?

    /// The console is for operators, in English.
    var language: MailLanguage {
        pages.site == .console ? .english : session.language ?? .preferred(request.headers[.acceptLanguage])
    }

    /// A text of the catalogue, in the language of the page, with `%@` replaced in order.
    func say(_ text: StaticString, _ arguments: String...) -> String {
        pages.texts.text(text, arguments, in: language)
    }

    var isSignedIn: Bool { session.tokens != nil }

    /// The path and query of the page, for its other languages. A query of more than 4,096 bytes is left out: five links
    /// would repeat it.
    var addressWithoutLanguage: String {
        let path = request.uri.path
        guard request.method == .get, (request.uri.query ?? "").utf8.count <= 4_096 else { return path }
        let query = fields.parameters.filter { $0.name != "lang" }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
        return query.isEmpty ? path : "\(path)?\(query)"
    }

    /// The entered value, for a form that is shown again. A query can come from anyone, so it fills no form.
    func entered(_ name: String) -> String? { request.method == .post ? fields[name] : nil }
}

extension AuthUser {
    var signInMethods: [AuthUserIdentity] { identities ?? [] }
}
