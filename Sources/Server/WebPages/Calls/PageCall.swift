import GatehouseWire
package import HTTPTypes

/// A request of the pages to the APIs, on behalf of a browser.
package struct PageCall: Sendable {
    package enum API: Sendable { case auth, gateway }

    package let api: API
    package let method: HTTPRequest.Method
    /// Below the API's URL, with the query: `/token?grant_type=password`.
    package let path: String
    package var headers: HTTPFields
    package let body: [UInt8]?
    /// The browser's address, for limits and lists of devices; nil if it is unknown.
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

/// Carries calls to the APIs: to the routes of the same process, or over HTTP. Throws if there is no answer.
package typealias PageTransport = @Sendable (PageCall) async throws -> PageReply

/// An API refused a call.
struct CallRefusal: Error {
    let status: Int
    /// The code of the Auth API, or of the gateway.
    let code: AuthErrorCode
    var weakPasswordReasons: [String] = []
    var question: AuthLinkQuestion?
    var setAsideTicket: AuthSetAsideTicket?
    /// The path of the invalid field, from the gateway, such as `/first_name`.
    var field: String?
    /// How long the same call is refused, as far as the API says.
    let wait: Duration

    init(_ reply: PageReply, of api: PageCall.API) {
        status = reply.status
        // Two days in seconds are more than any limit.
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

    /// Whether the session of the tokens is over, so that the user has to sign in.
    var endsSession: Bool {
        let codes: [AuthErrorCode] = [
            .userNotFound, .userBanned, .refreshTokenNotFound, .refreshTokenAlreadyUsed,
        ]
        return codes.contains(code) || code.rawValue.hasPrefix("session_")
    }

    /// Whether the API refuses the access token, which says nothing about its session.
    var isAboutToken: Bool { !endsSession && code != .insufficientAAL && (status == 401 || code == .badJWT) }

    /// Whether the API refuses the pages' own key: the configuration is wrong.
    var isAboutKey: Bool { code == .noAPIKey || code == .invalidAPIKey }
}

extension CallRefusal: CustomStringConvertible {
    /// For the log, without the question.
    var description: String { "\(status) \(code.rawValue.cut(to: 64))" }
}

/// An API gave no answer, or one that says to try again later.
struct CallFailed: Error { let cause: (any Error)? }

/// The user is not signed in, or no longer.
struct SignInNeeded: Error { let wasSignedIn: Bool }
