import Foundation
import GatehouseWire
import Testing

@testable import MailTemplates

/// A kind of mail in a language.
struct Case: Sendable, CustomTestStringConvertible {
    let kind: MailTemplateKind
    let language: MailLanguage

    var testDescription: String { "\(kind.rawValue) \(language.rawValue)" }

    static let all: [Case] = MailTemplateKind.allCases.flatMap { kind in
        MailLanguage.allCases.map { Case(kind: kind, language: $0) }
    }
}

extension MailWriter {
    func sample(_ kind: MailTemplateKind, _ language: MailLanguage = .english) throws -> RenderedMail {
        try render(kind, language: language, values: .sample(kind))
    }
}

/// Tags and attribute names, in order. Values that stay in their places do not change them.
func structure(of html: String) -> [String] {
    var reader = MarkupReader()
    var result: [String] = []
    for byte in html.utf8 {
        switch reader.read(byte) {
        case .attribute(let name, _): result.append(name)
        case .tag(let name, let isEnd): result.append((isEnd ? "/" : "<") + name)
        case .text, .lessThan, nil: continue
        }
    }
    return result
}

/// As attackers choose them, the same in each run.
struct HostileTexts: Sequence, IteratorProtocol {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var left = 200

    private static let pieces = [
        "<", ">", "\"", "'", "&", "<script>alert(1)</script>", "\" onclick=\"x", "\u{301}", "\"\u{301} href=x ",
        "<\u{338}b>",
        "{{", "}}", "{{{", "}}}", "{{ .Token }}", "{{#paragraphs}}", "-->", "<!--", "]]>", "</title>", "</style>",
        "\r\n",
        "\nBcc: eve@example.org", "\u{0}", "\u{7}", "\u{202E}", "\u{2028}", "\u{2067}", "é", "日本", "مرحبا", "🏀",
        "%0d%0a", "javascript:",
        "&lt;", "&#60;", "a", " ", "=?utf-8?q?x?=", "\u{200D}", "`", "\\", "\u{85}",
    ]

    mutating func next() -> String? {
        guard left > 0 else { return nil }
        left -= 1
        return (0..<Int(random(12) + 1)).map { _ in Self.pieces[Int(random(UInt64(Self.pieces.count)))] }.joined()
    }

    private mutating func random(_ bound: UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return (state >> 33) % bound
    }
}

extension MailValues {
    /// Every text replaced.
    static func all(_ text: String, _ kind: MailTemplateKind) -> MailValues {
        var values = sample(kind)
        (values.appName, values.email, values.sendingTo) = (text, text, text)
        (values.newEmail, values.oldEmail) = (text, text)
        (values.token, values.tokenHash) = (values.token.map { _ in text }, values.tokenHash.map { _ in text })
        (values.provider, values.device) = (text, text)
        values.authenticator = values.authenticator.map { _ in text }
        (values.phone, values.oldPhone) = (values.phone.map { _ in text }, values.oldPhone.map { _ in text })
        values.clientName = values.clientName.map { _ in text }
        values.access = values.access.map { _ in (text, text) }
        values.appsURL = values.appsURL.map { _ in "https://api.example.org/?" + text }
        values.siteURL = "https://app.example.org/?" + text
        values.redirectTo = values.redirectTo.map { _ in "https://app.example.org/?" + text }
        values.confirmationURL = values.confirmationURL.map { _ in "https://api.example.org/?" + text }
        values.data = ["name": .string(text), "address": ["city": .string(text)]]
        return values
    }
}

func withFolder<Result>(_ files: [String: String], _ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(
        path: "mail-templates-\(ProcessInfo.processInfo.globallyUniqueString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
    for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
    return try body(folder)
}
