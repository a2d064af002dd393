import Foundation

/// The fields of the email screen but the passwords, which live and die with the view that typed them.
///
/// It decides what is valid; ``LoginModel`` submits it.
public struct EmailAuthForm: Hashable, Sendable {
    /// What the screen is for.
    public enum Mode: Hashable, Sendable {
        case signIn
        case signUp
    }

    /// A field that can be wrong.
    public enum Field: Hashable, Sendable, CaseIterable {
        case name
        case email
        case password
        case confirmation
    }

    /// Flipped by ``flip()``.
    public private(set) var mode: Mode
    /// As typed.
    public var email = ""
    /// As typed; of a sign-up only.
    public var name = ""

    /// Empty fields.
    public init(mode: Mode = .signIn) { self.mode = mode }

    /// The other mode with empty fields. The view empties its passwords.
    public mutating func flip() { self = EmailAuthForm(mode: mode == .signIn ? .signUp : .signIn) }

    /// The link that flips.
    public var footer: String {
        switch mode {
        case .signIn: "Don't have an account? Create one"
        case .signUp: "Already have an account? Sign in"
        }
    }

    /// In the order in which Return moves through them.
    public var fields: [Field] {
        switch mode {
        case .signIn: [.email, .password]
        case .signUp: [.name, .email, .password, .confirmation]
        }
    }
}

extension EmailAuthForm {
    /// What is sent as the address: without blanks around it.
    public var trimmedEmail: String { email.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// What is kept of the name: without blanks around it, at most 40 characters; nil for a sign-in.
    public var keptName: String? {
        guard mode == .signUp else { return nil }
        let trimmed = name.trimmingCharacters(in: .whitespacesAndNewlines)
        return String(trimmed.prefix(40)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Whether a field can be submitted.
    public func isValid(_ field: Field, password: String, confirmation: String) -> Bool {
        switch field {
        case .name: keptName?.isEmpty != true
        case .email: Self.isAddress(trimmedEmail)
        case .password: password.count >= 8
        case .confirmation: mode == .signIn || password == confirmation
        }
    }

    /// Whether all of it can be submitted.
    public func isValid(password: String, confirmation: String = "") -> Bool {
        fields.allSatisfy { isValid($0, password: password, confirmation: confirmation) }
    }

    /// The line below a field; nil while it is valid, or still empty.
    public func hint(for field: Field, password: String, confirmation: String) -> String? {
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
        case .password: "Password must be at least 8 characters."
        case .confirmation: "Passwords do not match."
        }
    }

    /// The form `x@y.z`: one @ with something before it, and a dot with something on both of its sides after it.
    private static func isAddress(_ text: String) -> Bool {
        let halves = text.split(separator: "@", omittingEmptySubsequences: false)
        guard halves.count == 2, !halves[0].isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let labels = halves[1].split(separator: ".", omittingEmptySubsequences: false)
        return labels.count >= 2 && labels.allSatisfy { !$0.isEmpty }
    }
}
