import Foundation
import ScreenDriver
import SwiftUI
import Testing

/// Draws every screen in every look, as pages in `GATEHOUSE_PICTURES=<folder>` for a browser's camera (`make screens`).
@MainActor @Suite("Pictures", .timeLimit(.minutes(5)))
struct PicturesTests {
    nonisolated private static let folder = ProcessInfo.processInfo.environment["GATEHOUSE_PICTURES"]
        .map { URL(filePath: $0) }

    private struct Entry: Encodable {
        let name: String
        let looks: [String]
    }

    @Test(
        "Every screen can be drawn in every look", .enabled(if: folder != nil, "make screens takes pictures"),
        arguments: Still.all)
    func draw(_ still: Still) async throws {
        let looks = Dictionary(grouping: Look.all(for: still), by: \.settings.dynamicTypeSize)
        for (size, looks) in looks {
            try await draw(still, World.$textSize.withValue(size, operation: still.make), looks)
        }
    }

    private func draw(_ still: Still, _ world: World, _ looks: [Look]) async throws {
        for look in looks {
            world.screen.settings = look.settings
            await world.screen.settle()
            let page = try HTMLPage().text(of: world.screen)
            #expect(page.contains("lang=\"\(look.name.prefix(2))\""))
            guard let folder = Self.folder else { continue }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: "\(still.name).\(look.name).html")
            try page.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(world.screen.complaints.isEmpty)
        world.close()
    }

    @Test("No two stills have the same name, and the camera knows each")
    func contents() throws {
        #expect(Set(Still.all.map(\.name)).count == Still.all.count)
        guard let folder = Self.folder else { return }
        let entries = Still.all.map { still in
            Entry(name: still.name, looks: Look.all(for: still).map(\.name))
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try JSONEncoder().encode(entries).write(to: folder.appending(path: "stills.json"))
    }
}
