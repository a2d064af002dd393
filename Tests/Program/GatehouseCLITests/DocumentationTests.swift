import Foundation
import GatehouseCLI
import GatehouseServer
import Testing

@Suite("Docs/configuration.md")
struct DocumentationTests {
    private func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("Docs/configuration.md"), encoding: .utf8)
    }

    @Test("It has every setting as the program prints it (gatehouse check-config --documentation)")
    func complete() throws {
        let page = try page()
        for line in SettingsReport.documentation.split(separator: "\n") {
            #expect(page.contains(line), "missing or old: \(line.prefix(60))…")
        }
    }

    @Test("It has no setting that the program does not know")
    func nothingElse() throws {
        let page = try page()
        let rows = Set(SettingsReport.documentation.split(separator: "\n"))
        let found = page.split(separator: "\n").filter { line in
            line.prefixMatch(of: /\* `[a-z_<>]+`(?: †)?(?: \(`[^`]*`\))?: \S/) != nil
        }
        #expect(found.count == rows.count)
        for line in found { #expect(rows.contains(line), "unknown or old: \(line.prefix(60))…") }
        let known = Set(Setting.allCases.flatMap(\.variables))
        for match in page.matches(of: /(?:GATEHOUSE|GOTRUE)_[A-Z_]+[A-Z]/) {
            let name = String(match.output)
            #expect(known.contains(name) || name.hasSuffix("_FILE"), "\(name) is no setting")
        }
    }
}
