import GatehouseUI
import SwiftUI
import Testing

@Suite("The contrast of text on the accent")
struct ContrastTests {
    private typealias Resolved = Color.Resolved

    private static func color(_ hex: Int) -> Resolved {
        Resolved(red: part(hex >> 16), green: part(hex >> 8), blue: part(hex))
    }

    private static func part(_ byte: Int) -> Float { Float(byte & 0xff) / 255 }

    @Test(
        "Relative luminance and contrast with white are those of WCAG 2.2",
        arguments: [
            (0x000000, 0.0, 21.0), (0xffffff, 1, 1), (0xff0000, 0.2126, 3.998), (0x00ff00, 0.7152, 1.372),
            (0x0000ff, 0.0722, 8.592), (0x808080, 0.2159, 3.949), (0x767676, 0.1812, 4.542), (0x777777, 0.1845, 4.478),
        ])
    func luminance(_ hex: Int, _ luminance: Double, _ contrast: Double) {
        let color = Self.color(hex)
        #expect(abs(color.luminance - luminance) < 0.0005)
        #expect(abs(color.contrast(to: Self.color(0xffffff)) - contrast) < 0.005)
        #expect(color.contrast(to: Self.color(0xffffff)) == Self.color(0xffffff).contrast(to: color))
    }

    @Test(
        "Text on an accent is white if that has a contrast of 4.5:1, else black",
        arguments: [
            // Gatehouse's blue, then colours of Apple's.
            (0x0a6ee8, 0xffffff), (0x007aff, 0x000000), (0x5856d6, 0xffffff), (0xffcc00, 0x000000),
            (0xff3b30, 0x000000), (0x34c759, 0x000000), (0x767676, 0xffffff), (0x777777, 0x000000),
            (0xffffff, 0x000000), (0x000000, 0xffffff),
        ])
    func text(_ accent: Int, _ text: Int) {
        #expect(Resolved.legible(on: Self.color(accent), preferring: nil) == Self.color(text))
    }

    @Test(
        "A colour of the app's own stays if it has enough contrast",
        arguments: [
            (0x5856d6, 0xfff2cc, 0xfff2cc), (0xffcc00, 0x3a2a00, 0x3a2a00), (0xffcc00, 0xffffff, 0x000000),
            (0x5856d6, 0xffcc00, 0xffffff),
        ])
    func preferred(_ accent: Int, _ wish: Int, _ text: Int) {
        let found = Resolved.legible(on: Self.color(accent), preferring: Self.color(wish))
        #expect(found.contrast(to: Self.color(text)) < 1.001)
    }

    @Test("No accent has text with less contrast than 4.5:1")
    func always() {
        for hex in stride(from: 0, through: 0xffffff, by: 0x1011) {
            let accent = Self.color(hex)
            #expect(Resolved.legible(on: accent, preferring: nil).contrast(to: accent) >= Resolved.least, "\(hex)")
        }
    }

    @Test(
        "A translucent accent counts as the colour that is seen: on a light page it has black text, on a dark one white"
    )
    func translucent() {
        let accent = Resolved(red: 0.5, green: 0.5, blue: 0.5, opacity: 0.3)
        let (light, dark) = (accent.over(Self.color(0xffffff)), accent.over(Self.color(0x000000)))
        #expect(abs(light.red - 0.85) < 0.001 && abs(dark.red - 0.15) < 0.001)
        #expect(Resolved.legible(on: light, preferring: nil) == Self.color(0x000000))
        #expect(Resolved.legible(on: dark, preferring: nil) == Self.color(0xffffff))
    }
}
