package import GatehouseWire
import HTTPServing
import HTTPTypes

/// The `sub` of an account's tokens and the key of its profile.
package struct AccountID: Hashable, Sendable {
    package let text: String

    /// - Parameter text: A UUID with hyphens in any case; stored in lower case.
    package init?(_ text: String) {
        guard let text = UUIDText.canonical(text) else { return nil }
        self.text = text
    }
}

package struct Bearer: Sendable {
    package let userID: AccountID
    package let email: String?
    /// Some issuers do not send it.
    package let sessionID: String?
    /// `aal2` if the session had a second factor when the token was issued.
    package let level: String?
    /// The last proof, by the `amr` claim; nil if it names no time.
    package let provenAt: Instant?
    /// For calls on the holder's behalf. Never log it.
    package let tokenText: String
    /// For the record of an account's deletion.
    package var requestID: String?
    /// Of a client of the OAuth server; nil for the user's own app.
    package var clientScopes: [String]?
    /// True for a child session (Docs/sessions.md), which can only read and change the profile.
    package var isChild = false

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

package enum BearerRefusal: Error {
    case noToken, expired, invalid
    /// The token cannot be verified. Not a 401, which would sign the user out.
    case keysUnavailable(any Error)
}

extension BearerRefusal {
    /// 401 with a challenge (RFC 6750 §3), which has an error only if there was a token.
    ///
    /// - Parameter metadata: Where clients of the OAuth server find it (RFC 9728 §5.1).
    func refusal(metadata: String? = nil) -> Refusal {
        switch self {
        case .noToken:
            Self.unauthorized("UNAUTHORIZED", "This request requires a bearer token.", error: nil, metadata)
        case .expired: Self.unauthorized("TOKEN_EXPIRED", "The token has expired.", metadata)
        case .invalid: Self.unauthorized("TOKEN_INVALID", "The token is not valid.", metadata)
        case .keysUnavailable(let cause):
            Refusal(
                .serviceUnavailable, RefusalCode("UNAVAILABLE"), "The token cannot be verified at the moment.",
                headers: [.retryAfter: "5"], cause: cause)
        }
    }

    private static func unauthorized(
        _ code: String, _ message: String, error: String? = "invalid_token", _ metadata: String?
    ) -> Refusal {
        let challenge = Self.challenge([("error", error), ("resource_metadata", metadata)])
        return Refusal(.unauthorized, RefusalCode(code), message, headers: [.wwwAuthenticate: challenge])
    }

    /// RFC 6750 §3.1.
    static func insufficientScope(_ scope: String, metadata: String?) -> Refusal {
        let challenge = Self.challenge([
            ("error", "insufficient_scope"), ("scope", scope), ("resource_metadata", metadata),
        ])
        return Refusal(
            .forbidden, RefusalCode("INSUFFICIENT_SCOPE"), "The user has not given this client access to the profile.",
            headers: [.wwwAuthenticate: challenge])
    }

    private static func challenge(_ parameters: [(name: String, value: String?)]) -> String {
        let texts = parameters.compactMap { name, value in value.map { "\(name)=\"\($0)\"" } }
        return texts.isEmpty ? "Bearer" : "Bearer " + texts.joined(separator: ", ")
    }
}
