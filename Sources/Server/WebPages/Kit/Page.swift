import GatehouseWire
import HTTPTypes

struct Page {
    enum Width { case narrow, wide }

    var title: String
    var status: HTTPResponse.Status = .ok
    var notice: Notice?
    var back: (title: String, address: String)?
    /// The browser continues there by itself.
    var onward: String?
    /// The table grows while the page is open.
    var live: LiveRows?
    var blocks: [Block]

    init(_ title: String, _ blocks: [Block] = []) { (self.title, self.blocks) = (title, blocks) }

    /// nil if no form has one.
    var captcha: CaptchaWidget? {
        blocks.lazy.compactMap { block in
            if case .form(let form) = block { form.captcha } else { nil }
        }.first
    }

    var policy: ContentPolicy {
        var policy = ContentPolicy()
        if live != nil || needsScript { policy.scripts.append("'self'") }
        if live != nil { policy.connections.append("'self'") }
        for case .picture in blocks { policy.pictures.append("data:") }
        captcha?.allow(in: &policy)
        return policy
    }

    /// Has a value that a reload does not show again.
    var isShownOnce: Bool {
        blocks.contains { block in
            switch block {
            case .key, .codes: true
            default: false
            }
        }
    }

    /// Of the account pages.
    var needsScript: Bool {
        blocks.contains { block in
            switch block {
            case .form(let form): form.ceremony != nil
            case .printButton: true
            default: false
            }
        }
    }
}

/// Added by a script at the top of the table.
struct LiveRows {
    /// Responds to `after` with newer rows.
    let address: String
    let next: Int
    let most: Int
}

struct Notice {
    let text: String
    let isProblem: Bool

    static func problem(_ text: String) -> Notice { Notice(text: text, isProblem: true) }
    static func done(_ text: String) -> Notice { Notice(text: text, isProblem: false) }
}

enum Block {
    case text(String)
    case soft(String)
    case heading(String)
    case divider(String)
    case form(Form)
    case buttons([Link])
    case links([Link])
    case menu([Link])
    case rows([Row])
    case points([String])
    case picture(Picture)
    /// A secret to copy.
    case key(String)
    /// To print, one below the other.
    case codes([String])
    /// Shown by a script.
    case printButton(String)
    /// Shown until the script shows a form with a ``Ceremony``.
    case unscripted(String)
    // Console only. There, a heading begins a new card.
    case table(Table)
    case facts([Fact])
    case filters(Filters)
    /// Verbatim, such as JSON.
    case code(String)
    /// Side by side.
    case actions([Link])
    /// Trusted markup, such as an SVG. Untrusted text in it must be ``Markup``.
    case drawing(String)
}

struct Link {
    let title: String
    let address: String
    /// A menu's second line.
    var detail: String?
    /// The provider whose symbol is shown.
    var symbol: String?
}

struct Row {
    let title: String
    var badge: String?
    /// The badge is a warning.
    var warns = false
    var details: [String] = []
    var form: Form?
    /// Instead of a form.
    var link: Link?
    /// For screen readers.
    var linkLabel: String?
}

/// From the Auth API. In an `img` it cannot load anything or run scripts.
struct Picture {
    /// In bytes.
    static let longest = 16_384

    let svg: String
    let label: String
}

struct Form {
    enum Style: String { case main, plain, danger, quiet }

    let action: String
    var fields: [Field] = []
    var hidden: [(name: String, value: String)] = []
    /// To solve before pressing the button.
    var captcha: CaptchaWidget?
    /// Without a script, the form stays hidden.
    var ceremony: Ceremony?
    let button: String
    /// In the style sheet.
    var symbol: String?
    /// For screen readers, if the title needs context.
    var label: String?
    var style = Style.main
}

struct Field {
    enum Kind: String { case text, email, tel, password, code, checkbox, choice }

    let kind: Kind
    let name: String
    let label: String
    var value = ""
    var hint: String?
    var problem: String?
    var autocomplete = "off"
    var isRequired = true
    var isFocused = false
    /// Left to right in every language, such as codes and addresses.
    var isLatin = false
    var minimumLength: Int?
    var maximumLength: Int?
    var options: [Option] = []

    struct Option {
        let value: String
        let title: String
    }
}
