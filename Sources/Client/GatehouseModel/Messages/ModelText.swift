/// A text for the user: an English format, which is its key in a string catalogue, and the values of its placeholders.
///
/// All texts of the models have this type, and all texts of GatehouseUI's screens are such keys. ``localized`` is the text in
/// the user's language:
///
/// ```swift
/// let text = AuthError.wrongCredentials.content.localized
/// let title = ModelText("Sign in with %@", "Google").localized
/// ```
///
/// The library has its texts in ten languages. To reword one, on the screens as well, add a string catalogue with the
/// name `Gatehouse` to the app's main bundle: a key of the library that it has replaces the library's text. Give each key a
/// translation for every language of the app.
///
/// On Apple's systems the language is one of the app's: the languages that its project lists, or all if its `Info.plist`
/// has `CFBundleAllowMixedLocalizations`.
public struct ModelText: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The key in a string catalogue. `%@` is the placeholder of a text, and `%lld` of a whole number that selects the
    /// plural form.
    public var key: String
    /// In the order of the placeholders in ``key``. Not localized, such as a provider's name.
    public var arguments: [String]

    /// - Parameter arguments: As many as ``key`` has placeholders.
    public init(_ key: String, _ arguments: String...) { self.init(key, arguments) }

    /// - Parameter arguments: As many as ``key`` has placeholders.
    public init(_ key: String, _ arguments: [String]) {
        self.key = key
        self.arguments = arguments
    }

    /// A text without arguments.
    public init(stringLiteral key: String) { self.init(key) }

    /// The text in the user's language: in the app's wording if its catalogue `Gatehouse` has ``key``, or else in the
    /// library's. A key in neither is the text.
    public var localized: String { lookedUp }

    /// The text in English. Tests check its exact wording.
    public var english: String { pieces.map { $0.literal + ($0.value?.english ?? "") }.joined() }

    /// The value of a placeholder.
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

    /// The literal parts of ``key``, each with the value that follows it.
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
