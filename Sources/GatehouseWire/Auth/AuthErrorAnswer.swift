/// An error response of the Auth API, in any of its three formats ([Error
/// codes](https://supabase.com/docs/guides/auth/debugging/error-codes)).
public struct AuthErrorAnswer: Hashable, Sendable {
    /// nil if the response has no code, as in OAuth's format or in responses of a proxy.
    public var code: AuthErrorCode?
    /// A message for developers. Its text may change.
    public var message: String
    /// Why the password was refused; empty for other errors.
    public var weakPasswordReasons: [String]
    /// The question of `identity_needs_confirmation`; nil for other errors, or if it is unreadable.
    public var linkQuestion: AuthLinkQuestion?

    /// Parses an error response, even if it is not JSON.
    ///
    /// - `{"code":"…","message":"…"}`: API version 2024-01-01.
    /// - `{"code":400,"error_code":"…","msg":"…"}`: the older version, where `code` may also be a string of digits.
    /// - `{"error":"…","error_description":"…"}`: OAuth.
    public init(body: [UInt8]) {
        guard let members = Self.members(body) else {
            self.init(
                code: nil, message: "the answer was no JSON object", weakPasswordReasons: [], linkQuestion: nil)
            return
        }
        var code = members.text("error_code")
        if code == nil, let text = members.text("code"), !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            code = text
        }
        let names = ["msg", "message", "error_description", "error"]
        let reasons = members["weak_password"]?["reasons"]?.arrayValue ?? []
        self.init(
            code: code.map(AuthErrorCode.init(rawValue:)),
            message: names.lazy.compactMap { members.text($0) }.first ?? "no message",
            weakPasswordReasons: reasons.compactMap(\.stringValue),
            linkQuestion: code == AuthErrorCode.identityNeedsConfirmation.rawValue ? AuthLinkQuestion(members) : nil)
    }

    private init(
        code: AuthErrorCode?, message: String, weakPasswordReasons: [String], linkQuestion: AuthLinkQuestion?
    ) {
        self.code = code
        self.message = message
        self.weakPasswordReasons = weakPasswordReasons
        self.linkQuestion = linkQuestion
    }

    private static func members(_ body: [UInt8]) -> WireMembers? {
        // Lost: why the body is not a JSON object. The error page of a proxy contains nothing that a caller could use.
        try? WireMembers(JSONReader.read(body), path: "error")
    }
}
