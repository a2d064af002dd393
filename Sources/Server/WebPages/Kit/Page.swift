import GatehouseWire
import HTTPTypes

/// A page's content, without its form.
struct Page {
    enum Width { case narrow, wide }

    var title: String
    var status: HTTPResponse.Status = .ok
    /// A sentence at the top: what went wrong, or what was done.
    var notice: Notice?
    /// The page to go back to, with its title.
    var back: (title: String, address: String)?
    /// The address that the browser continues to by itself.
    var onward: String?
    /// The table of the page grows while it is open.
    var live: LiveRows?
    var blocks: [Block]

    init(_ title: String, _ blocks: [Block] = []) { (self.title, self.blocks) = (title, blocks) }

    /// The captcha of one of the forms; nil if none has one.
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

    /// Whether the page shows a value that the server shows only once. Reloading its address does not show it again.
    var isShownOnce: Bool {
        blocks.contains { block in
            switch block {
            case .key, .codes: true
            default: false
            }
        }
    }

    /// Whether a block needs the script of the account pages.
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

/// Rows that a script adds at the top of the page's table.
struct LiveRows {
    /// Takes `after`, and answers with the rows since then.
    let address: String
    let next: Int
    /// The largest number of rows.
    let most: Int
}

/// A sentence at the top of a page.
struct Notice {
    let text: String
    let isProblem: Bool

    static func problem(_ text: String) -> Notice { Notice(text: text, isProblem: true) }
    static func done(_ text: String) -> Notice { Notice(text: text, isProblem: false) }
}

/// A part of a page.
enum Block {
    case text(String)
    case soft(String)
    case heading(String)
    case divider(String)
    case form(Form)
    /// Buttons that are links, one below the other.
    case buttons([Link])
    /// Small links.
    case links([Link])
    /// A list of pages.
    case menu([Link])
    case rows([Row])
    case picture(Picture)
    /// A secret to copy.
    case key(String)
    /// Codes to print, one below the other.
    case codes([String])
    /// A button that a script shows.
    case printButton(String)
    /// The text until the script shows a form with a ``Ceremony``.
    case unscripted(String)
    // Of the console alone. There, a heading begins a new card.
    case table(Table)
    case facts([Fact])
    case filters(Filters)
    /// Text as it stands, such as JSON.
    case code(String)
    /// Links to pages with an action, side by side.
    case actions([Link])
    /// Trusted markup, such as an SVG. Untrusted text in it must be ``Markup``.
    case drawing(String)
}

struct Link {
    let title: String
    let address: String
    /// The second line of a menu.
    var detail: String?
    /// The name of a provider, for its symbol.
    var symbol: String?
}

/// A row of a list, with a button.
struct Row {
    let title: String
    var badge: String?
    var details: [String] = []
    var form: Form?
    /// In the place of a form.
    var link: Link?
    /// The link's text for screen readers.
    var linkLabel: String?
}

/// An SVG of the Auth API. In an `img` it cannot load anything or run scripts.
struct Picture {
    /// In bytes.
    static let longest = 16_384

    let svg: String
    let label: String
}

struct Form {
    enum Style: String { case main, plain, danger }

    let action: String
    var fields: [Field] = []
    var hidden: [(name: String, value: String)] = []
    /// The captcha to solve before the button can be pressed.
    var captcha: CaptchaWidget?
    /// The ceremony that a script runs before it sends the form. Without a script, the form stays hidden.
    var ceremony: Ceremony?
    let button: String
    /// The name of a symbol of the style sheet.
    var symbol: String?
    /// The button's text for screen readers, if its title needs the context.
    var label: String?
    var style = Style.main
}

struct Field {
    enum Kind: String { case text, email, password, code, checkbox, choice }

    let kind: Kind
    let name: String
    let label: String
    var value = ""
    var hint: String?
    var problem: String?
    var autocomplete = "off"
    var isRequired = true
    var isFocused = false
    /// Whether the text runs from left to right in every language, as codes and addresses do.
    var isLatin = false
    var minimumLength: Int?
    var maximumLength: Int?
    /// Of a choice.
    var options: [Option] = []

    struct Option {
        let value: String
        let title: String
    }
}
