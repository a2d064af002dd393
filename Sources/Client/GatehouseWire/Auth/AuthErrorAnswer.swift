/// An Auth API error ([Error codes](https://supabase.com/docs/guides/auth/debugging/error-codes)).
package struct AuthErrorAnswer: Hashable, Sendable {
    /// nil in OAuth's format and from proxies.
    package var code: AuthErrorCode?
    /// For developers.
    package var message: String
    package var weakPasswordReasons: [String]
    /// nil also if unreadable.
    package var linkQuestion: AuthLinkQuestion?
    /// nil also if unreadable.
    package var setAsideTicket: AuthSetAsideTicket?
    /// OAuth's error (RFC 6749 §5.2), such as `invalid_grant`, from servers without codes.
    package var oauthError: String?
}

extension AuthErrorAnswer {
    /// Accepts every `AuthErrorFormat`, and other bodies. The older format's `code` may be digits.
    package init(body: [UInt8]) {
        // Ignored: other bodies, such as a proxy's page, have no code.
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

package enum AuthErrorFormat {
    /// `{"code":"…","message":"…"}`: API version 2024-01-01.
    case current
    /// `{"code":400,"error_code":"…","msg":"…"}`: the older version. `error_id` follows from status 500.
    case older(status: Int, requestID: String)
    /// `{"error":"…","error_description":"…"}` (RFC 6749 §5.2).
    case oauth(error: String)
}

extension JSONWriter {
    /// nil reasons omit `weak_password`.
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
