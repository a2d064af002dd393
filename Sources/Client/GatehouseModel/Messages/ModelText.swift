/// A text for the user: an English format, which is its key in a string catalogue, and what its `%@` stand for.
///
/// All texts of the models have this type. An app gives some its own wording:
///
/// ```swift
/// let texts = ["Incorrect email or password. Please try again.": "That is not your password."]
/// let content = AuthError.wrongCredentials.content
/// let text = content.replaced(by: texts) ?? content
/// ```
///
/// `Branding.texts` of GatehouseUI does this on the screens. On Apple's systems `LocalizedStringResource` has an
/// initializer for it.
public struct ModelText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The key in a string catalogue.
    public var key: String
    /// In the order of the `%@` in ``key``. Not localized, such as a provider's name.
    public var arguments: [String]

    /// - Parameter arguments: As many as ``key`` has `%@`.
    public init(_ key: String, _ arguments: String...) { self.init(key, arguments) }

    /// - Parameter arguments: As many as ``key`` has `%@`.
    public init(_ key: String, _ arguments: [String]) {
        self.key = key
        self.arguments = arguments
    }

    /// A text without arguments.
    public init(stringLiteral key: String) { self.init(key) }

    /// The app's own wording of this text; nil if there is none.
    ///
    /// - Parameter texts: By the ``key`` of the library's text, the key of the app's, with as many `%@`.
    public func replaced(by texts: [String: String]) -> ModelText? { texts[key].map { ModelText($0, arguments) } }

    /// The literal parts of ``key``, each with the argument that follows it.
    package var pieces: [(literal: String, argument: String?)] {
        let literals = key.split(separator: "%@", omittingEmptySubsequences: false)
        return literals.enumerated().map { index, literal in
            let hasArgument = index < arguments.count && index + 1 < literals.count
            return (String(literal), hasArgument ? arguments[index] : nil)
        }
    }

    /// The text in English.
    public var english: String { pieces.map { $0.literal + ($0.argument ?? "") }.joined() }
}
