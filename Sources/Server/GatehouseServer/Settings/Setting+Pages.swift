/// The settings of the account pages and of the console.
extension Setting {
    package static let console = Setting(
        "console", .none, .flag(false),
        "Whether operators have pages at `/console`, see [console.md](console.md). `gatehouse dev` has them always.")
    package static let accountPages = Setting(
        "account_pages", .none, .flag(false),
        "Whether there are pages at `/account` where an app's users sign in and look after their accounts, see "
            + "[account-pages.md](account-pages.md).")
    package static let accountPagesURL = Setting(
        "account_pages_url", .none, .text(),
        "The origin that browsers reach these pages at: `https://accounts.example.org`. Without a value: that of "
            + "`external_url`.")
    package static let accountPagesName = Setting(
        "account_pages_name", .none, .text(),
        "The name of the app on the pages. Without a value: the host of the pages.")
    package static let accountPagesAccent = Setting(
        "account_pages_accent", .none, .text(),
        "The color of buttons and links, such as `#1a56db`. Links are darkened or lightened as far as their contrast "
            + "needs.")
    package static let accountPagesSymbol = Setting(
        "account_pages_symbol", .none, .text(),
        "Path of a square PNG or SVG of at most 64 KiB, shown beside the name.")
    package static let accountPagesTexts = Setting(
        "account_pages_texts", .none, .text(),
        "Path of a folder with texts of your own: `en.json`, `es.json`, `de.json`, `ja.json`, `ar.json`.")

    static let pages: [Setting] = [
        accountPages, accountPagesURL, accountPagesName, accountPagesAccent, accountPagesSymbol, accountPagesTexts,
        console,
    ]
}
