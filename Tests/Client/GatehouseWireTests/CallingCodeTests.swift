import GatehouseWire
import Testing

@Suite("Calling codes")
struct CallingCodeTests {
    @Test("Every region has one code, and no code is another one's beginning")
    func table() {
        let all = CallingCode.all
        #expect(all.count == 248 && Set(all.map(\.region)).count == all.count)
        #expect(all.allSatisfy { $0.region.utf8.count == 2 && (1...3).contains($0.code.utf8.count) })
        let codes = Set(all.map(\.code))
        #expect(codes.count == 206)
        for code in codes { #expect(!codes.contains { $0 != code && $0.hasPrefix(code) }, "\(code)") }
    }

    @Test(
        "A shared code belongs to its main region first",
        arguments: [
            ("+12125550123", "US"), ("447911123456", "GB"), ("+74951234567", "RU"), ("+390612345678", "IT"),
            ("+4915112345678", "DE"), ("+85212345678", "HK"),
        ])
    func beginning(_ number: String, _ region: String) {
        #expect(CallingCode.beginning(number).first?.region == region)
    }

    @Test("Regions of a shared code are listed, and an unknown code has none")
    func shared() {
        #expect(CallingCode.beginning("+44").map(\.region) == ["GB", "GG", "IM", "JE"])
        #expect(CallingCode.of(region: "CA")?.code == "1" && CallingCode.of(region: "KZ")?.code == "7")
        #expect(CallingCode.beginning("+999123").isEmpty && CallingCode.beginning("").isEmpty)
        #expect(CallingCode.of(region: "ZZ") == nil && CallingCode.of(region: "de") == nil)
    }

    @Test(
        "A typed number becomes E.164",
        arguments: [
            ("0170 1234567", "DE", "+491701234567"), ("(030) 123-45.67", "DE", "+49301234567"),
            ("030/1234567", "DE", "+49301234567"), ("+49 170 1234567", "US", "+491701234567"),
            ("0049 170 1234567", "FR", "+491701234567"), ("+44 (0)20 7946 0000", "US", "+442079460000"),
            ("(+44) 20 7946 0000", "US", "+442079460000"), ("(212) 555-0123", "US", "+12125550123"),
            ("1 212 555 0123", "CA", "+12125550123"), ("06 12345678", "IT", "+390612345678"),
            ("+39 06 12345678", "DE", "+390612345678"), ("8 (495) 123-45-67", "RU", "+74951234567"),
            ("812 123 45 67", "RU", "+78121234567"), ("8 029 123 45 67", "BY", "+375291234567"),
            ("06 20 123 4567", "HU", "+36201234567"), ("090-1234-5678", "JP", "+819012345678"),
            ("０９０－１２３４－５６７８", "JP", "+819012345678"), ("٠٥٠ ١٢٣ ٤٥٦٧", "AE", "+971501234567"),
            ("\u{202D}+49 170 1234567\u{202C}", "DE", "+491701234567"), ("612 34 56 78", "ES", "+34612345678"),
            ("＋49\u{00A0}170\u{2011}1234567", "DE", "+491701234567"),
        ])
    func typed(_ text: String, _ region: String, _ number: String) {
        #expect(CallingCode.number(typed: text, region: region) == number)
    }

    @Test(
        "Other texts are no number",
        arguments: [
            "", "+", "00", "+49", "+49 1234", "+491234567890123456", "12", "+0123456789", "+49 170 CALL-ME",
            "++49170123456", "49+170123456", "ada@example.com", "170 1234567;ext=5",
            String(repeating: " ", count: 200) + "+491701234567",
        ])
    func refused(_ text: String) { #expect(CallingCode.number(typed: text, region: "DE") == nil) }

    @Test("A national number needs a known region")
    func unknownRegion() {
        for region in [nil, "", "ZZ"] { #expect(CallingCode.number(typed: "0170 1234567", region: region) == nil) }
        #expect(CallingCode.number(typed: "+49 170 1234567", region: nil) == "+491701234567")
    }

    @Test(
        "A number is displayed in blocks",
        arguments: [
            ("+491701234567", "+49 170 123 4567"), ("12125550123", "+1 212 555 0123"),
            ("+4915112345678", "+49 151 123 456 78"), ("+35212345", "+352 123 45"), ("+999123", "+999 123"),
            ("+49", "+49"), ("", ""), ("+", "+"), ("Ada", "Ada"),
        ])
    func formatted(_ number: String, _ shown: String) { #expect(CallingCode.formatted(number) == shown) }

    @Test("A displayed number reads back as itself")
    func roundTrip() throws {
        for code in CallingCode.all {
            let number = "+" + code.code + "23456789"
            #expect(CallingCode.number(typed: CallingCode.formatted(number), region: nil) == number, "\(code.region)")
        }
    }
}
