import CEmbedded
import Crypto
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import MailTemplates
import Mustache
import NIOCore

struct PageLook: Sendable {
    private let library: MustacheLibrary
    private let name: String
    let assets: [PageAsset]
    private let sheets: [String]
    private let symbol: String?
    /// For passkeys, security keys or a *Print* button.
    private let script: String
    /// For ``LiveRows``.
    private let liveScript: String?
    private let home: String

    init(_ branding: Branding, _ site: Site) throws {
        var library = MustacheLibrary()
        func register(_ template: [UInt8], _ name: String) throws {
            try library.register(String(decoding: template, as: UTF8.self), named: name)
        }
        try register(site == .console ? PackageResources.console_html : PackageResources.page_html, "page")
        try register(PackageResources.form_html, "form")
        try register(PackageResources.part_html, "part")
        try register(PackageResources.table_html, "table")
        self.library = library
        name = branding.name
        let svg = "image/svg+xml"
        let sheet = PageAsset(
            "pages.css", "text/css; charset=utf-8", LargeFile.bytes(gatehouse_pages_css()),
            compressed: PackageResources.pages_css_gz, of: site)
        let wide =
            site == .console
            ? PageAsset(
                "console.css", "text/css; charset=utf-8", LargeFile.bytes(gatehouse_console_css()),
                compressed: PackageResources.console_css_gz, of: site) : nil
        let code = "text/javascript; charset=utf-8"
        let script = PageAsset("account.js", code, PackageResources.account_js, of: site)
        let live = site == .console ? PageAsset("live.js", code, PackageResources.live_js, of: site) : nil
        let brand = branding.accent.map {
            PageAsset("brand.css", "text/css; charset=utf-8", Array($0.styleSheet.utf8), of: site)
        }
        let symbol = branding.symbol.map { PageAsset("symbol", $0.type, $0.bytes, of: site) }
        assets =
            [sheet] + [wide, script, live, brand, symbol].compactMap(\.self) + [
                PageAsset("apple.svg", svg, PackageResources.apple_svg, of: site),
                PageAsset("google.svg", svg, PackageResources.google_svg, of: site),
                PageAsset("mail.svg", svg, PackageResources.mail_svg, of: site),
                PageAsset("passkey.svg", svg, PackageResources.passkey_svg, of: site),
            ]
        sheets = [sheet, wide, brand].compactMap { $0?.address }
        home = site.prefix
        (self.script, liveScript) = (script.address, live?.address)
        self.symbol = symbol?.address
    }

    /// - Parameter address: Path and query, for links to other languages.
    func html(
        _ page: TemplateValues, languagesTitle: String, address: String, language: MailLanguage,
        offersLanguages: Bool = true, needsScript: Bool = false
    ) -> String {
        var shown = page
        shown["lang"] = language.rawValue
        shown["dir"] = language.isRightToLeft ? "rtl" : "ltr"
        shown["app"] = Markup(name.shown)
        shown["home"] = home
        shown["sheets"] = sheets.map(Markup.init)
        shown["liveScript"] = liveScript.map(Markup.init)
        if needsScript { shown["accountScript"] = Markup(script) }
        shown["symbolAddress"] = symbol.map(Markup.init)
        if offersLanguages {
            let query = address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
            let languages: [TemplateValues] = MailLanguage.allCases.map { other in
                var entry: TemplateValues = ["languageTag": other.rawValue, "languageName": other.ownName]
                if other != language { entry["languageAddress"] = Markup("\(address)\(query)lang=\(other.rawValue)") }
                return entry
            }
            shown["footer"] = ["languagesTitle": Markup(languagesTitle), "languages": languages]
        }
        // nil only for an unknown name.
        return library.render(shown, withTemplate: "page") ?? ""
    }
}

/// Its URL changes with its content, so browsers may keep it.
struct PageAsset: Sendable {
    let name: String
    private let type: String
    private let bytes: [UInt8]
    private let compressed: [UInt8]?
    private let digest: String

    private let site: Site

    init(_ name: String, _ type: String, _ bytes: [UInt8], compressed: [UInt8]? = nil, of site: Site) {
        (self.name, self.type, self.bytes, self.compressed) = (name, type, bytes, compressed)
        self.site = site
        digest = Base64URL.text(Array(SHA256.hash(data: bytes).prefix(12)))
    }

    var address: String { "\(site.prefix)/assets/\(name)?v=\(digest)" }

    /// 304 if the browser has the file (RFC 9110 §13.1.2).
    func response(to request: Request) -> Response {
        let isCompressed = compressed != nil && Self.takesGzip(request.headers[.acceptEncoding] ?? "")
        let tag = "\"\(digest)\(isCompressed ? "-gz" : "")\""
        var response = Response(status: .ok)
        if request.headers[.ifNoneMatch]?.contains(tag) == true {
            response = Response(status: .notModified)
        } else {
            let body = isCompressed ? compressed ?? bytes : bytes
            response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
            response.headers[.contentType] = type
            if isCompressed { response.headers[.contentEncoding] = "gzip" }
        }
        response.headers[.eTag] = tag
        if compressed != nil { response.headers[.vary] = "Accept-Encoding" }
        response.headers[.cacheControl] =
            request.uri.query == "v=\(digest)" ? "public, max-age=31536000, immutable" : "public, max-age=600"
        // An SVG with scripts could be opened by itself.
        response.headers[.contentSecurityPolicy] = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        return response
    }

    /// RFC 9110 §12.5.3.
    private static func takesGzip(_ text: String) -> Bool {
        text.utf8.prefix(1_024).split(separator: UInt8(ascii: ",")).contains { part in
            let coding = String(decoding: part.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
            let isRefused =
                coding.hasPrefix("gzip;q=0") && coding.utf8.dropFirst(8).allSatisfy { !(0x31...0x39).contains($0) }
            return coding == "gzip" || coding.hasPrefix("gzip;") && !isRefused
        }
    }
}

extension WebPages {
    var assetRoutes: [Route] {
        look.assets.map { first in
            Route(.get, "/assets/\(first.name)") { request, _ in
                // The symbol may have changed.
                (look.assets.first { $0.name == first.name } ?? first).response(to: request)
            }.unlogged
        }
    }
}
