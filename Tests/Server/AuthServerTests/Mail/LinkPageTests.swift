import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Languages of a mailed link's page")
struct LinkPageTests {
    struct Reader: CustomTestStringConvertible, Sendable {
        let header: String?
        var locale: String?
        let root: String
        let word: String
        var testDescription: String { "\(header ?? "none") \(locale ?? "")" }
    }

    static let readers = [
        Reader(header: nil, root: "lang=\"en\" dir=\"ltr\"", word: "Enter the code from the email"),
        Reader(header: "da, xx;q=0.5", root: "lang=\"en\" dir=\"ltr\"", word: "six-digit code"),
        Reader(header: "es-MX", root: "lang=\"es\" dir=\"ltr\"", word: "seis dígitos"),
        Reader(header: "da, de;q=0.5", root: "lang=\"de\" dir=\"ltr\"", word: "sechsstelligen Code"),
        Reader(header: "ja", root: "lang=\"ja\" dir=\"ltr\"", word: "6桁のコード"),
        Reader(header: "ar-EG, en", root: "lang=\"ar\" dir=\"rtl\"", word: "رمز من ستة أرقام"),
        Reader(header: "en", locale: "ar", root: "lang=\"ar\" dir=\"rtl\"", word: "رمز من ستة أرقام"),
        Reader(header: "de", locale: "da", root: "lang=\"de\" dir=\"ltr\"", word: "sechsstelligen Code"),
    ]

    @Test("The page is in the user's language, else in the browser's", arguments: readers)
    func language(_ reader: Reader) async throws {
        try await TestServer.mailing { server in
            var json: AuthJSONObject = ["email": "ada@example.com", "password": .string(TestServer.password)]
            if let locale = reader.locale { json["data"] = ["locale": .string(locale)] }
            _ = try await server.post("/signup", .object(json))
            let path = try await server.deliveredMail().path
            var headers = HTTPFields()
            headers[.acceptLanguage] = reader.header
            let page = try await server.send(.get, path, headers: headers)
            #expect(page.status == 200 && page.text.contains(reader.root) && page.text.contains(reader.word))
            #expect(!page.text.contains("<script"))
        }
    }

    @Test("The page has the name, the symbol and the colors of the account pages, and may load that symbol alone")
    func brand() async throws {
        let symbol = LinkPageBrand.Symbol(origin: "https://accounts.example.org", path: "/account/assets/symbol")
        let brand = LinkPageBrand(name: "<Box> & Score", style: ":root{--accent:#123456}", symbol: symbol)
        for shown in [brand, LinkPageBrand(name: "Box Score", style: "", symbol: nil), nil] {
            try await TestServer.mailing(change: { $0.linkPageBrand = shown }) { server in
                _ = try await server.post(
                    "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
                let page = try await server.send(.get, try await server.deliveredMail().path)
                let policy = try #require(page.headers[.contentSecurityPolicy])
                #expect(page.text.contains("<header>") == (shown != nil))
                #expect(page.text.contains("<bdi>&lt;Box&gt; &amp; Score</bdi>") == (shown?.name == brand.name))
                #expect(page.text.contains("--accent:#123456") == (shown?.symbol != nil))
                #expect(
                    page.text.contains("<img src=\"https://accounts.example.org/account/assets/symbol\"")
                        == (shown?.symbol != nil))
                #expect(policy.contains("img-src https://accounts.example.org; ") == (shown?.symbol != nil))
                #expect(policy.contains("img-src") == (shown?.symbol != nil))
            }
        }
    }

    @Test("A wrong code is named in the same language, beside the field")
    func wrongCode() async throws {
        try await TestServer.mailing { server in
            let order: AuthJSON = ["email": "ada@example.com"]
            _ = try await server.send(.post, "/auth/v1/invite", bearer: TestServer.secretKey, json: order)
            let (code, path, _) = try await server.deliveredMail()
            var headers: HTTPFields = [.acceptLanguage: "de"]
            let page = try await server.send(.get, path, headers: headers)
            #expect(page.text.contains("Die sechs Ziffern") && !page.text.contains("role=\"alert\""))
            headers[.contentType] = "application/x-www-form-urlencoded"
            let refused = try await server.send(
                .post, "/auth/v1/verify/page", headers: headers,
                raw: MailedLinkTests.form(path, code: TestServer.wrong(code)))
            #expect(refused.text.contains("Dieser Code ist falsch") && refused.text.contains("aria-invalid"))
        }
    }

    @Test(
        "The page takes the code in the digits of the user's keyboard, and as pasted",
        arguments: ["٠١٢٣٤٥٦٧٨٩", "۰۱۲۳۴۵۶۷۸۹", "０１２３４５６７８９", " 0 1 2 3 4 5 6 7 8 9 "])
    func typed(_ keyboard: String) async throws {
        try await TestServer.mailing { server in
            let order: AuthJSON = ["email": "ada@example.com"]
            _ = try await server.send(.post, "/auth/v1/invite", bearer: TestServer.secretKey, json: order)
            let (code, path, _) = try await server.deliveredMail()
            let digits = keyboard.filter { $0 != " " }.map(String.init)
            let separator = keyboard.hasPrefix(" ") ? " " : ""
            let typed = separator + code.compactMap(\.wholeNumberValue).map { digits[$0] }.joined(separator: separator)
            let confirmed = try await server.send(
                .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                raw: MailedLinkTests.form(path, code: FormText.escape(typed)))
            #expect(confirmed.status == 303 && confirmed.headers[.location]?.contains("error") == false)
        }
    }
}
