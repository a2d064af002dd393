import GatehouseWire
import HTTPTypes
import TestSupport

/// Without scripts: keeps cookies, follows redirects, and sends forms.
final class WebBrowser {
    static let origin = "http://127.0.0.1:9999"
    private let send: Send
    var cookies: [(name: String, value: String)] = []
    var language = "en"
    private(set) var page = WebPage(status: 0, path: "", text: "", headers: [:])

    typealias Send = (HTTPRequest.Method, String, HTTPFields, [UInt8]) async throws -> TestAnswer

    init(send: @escaping Send) { self.send = send }

    convenience init(_ server: TestServer) {
        self.init { method, path, headers, body in
            try await server.send(method, path, headers: headers, raw: body, authority: "127.0.0.1:9999")
        }
    }

    /// After redirects on these pages. Stops at an address elsewhere.
    @discardableResult
    func open(_ path: String, headers: HTTPFields? = nil) async throws -> WebPage {
        try await follow(.get, path, nil, headers: headers)
    }

    @discardableResult
    func click(_ path: String) async throws -> WebPage {
        try await open(path, headers: [.fetchSite: "same-origin"])
    }

    /// By its button's text.
    @discardableResult
    func press(_ button: String, _ fields: [String: String] = [:]) async throws -> WebPage {
        guard let form = page.forms.first(where: { $0.button == button }) else {
            throw NoForm(button: button, page: page)
        }
        let all = form.fields.filter { fields[$0.name] == nil } + fields.map { ($0.key, $0.value) }
        return try await send(form.action, all)
    }

    @discardableResult
    func send(
        _ path: String, _ fields: [(name: String, value: String)], headers: HTTPFields? = nil
    ) async throws -> WebPage {
        let text = fields.map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
        return try await follow(.post, path, text, headers: headers)
    }

    private func follow(
        _ method: HTTPRequest.Method, _ path: String, _ body: String?, headers: HTTPFields? = nil
    ) async throws -> WebPage {
        var (method, path, body) = (method, path, body)
        for _ in 0..<10 {
            var fields = headers ?? (method == .post ? [.origin: Self.origin] : [:])
            if method == .post { fields[.contentType] = "application/x-www-form-urlencoded" }
            fields[.acceptLanguage] = language
            fields[.userAgent] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
            if !cookies.isEmpty { fields[.cookie] = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ") }
            let answer = try await send(method, path, fields, body.map { Array($0.utf8) } ?? [])
            for cookie in answer.headers[values: .setCookie] { keep(cookie) }
            // As a reader sees apostrophes; the other escapes stay visible to tests.
            let text = answer.text.withoutIsolates.replacing("&#39;", with: "'")
            page = WebPage(status: answer.status, path: path, text: text, headers: answer.headers)
            guard let target = answer.headers[.location], target.hasPrefix("/") || target.hasPrefix(Self.origin) else {
                return page
            }
            // Browsers keep the fragment to themselves.
            let address = String(target.prefix { $0 != "#" })
            (method, path, body) = (.get, address.replacing(Self.origin, with: ""), nil)
        }
        throw NoForm(button: "redirects", page: page)
    }

    private func keep(_ cookie: String) {
        let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
        cookies.removeAll { $0.name == pair[0] }
        if pair.count == 2 { cookies.append((String(pair[0]), String(pair[1]))) }
    }

    struct NoForm: Error {
        let button: String
        let page: WebPage
    }
}

struct WebPage: CustomStringConvertible {
    let status: Int
    let path: String
    let text: String
    let headers: HTTPFields

    struct Form {
        let action: String
        let button: String
        let fields: [(name: String, value: String)]
    }

    var title: String { Self.between("<h1>", "</h1>", in: text).first ?? "" }
    var problem: String? { Self.between("role=\"alert\">", "</p>", in: text).first }
    var done: String? { Self.between("role=\"status\">", "</p>", in: text).first }
    var description: String { "\(status) \(path) \(title) \(problem ?? "") \(headers[.location] ?? "")" }

    var forms: [Form] {
        Self.between("<form ", "</form>", in: text).map { form in
            let inputs = Self.between("<input ", ">", in: form).map { input in
                (Self.attribute("name", input), Self.attribute("value", input))
            }
            return Form(
                action: Self.attribute("action", form),
                button: String(form.split(separator: "</button>")[0].split(separator: ">").last ?? ""),
                fields: inputs.map { (name: $0.0, value: $0.1) })
        }
    }

    private static func attribute(_ name: String, _ tag: String) -> String {
        let value = between(" \(name)=\"", "\"", in: " " + tag).first ?? ""
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(value) { $0.replacing($1.0, with: $1.1) }
    }

    static func between(_ start: String, _ end: String, in text: String) -> [String] {
        text.split(separator: start, omittingEmptySubsequences: false).dropFirst().map { part in
            String(part.split(separator: end, maxSplits: 1, omittingEmptySubsequences: false)[0])
        }
    }
}

extension WebBrowser {
    /// On a stand-in provider's page, and comes back.
    @discardableResult
    func choose(_ person: String) async throws -> WebPage {
        try await send(page.path, [("person", person)], headers: [:])
    }
}

extension HTTPField.Name {
    static let fetchSite = Self("sec-fetch-site")!
}

extension String {
    /// Without the marks around texts of users.
    fileprivate var withoutIsolates: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !(0x2066...0x2069).contains($0.value) }))
    }
}
