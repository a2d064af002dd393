import GatehouseWire
package import HTTPTypes
import Synchronization

/// Keeps cookies, follows redirects within the server, and presses a form's button.
package final class TestBrowser: Sendable {
    private let server: TestServer
    private let cookies = Mutex<[String: String]>([:])

    package init(_ server: TestServer) { self.server = server }

    /// The cookies, by name.
    package var jar: [String: String] { cookies.withLock { $0 } }

    package func open(_ address: String) async throws -> TestAnswer { try await open(.get, address) }

    package func open(
        _ method: HTTPRequest.Method, _ address: String, form: [(String, String)]? = nil
    ) async throws -> TestAnswer {
        let path = address.replacing(TestServer.external, with: "")
        var headers: HTTPFields = [:]
        let kept = cookies.withLock { $0.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" } }
        if !kept.isEmpty { headers[.cookie] = kept.joined(separator: "; ") }
        if form != nil { headers[.contentType] = "application/x-www-form-urlencoded" }
        let body = form?.map { "\(FormText.escape($0.0))=\(FormText.escape($0.1))" }.joined(separator: "&")
        let answer = try await server.send(method, path, headers: headers, raw: body.map { Array($0.utf8) })
        for field in answer.headers[values: .setCookie] {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            if pair.count == 2 { cookies.withLock { $0[pair[0]] = pair[1] } }
        }
        return answer
    }

    /// From the server's `/authorize` to the provider, through the choice of a person, and back to the server.
    ///
    /// - Parameters:
    ///   - start: The path with its query.
    ///   - email: For the person whose address is typed.
    /// - Returns: The response of the server's `/callback`.
    package func signIn(_ start: String, as person: String, email: String? = nil) async throws -> TestAnswer {
        let sent = try await open(.get, start)
        guard let provider = sent.headers[.location] else { throw UnexpectedAnswer(answer: sent) }
        return try await choose(person, email: email, at: provider)
    }

    package func choose(_ person: String, email: String? = nil, at provider: String) async throws -> TestAnswer {
        let (method, address, form) = try await comeBack(as: person, email: email, at: provider)
        return try await open(method, address, form: form)
    }

    /// Without visiting the callback.
    package func comeBack(
        as person: String, email: String? = nil, at provider: String
    ) async throws -> (method: HTTPRequest.Method, address: String, form: [(String, String)]?) {
        let choice = [("person", person)] + (email.map { [("email", $0)] } ?? [])
        let chosen = try await open(.post, provider, form: choice)
        if let location = chosen.headers[.location] { return (.get, location, nil) }
        // A self-submitting form, like Apple's.
        guard chosen.status == 200, let action = chosen.text.attribute("action", after: "<form") else {
            throw UnexpectedAnswer(answer: chosen)
        }
        return (.post, action, chosen.text.hiddenFields)
    }
}

extension TestAnswer {
    /// With the parameters of query and fragment.
    package var location: String? { headers[.location] }
    package var query: [String: String] {
        Self.fields(location?.split(separator: "#").first?.split(separator: "?").last)
    }
    package var fragment: [String: String] {
        Self.fields(location?.contains("#") == true ? location?.split(separator: "#").last : nil)
    }

    private static func fields(_ text: Substring?) -> [String: String] {
        let pairs = (text ?? "").split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.filter { !$0.isEmpty }.map { pair in
                (String(pair[0]), pair.count > 1 ? FormText.readLeniently(pair[1].utf8) : "")
            }
        ) { first, _ in first }
    }
}

extension String {
    fileprivate func attribute(_ name: String, after mark: String) -> String? {
        guard let start = range(of: mark)?.upperBound else { return nil }
        return self[start...].attribute(name)
    }

    fileprivate var hiddenFields: [(String, String)] {
        ranges(of: "type=\"hidden\"").compactMap { found in
            let tag = self[found.upperBound...].prefix { $0 != ">" }
            guard let name = tag.attribute("name"), let value = tag.attribute("value") else { return nil }
            return (name, value)
        }
    }

    private func range(of mark: String) -> Range<Index>? { ranges(of: mark).first }
}

extension Substring {
    fileprivate func attribute(_ name: String) -> String? {
        guard let start = ranges(of: "\(name)=\"").first?.upperBound else { return nil }
        let value = self[start...].prefix { $0 != "\"" }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(value)) { $0.replacing($1.0, with: $1.1) }
    }
}
