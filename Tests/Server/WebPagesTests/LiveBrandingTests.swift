import Foundation
import GatehouseServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("An operator's texts and symbol")
struct LiveBrandingTests {
    private static let symbol = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"8\"/>"

    private func pages(_ server: TestServer, _ folder: Scratch) throws -> RemotePages {
        try RemotePages(
            server,
            [
                "GATEHOUSE_ACCOUNT_PAGES_TEXTS": folder.path + "/texts",
                "GATEHOUSE_ACCOUNT_PAGES_SYMBOL": folder.path + "/symbol",
            ])
    }

    private func title(_ pages: RemotePages, _ language: String) async throws -> String {
        let browser = pages.browser
        browser.language = language
        return try await browser.open("/account/sign-in").title
    }

    @Test("A changed, added or deleted file of texts shows without a restart")
    func texts() async throws {
        try await TestServer.with { server in
            let folder = try Scratch()
            try folder.write(#"{"Sign In": "Log in"}"#, to: "texts/en.json")
            try folder.write(Self.symbol, to: "symbol")
            let pages = try pages(server, folder)
            #expect(try await title(pages, "en") == "Log in")
            try folder.write(#"{"Sign In": "Come in"}"#, to: "texts/en.json")
            try folder.write(#"{"Sign In": "Herein"}"#, to: "texts/de.json")
            #expect(try await title(pages, "en") == "Log in")
            try pages.branding.look()
            #expect(try await title(pages, "en") == "Come in")
            #expect(try await title(pages, "de") == "Herein")
            try FileManager.default.removeItem(atPath: folder.path + "/texts/de.json")
            try pages.branding.look()
            #expect(try await title(pages, "de") == "Anmelden")
            #expect(try await title(pages, "en") == "Come in")
        }
    }

    @Test(
        "A broken file leaves its previous texts in use, and the other files work on",
        arguments: [
            "{", #"{"Never said": "x"}"#, #"{"Sign In": "%@"}"#, "[]",
            #"{"Sign In": ""# + String(repeating: "x", count: 1_001) + #""}"#, String(repeating: " ", count: 262_145),
        ])
    func broken(_ content: String) async throws {
        try await TestServer.with { server in
            let folder = try Scratch()
            try folder.write(#"{"Sign In": "Log in"}"#, to: "texts/en.json")
            try folder.write(Self.symbol, to: "symbol")
            let pages = try pages(server, folder)
            try folder.write(content, to: "texts/en.json")
            try folder.write(#"{"Sign In": "Herein"}"#, to: "texts/de.json")
            try pages.branding.look()
            #expect(try await title(pages, "en") == "Log in")
            #expect(try await title(pages, "de") == "Herein")
            try folder.write(#"{"Sign In": "Come in"}"#, to: "texts/en.json")
            try pages.branding.look()
            #expect(try await title(pages, "en") == "Come in")
        }
    }

    @Test("A folder that is gone leaves all texts in use")
    func unmounted() async throws {
        try await TestServer.with { server in
            let folder = try Scratch()
            try folder.write(#"{"Sign In": "Log in"}"#, to: "texts/en.json")
            try folder.write(Self.symbol, to: "symbol")
            let pages = try pages(server, folder)
            try FileManager.default.moveItem(atPath: folder.path + "/texts", toPath: folder.path + "/elsewhere")
            try pages.branding.look()
            #expect(try await title(pages, "en") == "Log in")
        }
    }

    @Test("A changed symbol has another address, and a broken one leaves the previous in use")
    func symbol() async throws {
        try await TestServer.with { server in
            let folder = try Scratch()
            try folder.write(#"{"Sign In": "Log in"}"#, to: "texts/en.json")
            try folder.write(Self.symbol, to: "symbol")
            let pages = try pages(server, folder)
            func address() async throws -> String {
                let page = try await pages.browser.open("/account/sign-in")
                return try #require(WebPage.between("rel=\"icon\" href=\"", "\"", in: page.text).first)
            }
            let first = try await address()
            try folder.write(Self.symbol.replacing("8", with: "9"), to: "symbol")
            try pages.branding.look()
            let second = try await address()
            #expect(first != second)
            #expect(try await pages.browser.open(second).text.contains("width=\"9\""))
            for wrong in ["no picture", String(repeating: "<svg", count: 20_000)] {
                try folder.write(wrong, to: "symbol")
                try pages.branding.look()
                #expect(try await address() == second)
            }
        }
    }

    @Test("Wrong files are refused at start, each by its name")
    func refusals() throws {
        let folder = try Scratch()
        try folder.write("{", to: "texts/en.json")
        try folder.write(#"{"Sign In": "Herein"}"#, to: "texts/de.json")
        try folder.write(String(repeating: " ", count: 262_145), to: "texts/ja.json")
        let problems = GivenValues.problems(
            [
                "GATEHOUSE_ACCOUNT_PAGES": "true", "GATEHOUSE_ACCOUNT_PAGES_TEXTS": folder.path + "/texts",
                "GATEHOUSE_ACCOUNT_PAGES_SYMBOL": folder.path + "/texts/de.json",
            ], parts: [.auth, .gateway, .pages]
        ).map { "\($0)" }
        #expect(problems.count == 3)
        #expect(problems.contains { $0.contains("en.json is not a JSON object") })
        #expect(problems.contains { $0.contains("ja.json is longer than 256 KiB") })
        #expect(problems.contains { $0.contains("the symbol is not a PNG or SVG") })
    }
}
