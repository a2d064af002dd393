extension Setting {
    package static let console = Setting(
        "console", .none, .flag(false),
        "Enables the [operators' console](console.md) at `/console`. Always on in `gatehouse dev`.")
    package static let accountPages = Setting(
        "account_pages", .none, .flag(false),
        "Enables the [account pages](account-pages.md) at `/account`.")
    package static let accountPagesURL = Setting(
        "account_pages_url", .none, .text(),
        "Public origin of these pages: `https://accounts.example.org`. Default: the origin of `external_url`.")
    package static let accountPagesName = Setting(
        "account_pages_name", .none, .text(),
        "The app's name on the pages. Default: their host.")
    package static let accountPagesAccent = Setting(
        "account_pages_accent", .none, .text(),
        "Color of buttons and links, such as `#1a56db`. Links are adjusted for contrast.")
    package static let accountPagesSymbol = Setting(
        "account_pages_symbol", .none, .text(),
        "Path of a square PNG or SVG next to the name, at most 64 KiB.")
    package static let accountPagesTexts = Setting(
        "account_pages_texts", .none, .text(),
        "Path of a folder of custom texts, one JSON file per language (`en.json`).")

    static let pages: [Setting] = [
        accountPages, accountPagesURL, accountPagesName, accountPagesAccent, accountPagesSymbol, accountPagesTexts,
        console,
    ]
}
