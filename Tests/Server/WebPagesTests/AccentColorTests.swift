import GatehouseWire
import Testing

@testable import WebPages

@Suite("The accent color")
struct AccentColorTests {
    @Test(
        "Anything but six hexadecimal digits is refused",
        arguments: ["", "blue", "#fff", "#12345g", "1a56db", "#1a56db;"])
    func refused(text: String) { #expect(AccentColor(text) == nil) }

    @Test(
        "Text on the color is black or white, and links keep a color that can be read, or change it",
        arguments: [
            ("#1a56db", "#ffffff", "#1a56db"), ("#ffd400", "#000000", nil), ("#ffffff", "#000000", nil),
            ("#000000", "#ffffff", "#000000"),
        ])
    func contrast(color: String, text: String, link: String?) throws {
        let sheet = try #require(AccentColor(color)).styleSheet
        #expect(sheet.contains("--accent:\(color);--on-accent:\(text);"))
        #expect(sheet.split(separator: "\n")[0].contains("--link:\(color)}") == (link != nil))
    }
}
