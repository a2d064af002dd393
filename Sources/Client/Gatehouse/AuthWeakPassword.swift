/// Why a password is too weak, from ``AuthRefusal/weakPassword``.
public struct AuthWeakPassword: Hashable, Sendable {
    /// A broken rule. Newer servers may send others.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// As sent by the server.
        public let rawValue: String

        /// Accepts unknown reasons.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It is shorter than ``AuthWeakPassword/minimumLength``.
        public static let length = Self(rawValue: "length")
        /// It lacks a required kind of character.
        public static let characters = Self(rawValue: "characters")
        /// It is common or leaked.
        public static let pwned = Self(rawValue: "pwned")
    }

    /// All broken rules in the server's order. Empty if the server names none.
    public var reasons: [Reason]
    /// The server's explanation in English.
    public var message: String
    /// The required length in characters; nil if the password is long enough, or unknown.
    public var minimumLength: Int?

    /// For tests and previews.
    public init(reasons: [Reason], message: String = "", minimumLength: Int? = nil) {
        self.reasons = reasons
        self.message = message
        self.minimumLength = minimumLength
    }
}

extension AuthRefusal {
    /// Why the password was refused; nil unless the code is `weak_password`.
    public var weakPassword: AuthWeakPassword? {
        guard code == .weakPassword else { return nil }
        let reasons = weakPasswordReasons.map(AuthWeakPassword.Reason.init(rawValue:))
        return AuthWeakPassword(
            reasons: reasons, message: message,
            minimumLength: reasons.contains(.length) ? AuthWeakPassword.minimumLength(in: message) : nil)
    }
}

extension AuthWeakPassword {
    /// Servers say only `Password should be at least 12 characters.`; the API has no member for it.
    fileprivate static func minimumLength(in message: String) -> Int? {
        let words = message.cut(to: 256).split(ascii: " ")
        for (index, word) in words.enumerated() where word == "least" && index + 2 < words.count {
            if words[index + 2].hasPrefix("characters"), let length = Int(words[index + 1]) { return length }
        }
        return nil
    }
}
