/// A localizable text: an English format, which is its string catalogue key, and its values.
///
/// ```swift
/// let text = AuthError.wrongCredentials.content.localized
/// let title = ModelText("Sign in with %@", "Google").localized
/// ```
///
/// The library has ten languages. To reword a text, including on the screens, add its key to a string catalogue named
/// `Gatehouse` in the app's main bundle, in all of the app's languages.
///
/// On Apple's systems the language is one of the project's, or any with `CFBundleAllowMixedLocalizations` in
/// `Info.plist`.
public struct ModelText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The string catalogue key. `%@` is a text's placeholder; `%lld` is a whole number's, and selects the plural form.
    public var key: String
    /// The placeholders' values in order, not localized.
    public var arguments: [String]

    /// Creates a text.
    ///
    /// - Parameter arguments: One for each placeholder.
    public init(_ key: String, _ arguments: String...) { self.init(key, arguments) }

    /// Creates a text.
    ///
    /// - Parameter arguments: One for each placeholder.
    public init(_ key: String, _ arguments: [String]) {
        self.key = key
        self.arguments = arguments
    }

    /// A text without arguments.
    public init(stringLiteral key: String) { self.init(key) }

    /// The text in the user's language, from the app's catalogue `Gatehouse` or the library's; else ``key``.
    public var localized: String { lookedUp }

    /// The text in English.
    public var english: String { pieces.map { $0.literal + ($0.value?.english ?? "") }.joined() }

    package enum Value {
        case text(String)
        /// Selects the plural form.
        case number(Int)

        fileprivate var english: String {
            switch self {
            case .text(let text): text
            case .number(let number): String(number)
            }
        }
    }

    /// Each literal with the following value.
    package var pieces: [(literal: String, value: Value?)] {
        var pieces: [(literal: String, value: Value?)] = []
        var (rest, values) = (key[...], arguments[...])
        while let place = rest.firstRange(of: /%@|%lld/) {
            let isText = rest[place].hasSuffix("@")
            let value = values.popFirst().map { isText ? Value.text($0) : .number(Int($0) ?? 0) }
            pieces.append((String(rest[..<place.lowerBound]), value))
            rest = rest[place.upperBound...]
        }
        return pieces + [(String(rest), nil)]
    }
}
