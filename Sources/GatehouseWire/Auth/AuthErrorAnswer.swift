/// What the Auth API says when it refuses, in any of its three forms (wire contract 1.4).
public struct AuthErrorAnswer: Hashable, Sendable {
    /// Nil when the answer carried none, as OAuth-style errors and answers of a gateway do.
    public var code: AuthErrorCode?
    /// For a developer to read; not part of the contract.
    public var message: String
    /// Why a password was refused; empty for other errors.
    public var weakPasswordReasons: [String]
    /// What `identity_needs_confirmation` asks; nil for other errors, and when it cannot be read.
    public var linkQuestion: AuthLinkQuestion?

    /// Reads a refusal from any body, JSON or not.
    ///
    /// - `{"code":"…","message":"…"}`, the form of version 2024-01-01;
    /// - `{"code":400,"error_code":"…","msg":"…"}`, the older one, where `code` may also be text of digits;
    /// - `{"error":"…","error_description":"…"}`, of OAuth.
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
        // What is lost: why a refusal is no JSON object. A proxy's page says nothing that a caller could use.
        try? WireMembers(JSONReader.read(body), path: "error")
    }
}
