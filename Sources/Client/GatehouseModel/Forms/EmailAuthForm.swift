import Foundation
import Gatehouse

/// Validates the email screen's fields. Only the view holds the passwords; ``LoginModel`` submits.
public struct EmailAuthForm: Hashable, Sendable {
    /// The purpose of the screen.
    public enum Mode: Hashable, Sendable {
        /// An existing account.
        case signIn
        /// A new account.
        case signUp
    }

    /// A field of the form.
    public enum Field: Hashable, Sendable, CaseIterable {
        /// The first name.
        case name
        /// The address.
        case email
        /// The password.
        case password
        /// The password again.
        case confirmation
    }

    /// Changed by ``flip()``.
    public private(set) var mode: Mode
    /// The email address as typed.
    public var email = ""
    /// The name as typed, for a sign-up.
    public var name = ""

    /// The minimum length of a new password.
    public var minimumPasswordLength: Int

    /// Creates an empty form.
    public init(mode: Mode = .signIn, minimumPasswordLength: Int = 8) {
        self.mode = mode
        self.minimumPasswordLength = minimumPasswordLength
    }

    /// Switches the mode and empties the fields.
    public mutating func flip() {
        self = EmailAuthForm(
            mode: mode == .signIn ? .signUp : .signIn, minimumPasswordLength: minimumPasswordLength)
    }

    /// The title of the link that switches the mode.
    public var footer: ModelText {
        switch mode {
        case .signIn: "Don't have an account? Create one"
        case .signUp: "Already have an account? Sign in"
        }
    }

    /// The fields in the Return key's order.
    public var fields: [Field] {
        switch mode {
        case .signIn: [.email, .password]
        case .signUp: [.name, .email, .password, .confirmation]
        }
    }
}

extension EmailAuthForm {
    /// The trimmed email address.
    public var trimmedEmail: String { email.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The trimmed name, cut to 40 characters; nil for a sign-in.
    public var keptName: String? {
        guard mode == .signUp else { return nil }
        let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
        return String(trimmed.prefix(40)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether a field is valid.
    public func isValid(_ field: Field, password: String, confirmation: String) -> Bool {
        switch field {
        case .name: keptName?.isEmpty != true
        case .email: Self.isAddress(trimmedEmail)
        // Servers may allow fewer characters, and imported accounts may have them.
        case .password: mode == .signIn ? !password.isEmpty : Self.length(of: password) >= minimumPasswordLength
        // By characters: a keyboard may type an umlaut as one code point or as two.
        case .confirmation: mode == .signIn || password.elementsEqual(confirmation)
        }
    }

    /// Whether all fields are valid.
    public func isValid(password: String, confirmation: String = "") -> Bool {
        fields.allSatisfy { isValid($0, password: password, confirmation: confirmation) }
    }

    /// The hint below a field, if invalid.
    public func hint(for field: Field, password: String, confirmation: String) -> ModelText? {
        let text =
            switch field {
            case .name: name
            case .email: email
            case .password: password
            case .confirmation: confirmation
            }
        guard !text.isEmpty, !isValid(field, password: password, confirmation: confirmation) else { return nil }
        return switch field {
        case .name: "Please enter your name."
        case .email: "Please enter a valid email address."
        case .password: AuthWeakPassword(reasons: [.length], minimumLength: minimumPasswordLength).text
        case .confirmation: "Passwords don't match."
        }
    }

    /// As the server: code points of the composed text.
    private static func length(of password: String) -> Int {
        password.precomposedStringWithCanonicalMapping.unicodeScalars.count
    }

    /// The form `x@y.z`, with a single @.
    private static func isAddress(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let labels = halves[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }
}
