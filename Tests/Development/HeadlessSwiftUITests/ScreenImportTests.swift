import Foundation
import Testing

/// On Linux `import SwiftUI` also imports Foundation; Apple's does not for members (SE-0444).
@Suite("Imports of the screens")
struct ScreenImportTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static var screens: [String] {
        ["Sources/Client/GatehouseUI", "Apps"].flatMap { folder in
            let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path())
            return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.map {
                "\(folder)/\($0)"
            }
        }.sorted()
    }

    /// Used, or likely to be used, by the screens.
    private var foundation: Regex<Substring> {
        #/
        \b(?:URL|UUID|Date|Data|Bundle|Locale|Calendar|TimeZone|TimeInterval|URLError|LocalizedError)\b(?!:)
        | \b(?:ProcessInfo|PersonNameComponents|NSObject|UserDefaults|FileManager)\b
        | \.(?:trimmingCharacters|replacingOccurrences|components|appending|absoluteString|host|folding|formatted)\(?
        | \.localized\w+ | encoding:\s\.utf8
        /#
    }

    @Test("A screen that uses Foundation imports it", arguments: screens)
    func imports(_ file: String) throws {
        let source = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        guard source.contains("import SwiftUI"), !source.contains("import Foundation") else { return }
        let code = source.replacing(#/\/\/.*/#, with: "").replacing(#/"(?:\\.|[^"\\])*"/#, with: "\"\"")
        let used = code.matches(of: foundation).map { String($0.output) }
        #expect(used.isEmpty, "\(used)")
    }
}
