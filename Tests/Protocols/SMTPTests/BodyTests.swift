import Foundation
import GatehouseWire
import SMTP
import Testing

@Suite("The body of a mail")
struct BodyTests {
    private func body(_ text: String) throws -> String { WrittenMail(try TestMail.message(text: text)).body }

    @Test(
        "Quoted-printable (RFC 2045 §6.7)",
        arguments: [
            ("", ""), ("a", "a\r\n"), ("a\nb\r\nc\rd\n", "a\r\nb\r\nc\r\nd\r\n"), ("1 = 1", "1 =3D 1\r\n"),
            ("é", "=C3=A9\r\n"), ("a \nb\t\n", "a=20\r\nb=09\r\n"), ("a\0b", "a=00b\r\n"), ("\n\n", "\r\n\r\n"),
            (".\n..a\nb.", "=2E\r\n=2E.a\r\nb.\r\n"), ("From here\nFrom", "=46rom here\r\nFrom\r\n"),
            (String(repeating: "a", count: 76), String(repeating: "a", count: 76) + "\r\n"),
            (String(repeating: "a", count: 77), String(repeating: "a", count: 75) + "=\r\naa\r\n"),
            (String(repeating: "a", count: 75) + "..", String(repeating: "a", count: 75) + "=\r\n=2E.\r\n"),
            (String(repeating: "a", count: 75) + " ", String(repeating: "a", count: 75) + "=\r\n=20\r\n"),
        ])
    func quotedPrintable(text: String, expected: String) throws {
        #expect(try body(text) == expected)
    }

    @Test("A mail with text alone has one part")
    func text() throws {
        let header = WrittenMail(try TestMail.message()).header
        #expect(header["Content-Type"] == "text/plain; charset=utf-8")
        #expect(header["Content-Transfer-Encoding"] == "quoted-printable")
    }

    @Test("With HTML the text comes first, so that readers prefer the HTML (RFC 2046 §5.1.4)")
    func alternative() throws {
        let mail = WrittenMail(try TestMail.message(text: "Grüße\n", html: "<p>Grüße</p>"))
        #expect(mail.header["Content-Type"] == "multipart/alternative; boundary=\"\(TestMail.boundary)\"")
        #expect(
            mail.body == """
                --\(TestMail.boundary)\r
                Content-Type: text/plain; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                Gr=C3=BC=C3=9Fe\r
                --\(TestMail.boundary)\r
                Content-Type: text/html; charset=utf-8\r
                Content-Transfer-Encoding: quoted-printable\r
                \r
                <p>Gr=C3=BC=C3=9Fe</p>\r
                --\(TestMail.boundary)--\r

                """)
    }

    @Test("A body cannot end its own part")
    func boundary() throws {
        let mail = WrittenMail(try TestMail.message(text: "--\(TestMail.boundary)--", html: ""))
        #expect(mail.lines.count { $0.hasPrefix("--" + TestMail.boundary) } == 3)
    }
}

/// The same numbers in every run (Steele et al., SplitMix64).
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64 = 19

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

@Suite("Arbitrary texts in mails")
struct ArbitraryTextTests {
    private static let pieces = [
        "a", " ", "  ", "\n", "\r", "\r\n", ".", "\n.", "\n.\r\n", "=", "=?", "?=", "\"", "\\", "<", ">", ",", ":", "é",
        "ß",
        "確認", "🏳️‍🌈", "e\u{301}", "\u{202E}", "\u{FEFF}", "From ", "\t", "\0", "--" + TestMail.boundary,
        String(repeating: "x", count: 90), String(repeating: "確", count: 40), String(repeating: " ", count: 80),
    ]

    private func text(_ random: inout SplitMix, headersOnly: Bool) -> String {
        let allowed = headersOnly ? Self.pieces.filter { !$0.unicodeScalars.contains { $0.value < 32 } } : Self.pieces
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in allowed.randomElement(using: &random) ?? "" }
            .joined()
    }

    @Test("No text yields a long line, a bare CR or LF, a leading dot or a byte beyond ASCII; the bodies survive")
    func arbitrary() throws {
        var random = SplitMix()
        for _ in 0..<400 {
            let (subject, name) = (text(&random, headersOnly: true), text(&random, headersOnly: true))
            let (body, html) = (text(&random, headersOnly: false), text(&random, headersOnly: false))
            guard subject.utf8.count <= 900, name.utf8.count <= 256 else { continue }
            let mail = WrittenMail(try TestMail.message(subject: subject, name: name, text: body, html: html))
            let lines = mail.lines
            #expect(lines.allSatisfy { $0.utf8.count <= 78 && !$0.hasPrefix(".") && !$0.utf8.contains { $0 > 126 } })
            #expect(!lines.contains { $0.utf8.contains(13) || $0.utf8.contains(10) })
            #expect(mail.text.hasSuffix("\r\n") && Set(mail.header.keys).count == 8)
            let parts = mail.body.components(separatedBy: "--" + TestMail.boundary)
            try #require(parts.count == 4)
            for (part, expected) in [(parts[1], body), (parts[2], html)] {
                let content = try #require(part.range(of: "\r\n\r\n")).upperBound
                #expect(Self.lines(try WrittenMail.decoded(part[content...])) == Self.lines(expected))
            }
        }
    }

    private static func lines(_ text: String) -> [[UInt8]] {
        let unified = text.utf8.split(separator: 13, omittingEmptySubsequences: false)
        var lines: [[UInt8]] = [[]]
        for (index, part) in unified.enumerated() {
            var part = Array(part)
            if index > 0 {
                if part.first == 10 { part.removeFirst() }
                lines.append([])
            }
            let pieces = part.split(separator: 10, omittingEmptySubsequences: false)
            lines[lines.count - 1] += pieces[0]
            lines += pieces.dropFirst().map { Array($0) }
        }
        if lines.last == [] { lines.removeLast() }
        return lines
    }
}
