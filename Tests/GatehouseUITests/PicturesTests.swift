import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

/// Draws every screen as a page. With `GATEHOUSE_PICTURES=<folder>` the pages stay there, for a browser's camera:
/// `Scripts/take-pictures <folder>`.
@MainActor @Suite("Pictures", .timeLimit(.minutes(1)))
struct PicturesTests {
    private enum Look: String, CaseIterable {
        case light, dark, large, arabic, german

        var settings: Screen.Settings {
            switch self {
            case .light: Screen.Settings()
            case .dark: Screen.Settings(colorScheme: .dark)
            case .large: Screen.Settings(dynamicTypeSize: .accessibility2)
            case .arabic: Screen.Settings(locale: Locale(identifier: "ar"))
            case .german: Screen.Settings(locale: Locale(identifier: "de"))
            }
        }
    }

    private func take(_ name: String, _ look: Look, _ screen: Screen) throws {
        let page = try HTMLPage().text(of: screen)
        #expect(page.contains("<body>"))
        guard let folder = ProcessInfo.processInfo.environment["GATEHOUSE_PICTURES"] else { return }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let file = URL(filePath: folder).appending(path: "\(name)-\(look.rawValue).html")
        try page.write(to: file, atomically: true, encoding: .utf8)
        #expect(screen.complaints.isEmpty)
    }

    @Test("The guest's screens can be drawn in every look", arguments: Look.allCases)
    private func guest(_ look: Look) async throws {
        let world = await World(settings: look.settings)
        try take("home-guest", look, world.screen)
        try await world.screen.tap(#require(world.screen.buttons.last))
        try take("login", look, world.screen)
        world.service.meet(.offline)
        world.google.follow(.signsIn(.ada))
        try await world.screen.tap(world.screen.buttons[2])
        try await world.screen.wait { $0.progress.isEmpty && !$0.announcements.isEmpty }
        try take("login-offline", look, world.screen)
        let links = world.screen.buttons
        try await world.screen.tap(links[links.count - 2])
        try await world.screen.wait { $0.has(button: "submit") }
        try take("sign-up", look, world.screen)
        let fields = world.screen.fields
        for (field, text) in zip(fields, ["Grace", "grace@example", "short", "other"]) {
            try await world.screen.type(text, into: field)
        }
        try take("sign-up-hints", look, world.screen)
    }

    @Test("The user's screens can be drawn in every look", arguments: Look.allCases)
    private func user(_ look: Look) async throws {
        let service = InMemoryAuthService.signedIn(favoriteTeams: ["nba_1", "nba_2"])
        let world = await World(service, settings: look.settings)
        try await world.screen.tap(#require(world.screen.buttons.last))
        try await world.screen.wait { $0.shows("Miami Heat") }
        try take("profile", look, world.screen)
        let buttons = world.screen.buttons
        for (index, name) in [(1, "teams"), (2, "name"), (3, "methods")] {
            try await world.screen.tap(buttons[index])
            try await world.screen.wait { $0.progress.isEmpty }
            try take(name, look, world.screen)
            try await world.screen.goBack()
        }
        try await world.screen.tap(#require(buttons.last))
        try take("delete", look, world.screen)
        world.service.meet(.slow, at: .deleteAccount)
        try await world.screen.tap(world.screen.buttons[0])
        try await world.screen.wait { !$0.progress.isEmpty }
        try take("deleting", look, world.screen)
        world.service.release()
    }
}
