import GatehouseWire
package import HTTPTypes

package struct PageCall: Sendable {
    package enum API: Sendable { case auth, gateway }

    package let api: API
    package let method: HTTPRequest.Method
    /// Below the API's URL, with the query: `/token?grant_type=password`.
    package let path: String
    package var headers: HTTPFields
    package let body: [UInt8]?
    /// For limits and lists of devices.
    package let clientAddress: String?
}

package struct PageReply: Sendable {
    package let status: Int
    package let headers: HTTPFields
    package let body: [UInt8]

    package init(status: Int, headers: HTTPFields, body: [UInt8]) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Calls routes of the same process, or over HTTP. Throws without a response.
package typealias PageTransport = @Sendable (PageCall) async throws -> PageReply

struct CallRefusal: Error {
    let status: Int
    /// The Auth API's or the gateway's.
    let code: AuthErrorCode
    var weakPasswordReasons: [String] = []
    var question: AuthLinkQuestion?
    var setAsideTicket: AuthSetAsideTicket?
    /// The invalid field's path, from the gateway, such as `/first_name`.
    var field: String?
    /// From `Retry-After`; 0 if absent.
    let wait: Duration

    init(_ reply: PageReply, of api: PageCall.API) {
        status = reply.status
        // Two days, more than any limit.
        wait = .seconds(min(reply.headers[.retryAfter].flatMap { Int($0) } ?? 0, 172_800))
        switch api {
        case .auth:
            let answer = AuthErrorAnswer(body: reply.body)
            code = answer.code ?? AuthErrorCode(rawValue: "")
            (weakPasswordReasons, question) = (answer.weakPasswordReasons, answer.linkQuestion)
            setAsideTicket = answer.setAsideTicket
        case .gateway:
            let answer = GatewayErrorAnswer(body: reply.body)
            code = AuthErrorCode(rawValue: answer.code ?? "")
            field = answer.field
        }
    }

    /// The user has to sign in again.
    var endsSession: Bool {
        let codes: [AuthErrorCode] = [
            .userNotFound, .userBanned, .refreshTokenNotFound, .refreshTokenAlreadyUsed,
        ]
        // 404: the account that the page is about.
        return codes.contains(code) && status != 404 || code.rawValue.hasPrefix("session_")
    }

    /// The API refuses the access token; its session may still be active.
    var isAboutToken: Bool { !endsSession && code != .insufficientAAL && (status == 401 || code == .badJWT) }

    /// The API refuses the pages' own key: a configuration error.
    var isAboutKey: Bool { code == .noAPIKey || code == .invalidAPIKey }
}

extension CallRefusal: CustomStringConvertible {
    /// Without the question.
    var description: String { "\(status) \(code.rawValue.cut(to: 64))" }
}

/// No response, or one that asks for a retry.
struct CallFailed: Error { let cause: (any Error)? }

struct SignInNeeded: Error { let wasSignedIn: Bool }
