import GatehouseWire
import HTTPServing
import HTTPTypes

/// An account's UUID: the `sub` of a token, the key of a profile.
package struct AccountID: Hashable, Sendable {
    package let text: String

    /// - Parameter text: a UUID with hyphens, in any case; kept in lower case.
    package init?(_ text: String) {
        guard let text = UUIDText.canonical(text) else { return nil }
        self.text = text
    }
}

/// Somebody whose token was verified.
package struct Bearer: Sendable {
    package let userID: AccountID
    /// As the token has it; nil for accounts without one.
    package let email: String?
    /// The session that the token names; not every issuer's does.
    package let sessionID: String?
    /// The token itself, for those who act in the bearer's name. Not to be logged.
    package let tokenText: String

    package init(userID: AccountID, email: String?, sessionID: String? = nil, tokenText: String) {
        self.userID = userID
        self.email = email
        self.sessionID = sessionID
        self.tokenText = tokenText
    }
}

/// Why a token was not accepted (requirement C3).
package enum BearerRefusal: Error {
    case noToken, expired, invalid
    /// The issuer's keys could not be had, so nobody knows. Not a 401: only an explicit no signs a person out.
    case keysUnavailable(any Error)
}

extension BearerRefusal {
    /// 401 with the challenge of RFC 6750 §3, which names an error only when a token was sent.
    var refusal: Refusal {
        switch self {
        case .noToken: Self.unauthorized("UNAUTHORIZED", "This needs a bearer token.", challenge: "Bearer")
        case .expired: Self.unauthorized("TOKEN_EXPIRED", "The token has expired.", challenge: Self.invalidToken)
        case .invalid: Self.unauthorized("TOKEN_INVALID", "The token is not valid.", challenge: Self.invalidToken)
        case .keysUnavailable(let cause):
            Refusal(
                .serviceUnavailable, RefusalCode("UNAVAILABLE"), "The token cannot be checked right now.",
                headers: [.retryAfter: "5"], cause: cause)
        }
    }

    private static let invalidToken = "Bearer error=\"invalid_token\""

    private static func unauthorized(_ code: String, _ message: String, challenge: String) -> Refusal {
        Refusal(.unauthorized, RefusalCode(code), message, headers: [.wwwAuthenticate: challenge])
    }
}
