import HTTPServing
import HTTPTypes

/// An account's UUID in lower case: the `sub` of a token, the key of a profile.
package struct AccountID: Hashable, Sendable {
    package let text: String

    /// - Parameter text: a UUID with hyphens, in any case (RFC 9562 §4).
    package init?(_ text: String) {
        guard text.utf8.count == 36 else { return nil }
        var isLower = true
        for (index, byte) in text.utf8.enumerated() {
            let isHyphenPlace = index == 8 || index == 13 || index == 18 || index == 23
            switch byte {
            case UInt8(ascii: "-"): guard isHyphenPlace else { return nil }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard !isHyphenPlace else { return nil }
            case UInt8(ascii: "A")...UInt8(ascii: "F"):
                guard !isHyphenPlace else { return nil }
                isLower = false
            default: return nil
            }
        }
        self.text = isLower ? text : text.lowercased()
    }
}

/// Somebody whose token was verified.
package struct Bearer: Sendable {
    package let userID: AccountID
    /// As the token has it; nil for accounts without one.
    package let email: String?
    /// The token itself, for those who act in the bearer's name. Not to be logged.
    package let tokenText: String

    package init(userID: AccountID, email: String?, tokenText: String) {
        self.userID = userID
        self.email = email
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
