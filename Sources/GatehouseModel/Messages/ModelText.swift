/// A text for the user: an English format, which is its key in a string catalogue, and what its `%@` stand for.
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

    /// The text in English.
    public var english: String {
        var parts = key.split(separator: "%@", omittingEmptySubsequences: false).map(String.init)
        for (index, argument) in arguments.enumerated() where index + 1 < parts.count { parts[index] += argument }
        return parts.joined()
    }
}
