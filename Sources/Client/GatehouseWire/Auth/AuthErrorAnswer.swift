/// An error response of the Auth API, in any of its three formats ([Error
/// codes](https://supabase.com/docs/guides/auth/debugging/error-codes)).
package struct AuthErrorAnswer: Hashable, Sendable {
    /// nil if the response has no code, as in OAuth's format or in responses of a proxy.
    package var code: AuthErrorCode?
    /// A message for developers. Its text may change.
    package var message: String
    /// Why the password was refused; empty for other errors.
    package var weakPasswordReasons: [String]
    /// The question of `identity_needs_confirmation`; nil for other errors, or if it is unreadable.
    package var linkQuestion: AuthLinkQuestion?
    /// The ticket of `credential_set_aside` after a passkey; nil for other errors, or if it is unreadable.
    package var setAsideTicket: AuthSetAsideTicket?
    /// The error of an OAuth response (RFC 6749 §5.2), such as `invalid_grant`: all that other issuers and old versions of
    /// Supabase Auth send instead of a code.
    package var oauthError: String?
}

extension AuthErrorAnswer {
    /// Parses an error response in any `AuthErrorFormat`, even if it is not JSON. In the older version `code` may also
    /// be a string of digits.
    package init(body: [UInt8]) {
        // Ignored: a body that is not a JSON object, such as a proxy's error page, contains nothing useful.
        guard let members = try? WireMembers(JSONReader.read(body), path: "error") else {
            self.init(code: nil, message: "the answer was no JSON object", weakPasswordReasons: [])
            return
        }
        var code = members.text("error_code")
        if code == nil, let text = members.text("code"), !text.utf8.allSatisfy(\.isDigit) { code = text }
        let names = ["msg", "message", "error_description", "error"]
        self.init(
            code: code.map(AuthErrorCode.init(rawValue:)),
            message: names.lazy.compactMap { members.text($0) }.first ?? "no message",
            weakPasswordReasons: members.weakPasswordReasons,
            linkQuestion: code == AuthErrorCode.identityNeedsConfirmation.rawValue ? AuthLinkQuestion(members) : nil,
            setAsideTicket: code == AuthErrorCode.credentialSetAside.rawValue ? AuthSetAsideTicket(members) : nil,
            oauthError: code == nil ? members.text("error") : nil)
    }
}

/// The formats of an error response.
package enum AuthErrorFormat {
    /// `{"code":"…","message":"…"}`: API version 2024-01-01.
    case current
    /// `{"code":400,"error_code":"…","msg":"…"}`: the older version. `error_id` follows for a status from 500 on.
    case older(status: Int, requestID: String)
    /// `{"error":"…","error_description":"…"}` (RFC 6749 §5.2).
    case oauth(error: String)
}

extension JSONWriter {
    /// Writes the error response that ``AuthErrorAnswer/init(body:)`` reads.
    ///
    /// - Parameters:
    ///   - weakPasswordReasons: nil leaves `weak_password` out.
    ///   - details: Further members, in this order.
    package mutating func authError(
        _ format: AuthErrorFormat, _ code: AuthErrorCode, _ message: String, weakPasswordReasons: [String]? = nil,
        details: [(name: StaticString, value: AuthJSON)] = []
    ) {
        beginObject()
        switch format {
        case .current:
            member("code", code.rawValue)
            member("message", message)
        case .older(let status, let requestID):
            member("code", Int64(status))
            member("error_code", code.rawValue)
            member("msg", message)
            if status >= 500 { member("error_id", requestID) }
        case .oauth(let error):
            member("error", error)
            member("error_description", message)
        }
        if let weakPasswordReasons { weakPassword(weakPasswordReasons) }
        for detail in details { member(detail.name, detail.value) }
        endObject()
    }
}
