/// Why the server refused a password as weak, from ``AuthRefusal/weakPassword``.
public struct AuthWeakPassword: Hashable, Sendable {
    /// A rule that the password breaks. Newer servers may send others.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// As sent by the server.
        public let rawValue: String

        /// Creates a reason from any text.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is shorter than ``AuthWeakPassword/minimumLength``.
        public static let length = Self(rawValue: "length")
        /// It lacks a required kind of characters.
        public static let characters = Self(rawValue: "characters")
        /// It is common, or known from a leak.
        public static let pwned = Self(rawValue: "pwned")
    }

    /// All rules that the password breaks, in the server's order. Empty if the server names none.
    public var reasons: [Reason]
    /// The server's explanation in English, such as the required kinds of characters.
    public var message: String
    /// The required length in characters; nil if the password is long enough, or the server does not say.
    public var minimumLength: Int?

    /// For tests and previews.
    public init(reasons: [Reason], message: String = "", minimumLength: Int? = nil) {
        self.reasons = reasons
        self.message = message
        self.minimumLength = minimumLength
    }
}

extension AuthRefusal {
    /// Why the password was refused; nil for other refusals than `weak_password`.
    public var weakPassword: AuthWeakPassword? {
        guard code == .weakPassword else { return nil }
        let reasons = weakPasswordReasons.map(AuthWeakPassword.Reason.init(rawValue:))
        return AuthWeakPassword(
            reasons: reasons, message: message,
            minimumLength: reasons.contains(.length) ? AuthWeakPassword.minimumLength(in: message) : nil)
    }
}

extension AuthWeakPassword {
    /// The number in `Password should be at least 12 characters.`, the text of Supabase Auth and of Gatehouse. The API
    /// has no member for it.
    fileprivate static func minimumLength(in message: String) -> Int? {
        let words = message.cut(to: 256).split(ascii: " ")
        for (index, word) in words.enumerated() where word == "least" && index + 2 < words.count {
            if words[index + 2].hasPrefix("characters"), let length = Int(words[index + 1]) { return length }
        }
        return nil
    }
}
