extension Setting {
    package static let console = Setting(
        "console", .none, .flag(false),
        "Enables the operators' console at `/console`, see [console.md](console.md). Always on in `gatehouse dev`.")
    package static let accountPages = Setting(
        "account_pages", .none, .flag(false),
        "Enables the web pages at `/account` where users sign in and manage their accounts, see "
            + "[account-pages.md](account-pages.md).")
    package static let accountPagesURL = Setting(
        "account_pages_url", .none, .text(),
        "Public origin of these pages: `https://accounts.example.org`. Default: the origin of `external_url`.")
    package static let accountPagesName = Setting(
        "account_pages_name", .none, .text(),
        "The app's name on the pages. Default: their host.")
    package static let accountPagesAccent = Setting(
        "account_pages_accent", .none, .text(),
        "Color of buttons and links, such as `#1a56db`. Links are darkened or lightened where contrast requires it.")
    package static let accountPagesSymbol = Setting(
        "account_pages_symbol", .none, .text(),
        "Path of a square PNG or SVG shown next to the name. At most 64 KiB.")
    package static let accountPagesTexts = Setting(
        "account_pages_texts", .none, .text(),
        "Path of a folder with custom texts, one JSON file per language, such as `en.json`.")

    static let pages: [Setting] = [
        accountPages, accountPagesURL, accountPagesName, accountPagesAccent, accountPagesSymbol, accountPagesTexts,
        console,
    ]
}
