import Foundation
import ScreenDriver
import SwiftUI
import Testing

/// Compares the tree of every screen with the stored one: kinds, names, traits and texts. `GATEHOUSE_RECORD=1` stores
/// the new trees instead.
@MainActor @Suite("Snapshots of the screens", .timeLimit(.minutes(5)))
struct SnapshotTests {
    private static let kept = World.sources.appending(path: "Snapshots")
    /// The folder for changed trees.
    private static let found = World.sources.appending(path: "../../../.build/snapshots").standardizedFileURL
    private static let records = ProcessInfo.processInfo.environment["GATEHOUSE_RECORD"] == "1"

    @Test("The screen matches its stored tree", arguments: Still.all)
    func tree(_ still: Still) async throws {
        let world = try await still.make()
        try await compare("\(still.name).txt", world.screen)
        if still.showsMost {
            world.screen.settings = Screen.Settings(locale: Locale(identifier: "ar"))
            await world.screen.settle()
            try await compare("\(still.name).ar.txt", world.screen)
        }
        world.close()
    }

    /// The screen below a sheet has its own still.
    private static func uncovered(_ tree: String) -> String {
        let lines = tree.split(separator: "\n", omittingEmptySubsequences: false)
        return lines[(lines.lastIndex(of: "sheet") ?? 0)...].joined(separator: "\n")
    }

    @Test("Every stored tree belongs to a screen")
    func leftovers() throws {
        let names = Still.all.flatMap { ["\($0.name).txt"] + ($0.showsMost ? ["\($0.name).ar.txt"] : []) }
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.kept.path())
        #expect(Set(files).subtracting(names) == [], "remove them")
    }

    @Test("A difference lists the removed and added lines")
    func difference() {
        let (old, new) = ("bar\n  # Profile\n  [Done]\n", "bar\n  # Account\n  [Done]\n  [Help]\n")
        #expect(Self.difference(old, new) == ["- 2:   # Profile", "+ 2:   # Account", "+ 4:   [Help]"])
        #expect(Self.difference(old, old) == [])
    }

    /// Other threads load a screen's contents, perhaps after it has settled: a different tree is compared again, many
    /// times.
    private func compare(_ name: String, _ screen: Screen) async throws {
        let file = Self.kept.appending(path: name)
        // Ignored: a new screen has no stored tree.
        let kept = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        var tree = Self.uncovered(screen.snapshot())
        for _ in 0..<500 where kept != tree {
            await screen.settle()
            tree = Self.uncovered(screen.snapshot())
        }
        guard kept != tree else { return }
        let target = Self.records ? file : Self.found.appending(path: name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try tree.write(to: target, atomically: true, encoding: .utf8)
        if Self.records { return }
        let lines = Self.difference(kept, tree).joined(separator: "\n")
        Issue.record(
            """
            Snapshots/\(name) is not what the screen has:
            \(lines)
            The screen's tree is in \(target.path()). If it is right:
            GATEHOUSE_RECORD=1 make test-one T=AppsTests
            """)
    }

    private static func difference(_ old: String, _ new: String) -> [String] {
        let (old, new) = (old.split(separator: "\n"), new.split(separator: "\n"))
        let changes = new.difference(from: old).map { change in
            switch change {
            case .remove(let line, let text, _): (line: line, isNew: false, text: "- \(line + 1): \(text)")
            case .insert(let line, let text, _): (line: line, isNew: true, text: "+ \(line + 1): \(text)")
            }
        }
        return changes.sorted { ($0.line, $0.isNew ? 1 : 0) < ($1.line, $1.isNew ? 1 : 0) }.map(\.text)
    }
}
