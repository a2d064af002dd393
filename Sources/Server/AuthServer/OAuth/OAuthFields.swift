import AccountDomain
import GatehouseWire
import HTTPServing
import Hummingbird

/// An error that goes back to the client (RFC 6749 §4.1.2.1, §5.2).
struct OAuthProblem: Error {
    let error: String
    let description: String

    init(_ error: String, _ description: String) { (self.error, self.description) = (error, description) }

    static func invalidRequest(_ description: String) -> OAuthProblem { OAuthProblem("invalid_request", description) }

    var refusal: Refusal { .oauth(error, description) }
}

/// The parameters of an OAuth request. None may come twice (RFC 6749 §3.1), except `resource`.
struct OAuthFields {
    private static let repeatable = "resource"
    private static let most = 64
    private let parameters: [(name: String, value: String)]

    init(_ query: Query) throws(OAuthProblem) {
        parameters = query.parameters.filter { !$0.value.isEmpty }
        guard parameters.count <= Self.most else { throw .invalidRequest("More than \(Self.most) parameters") }
        for (index, one) in parameters.enumerated() where one.name != Self.repeatable {
            guard !parameters[..<index].contains(where: { $0.name == one.name }) else {
                throw .invalidRequest("A parameter is repeated")
            }
        }
    }

    /// A form, or a JSON object, as Supabase Auth accepts.
    init(body request: Request, _ context: ServerContext) async throws {
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
            let body = String(decoding: try await request.bytes(context), as: UTF8.self)
            do throws(OAuthProblem) { self = try OAuthFields(Query(form: body)) } catch { throw error.refusal }
            return
        }
        let bytes = try await request.bytes(context)
        do throws(JSONProblem) {
            self.init(checked: try Self.parameters(JSONMembers(bytes)))
        } catch {
            throw Refusal.oauth("invalid_request", "Invalid JSON body")
        }
    }

    private init(checked parameters: [(name: String, value: String)]) { self.parameters = parameters }

    private static func parameters(_ members: JSONMembers) throws(JSONProblem) -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        for name in members.names {
            if let list = members[name]?.arrayValue, name == repeatable {
                parameters += list.compactMap(\.stringValue).map { (name, $0) }
            } else if let text = try members.string(name), !text.isEmpty {
                parameters.append((name, text))
            }
        }
        return parameters
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }
}
