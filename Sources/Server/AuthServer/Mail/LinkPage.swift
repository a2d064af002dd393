import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates

package struct LinkPageBrand: Sendable {
    package let name: String
    /// Rules for `--accent`, `--on-accent` and `--link`.
    let style: String
    package let symbol: Symbol?

    package struct Symbol: Sendable {
        let origin, path: String

        package init(origin: String, path: String) { (self.origin, self.path) = (origin, path) }
    }

    package init(name: String, style: String, symbol: Symbol?) {
        (self.name, self.style, self.symbol) = (name, style, symbol)
    }
}

/// Works without JavaScript.
struct LinkPage {
    enum Mode {
        /// The session goes to the client that asked for the mail.
        case button
        /// The emailed code is typed into this page.
        case codeHere
        /// The emailed code is typed where the request began.
        case codeElsewhere
    }

    let mode: Mode
    let action: String
    let token: Secret
    let type: String
    let target: String
    let language: MailLanguage
    let isRefused: Bool
    let brand: LinkPageBrand?

    var response: Response {
        var response = Answer.text(text, contentType: "text/html; charset=utf-8").unstored
        // Without form-action, which browsers also apply to the redirect to the app.
        response.headers.append(
            HTTPField(
                name: .contentSecurityPolicy,
                value:
                    "default-src 'none'; style-src 'unsafe-inline'; \(pictures)base-uri 'none'; frame-ancestors 'none'")
        )
        response.headers.append(HTTPField(name: .xContentTypeOptions, value: "nosniff"))
        return response
    }

    private var pictures: String {
        brand?.symbol.map { "img-src \($0.origin); " } ?? ""
    }

    /// Unescaped: no text contains a user's values.
    private func say(_ text: StaticString) -> String {
        TextCatalogue.mailed.text("\(text)", in: language) ?? "\(text)"
    }

    private var text: String {
        """
        <!doctype html>
        <html lang="\(language.rawValue)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
        <head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
        <style>\(Self.style)\(brand?.style ?? "")</style></head>
        <body>\(header)<main><h1>\(title)</h1>
        \(content)
        </main></body></html>

        """
    }

    private var header: String {
        guard let brand else { return "" }
        let symbol = brand.symbol.map { symbol in
            "<img src=\"\(Self.escape(symbol.origin + symbol.path))\" alt=\"\" width=\"32\" height=\"32\">"
        }
        return "<header>\(symbol ?? "")<bdi>\(Self.escape(brand.name))</bdi></header>"
    }

    private static let style = """
        :root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --edge: #e1e4e8; --ink: #16191d; --soft: #57606a;
          --field: #8c959f; --accent: #1a56db; --on-accent: #fff; --link: #1a56db; --wrong: #b42318;
          font: 1.0625rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
        @media (prefers-color-scheme: dark) { :root { --page: #111315; --card: #1b1e21; --edge: #33383d; --ink: #f2f4f5;
          --soft: #a9b1b8; --field: #7d868e; --accent: #8ab4ff; --on-accent: #0b1a33; --link: #8ab4ff;
          --wrong: #ffb4ab } }
        * { box-sizing: border-box }
        body { margin: 0; min-height: 100vh; display: grid; place-items: start center; align-content: start; gap: 1rem;
          background: var(--page);
          color: var(--ink); padding: max(1rem, 12vh) 1rem 1rem }
        header { display: flex; align-items: center; gap: .625rem; min-height: 2.75rem; font-weight: 650 }
        header img { border-radius: .5rem; object-fit: contain }
        main { width: 100%; max-width: 26rem; background: var(--card); border: 1px solid var(--edge);
          border-radius: .75rem; padding: 2rem }
        h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 1rem; text-wrap: balance }
        p { margin: 0 0 1rem; text-wrap: pretty } form, p:last-child { margin: 0 } .soft { color: var(--soft) }
        :lang(ja) { word-break: auto-phrase }
        label { display: block; margin-bottom: .5rem } [role=alert] { color: var(--wrong); font-weight: 600 }
        button, input { font: inherit; width: 100%; min-height: 3rem; border-radius: .5rem; padding: 0 1rem }
        input { margin-bottom: 1.25rem; border: 1px solid var(--field); background: transparent; color: inherit;
          text-align: center; font-size: 1.5rem; letter-spacing: .25em; font-variant-numeric: tabular-nums }
        button { border: 0; background: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
        """

    private var title: String {
        switch mode {
        case .button: say("Continue in the App")
        case .codeHere, .codeElsewhere: say("Enter the code from the email")
        }
    }

    private var content: String {
        switch mode {
        case .button: form("<p>\(say("Press the button to return to where you requested the email."))</p>")
        case .codeHere:
            form(
                (isRefused ? "<p role=\"alert\" id=\"wrong\">\(say("This code is wrong or expired."))</p>" : "")
                    + """
                    <label for="code">\(say("The six digits from the email"))</label>
                    <input id="code" name="code" dir="ltr" inputmode="numeric" autocomplete="one-time-code" maxlength="16" \
                    required autofocus\(isRefused ? " aria-invalid=\"true\" aria-describedby=\"wrong\"" : "")>
                    """)
        case .codeElsewhere: "<p>\(elsewhere)</p><p class=\"soft\">\(nothingToDo)</p>"
        }
    }

    private var elsewhere: String {
        say(
            """
            The email contains a six-digit code. Enter it where you requested the email: in the app, or in the browser \
            that you used.
            """)
    }

    private var nothingToDo: String { say("If you didn't ask for it, there's nothing to do.") }

    private func form(_ fields: String) -> String {
        """
        <form method="post" action="\(Self.escape(action))">
        <input type="hidden" name="token" value="\(Self.escape(token.reveal()))">
        <input type="hidden" name="type" value="\(Self.escape(type))">
        <input type="hidden" name="redirect_to" value="\(Self.escape(target))">
        \(fields)<button type="submit">\(say("Continue"))</button></form>
        """
    }

    private static func escape(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
