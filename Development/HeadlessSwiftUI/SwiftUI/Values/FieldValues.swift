public struct UITextContentType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let name = UITextContentType(rawValue: "name")
    public static let givenName = UITextContentType(rawValue: "given-name")
    public static let familyName = UITextContentType(rawValue: "family-name")
    public static let emailAddress = UITextContentType(rawValue: "email")
    public static let telephoneNumber = UITextContentType(rawValue: "tel")
    public static let username = UITextContentType(rawValue: "username")
    public static let password = UITextContentType(rawValue: "password")
    public static let newPassword = UITextContentType(rawValue: "new-password")
    public static let oneTimeCode = UITextContentType(rawValue: "one-time-code")

    /// `autocomplete`.
    var html: String { self == .password ? "current-password" : rawValue }
}

@nonexhaustive public enum UIKeyboardType: Int, Sendable {
    case `default` = 0
    case asciiCapable
    case numbersAndPunctuation
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case URL
    case numberPad
    case phonePad
    case namePhonePad
    case emailAddress
    case decimalPad
    case twitter
    case webSearch
    case asciiCapableNumberPad

    /// `inputmode`.
    var inputMode: String {
        switch self {
        case .emailAddress: "email"
        case .URL: "url"
        case .numberPad, .asciiCapableNumberPad: "numeric"
        case .decimalPad: "decimal"
        case .phonePad, .namePhonePad: "tel"
        case .webSearch: "search"
        default: "text"
        }
    }
}

public struct TextInputAutocapitalization: Sendable {
    let html: String

    public static var never: TextInputAutocapitalization { TextInputAutocapitalization(html: "none") }
    public static var words: TextInputAutocapitalization { TextInputAutocapitalization(html: "words") }
    public static var sentences: TextInputAutocapitalization { TextInputAutocapitalization(html: "sentences") }
    public static var characters: TextInputAutocapitalization { TextInputAutocapitalization(html: "characters") }
}

public struct SubmitLabel: Sendable {
    let html: String

    public static var done: SubmitLabel { SubmitLabel(html: "done") }
    public static var go: SubmitLabel { SubmitLabel(html: "go") }
    public static var send: SubmitLabel { SubmitLabel(html: "send") }
    public static var join: SubmitLabel { SubmitLabel(html: "join") }
    public static var route: SubmitLabel { SubmitLabel(html: "route") }
    public static var search: SubmitLabel { SubmitLabel(html: "search") }
    public static var `return`: SubmitLabel { SubmitLabel(html: "enter") }
    public static var next: SubmitLabel { SubmitLabel(html: "next") }
    public static var `continue`: SubmitLabel { SubmitLabel(html: "continue") }
}

public struct SubmitTriggers: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let text = SubmitTriggers(rawValue: 1)
    public static let search = SubmitTriggers(rawValue: 2)
}

public struct ScrollDismissesKeyboardMode: Sendable {
    let name: String

    public static var automatic: ScrollDismissesKeyboardMode { ScrollDismissesKeyboardMode(name: "automatic") }
    public static var immediately: ScrollDismissesKeyboardMode { ScrollDismissesKeyboardMode(name: "immediately") }
    public static var interactively: ScrollDismissesKeyboardMode {
        ScrollDismissesKeyboardMode(name: "interactively")
    }
    public static var never: ScrollDismissesKeyboardMode { ScrollDismissesKeyboardMode(name: "never") }
}

public struct ButtonRole: Equatable, Sendable {
    package let name: String

    public static let destructive = ButtonRole(name: "destructive")
    public static let cancel = ButtonRole(name: "cancel")
}
