package import GatehouseWire
import HTTPServing
import HTTPTypes

/// An account's UUID: the `sub` of its tokens and the key of its profile.
package struct AccountID: Hashable, Sendable {
    package let text: String

    /// - Parameter text: A UUID with hyphens in any case; stored in lower case.
    package init?(_ text: String) {
        guard let text = UUIDText.canonical(text) else { return nil }
        self.text = text
    }
}

/// The holder of a verified token.
package struct Bearer: Sendable {
    package let userID: AccountID
    /// The token's `email` claim; nil for accounts without one.
    package let email: String?
    /// The session that the token names; some issuers do not send it.
    package let sessionID: String?
    /// The token's `aal` claim: `aal2` if its session had a second factor when it was issued.
    package let level: String?
    /// When the user last gave a proof, by the token's `amr` claim; nil if it names no time.
    package let provenAt: Instant?
    /// The token itself, for calls on the holder's behalf. Never log it.
    package let tokenText: String
    /// The id of a request that deletes the account, for the record of the deletion.
    package var requestID: String?

    package init(
        userID: AccountID, email: String?, sessionID: String? = nil, level: String? = nil, provenAt: Instant? = nil,
        tokenText: String
    ) {
        self.userID = userID
        self.email = email
        self.sessionID = sessionID
        self.level = level
        self.provenAt = provenAt
        self.tokenText = tokenText
    }
}

/// Why a token was refused.
package enum BearerRefusal: Error {
    case noToken, expired, invalid
    /// The issuer's keys are unavailable, so the token cannot be verified. Not a 401, which would sign the user out.
    case keysUnavailable(any Error)
}

extension BearerRefusal {
    /// 401 with a challenge (RFC 6750 §3), which contains an error only if the request had a token.
    var refusal: Refusal {
        switch self {
        case .noToken: Self.unauthorized("UNAUTHORIZED", "This request requires a bearer token.", challenge: "Bearer")
        case .expired: Self.unauthorized("TOKEN_EXPIRED", "The token has expired.", challenge: Self.invalidToken)
        case .invalid: Self.unauthorized("TOKEN_INVALID", "The token is not valid.", challenge: Self.invalidToken)
        case .keysUnavailable(let cause):
            Refusal(
                .serviceUnavailable, RefusalCode("UNAVAILABLE"), "The token cannot be verified at the moment.",
                headers: [.retryAfter: "5"], cause: cause)
        }
    }

    private static let invalidToken = "Bearer error=\"invalid_token\""

    private static func unauthorized(_ code: String, _ message: String, challenge: String) -> Refusal {
        Refusal(.unauthorized, RefusalCode(code), message, headers: [.wwwAuthenticate: challenge])
    }
}
