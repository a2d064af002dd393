import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird

/// RFC 6749 §5.2, RFC 6750 §3. The description explains how to fix the request: a simulation has nothing to hide.
struct OAuthRefusal: Error, Equatable {
    let status: HTTPResponse.Status
    let error: String
    let description: String
    /// `WWW-Authenticate`.
    var challenge: String?

    init(_ status: HTTPResponse.Status, _ error: String, _ description: String, challenge: String? = nil) {
        (self.status, self.error, self.description, self.challenge) = (status, error, description, challenge)
    }

    static func invalidRequest(_ description: String) -> OAuthRefusal {
        OAuthRefusal(.badRequest, "invalid_request", description)
    }

    static func invalidGrant(_ description: String) -> OAuthRefusal {
        OAuthRefusal(.badRequest, "invalid_grant", description)
    }

    var response: Response {
        var response = OAuthAnswer.json(
            ["error": .string(error), "error_description": .string(description)], status: status)
        if let challenge { response.headers[.wwwAuthenticate] = challenge }
        return response
    }
}

enum OAuthAnswer {
    /// Must not be cached (RFC 6749 §5.1); the route table sets `cache-control`.
    static func json(_ members: AuthJSON, status: HTTPResponse.Status = .ok) -> Response {
        var response = Answer.json(Array(members.text.utf8), status: status)
        response.headers[.pragma] = "no-cache"
        return response
    }
}

extension SimulatedProvider {
    /// Refusals become JSON for API clients, a page for browsers.
    func answering(_ handler: @escaping Route.Handler) -> Route.Handler {
        { request, context in
            do {
                return try await handler(request, context)
            } catch let refusal as OAuthRefusal {
                return refusal.response
            } catch let refusal as PageRefusal {
                return refusal.response(self)
            }
        }
    }
}

extension Request {
    func form(_ context: ServerContext) async throws -> FormFields {
        let type = headers[.contentType]?.split(ascii: ";").first?.split(ascii: " ").joined().lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw OAuthRefusal.invalidRequest("The content type has to be application/x-www-form-urlencoded.")
        }
        let body = try await bytes(context)
        guard let text = String(validating: body, as: UTF8.self), let fields = FormFields(text) else {
            throw OAuthRefusal.invalidRequest("The body is not a form.")
        }
        if let name = fields.repeatedName { throw OAuthRefusal.invalidRequest("\(name) is there twice.") }
        return fields
    }

    func authorizationQuery() throws(PageRefusal) -> FormFields {
        guard let fields = FormFields(uri.query ?? "") else {
            throw PageRefusal("invalid_request", "The query of this address is not a form.")
        }
        if let name = fields.repeatedName {
            throw PageRefusal("invalid_request", "A parameter is there twice.", found: name)
        }
        return fields
    }
}
