import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@testable import BoxScoreScreens

/// A screen in a state with its own look, for pictures and snapshots. A new screen needs a line in a list of ``all``.
///
/// Taps and typing lead to it in English; then it is checked in other languages, sizes and colours.
struct Still: Sendable, CustomTestStringConvertible {
    /// The base name of the files.
    let name: String
    /// Also has pictures in German and a tree in Arabic.
    let showsMost: Bool
    let make: @MainActor () async throws -> World

    init(_ name: String, showsMost: Bool = false, _ make: @escaping @MainActor () async throws -> World) {
        (self.name, self.showsMost, self.make) = (name, showsMost, make)
    }

    static let all =
        home + signIn + email + mail + linking + profile + teams + methods + account + devices + security + phone
        + consent + restoring + journal

    var testDescription: String { name }
}

/// The look of a still.
struct Look: Sendable {
    /// For example, `ar-dark-ax3`.
    let name: String
    let settings: Screen.Settings

    init(_ language: String, _ scheme: ColorScheme = .light, _ size: DynamicTypeSize = .large) {
        name = "\(language)-\(scheme == .dark ? "dark" : "light")\(size == .large ? "" : "-ax3")"
        settings = Screen.Settings(colorScheme: scheme, dynamicTypeSize: size, locale: Locale(identifier: language))
    }

    /// Both directions, light and dark, usual and large text, and a language with long words.
    static func all(for still: Still) -> [Look] {
        let sizes: [DynamicTypeSize] = [.large, .accessibility3]
        let all = ["en", "ar"].flatMap { language in
            [ColorScheme.light, .dark].flatMap { scheme in sizes.map { Look(language, scheme, $0) } }
        }
        return all + (still.showsMost ? sizes.map { Look("de", .light, $0) } : [])
    }
}

/// The parts of the stills.
extension World {
    nonisolated static let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

    nonisolated static let manyTeams = [
        ("nba_1", "Boston Celtics", "Boston", "BOS"), ("nba_2", "Miami Heat", "Miami", "MIA"),
        ("nba_3", "Minnesota Timberwolves", "Minnesota", "MIN"), ("nfl_12", "Kansas City Chiefs", "Kansas City", "KC"),
        ("nfl_22", "San Francisco 49ers", "San Francisco", "SF"), ("nhl_1", "Columbus Blue Jackets", "Columbus", "CBJ"),
        ("mlb_9", "Arizona Diamondbacks", "Arizona", "ARI"),
    ].map { id, name, city, short in
        Team(id: id, league: String(id.prefix(3)), name: name, city: city, abbreviation: short)
    }

    /// The user's other devices.
    nonisolated static let devices = [
        "BoxScore/1.0 (iPad16,3; iOS 18.2) gatehouse-swift/0.2", nil,
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 "
            + "Safari/605.1.15",
    ]

    /// Never returns.
    nonisolated static func silence() async throws -> Never {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
        throw CancellationError()
    }

    /// The complete sports app, with a guest.
    static func guest(_ service: InMemoryAuthService = InMemoryAuthService()) async throws -> World {
        let world = await boxScore(service, teams: { manyTeams })
        try await world.screen.wait(for: "Miami Heat")
        return world
    }

    /// Follows two teams and has several devices.
    static func user(_ service: InMemoryAuthService? = nil) async throws -> World {
        let service = service ?? .signedIn(favoriteTeams: ["nba_2", "nfl_22"])
        for device in devices { service.addDevice(userAgent: device) }
        let world = await boxScore(service, teams: { manyTeams })
        try await world.screen.wait(for: "Miami Heat")
        return world
    }

    /// The same, with these taps in order.
    func tapping(_ names: String...) async throws -> World {
        for name in names {
            try await screen.tap(name)
            await screen.settle()
        }
        return self
    }

    func typing(_ texts: KeyValuePairs<String, String>) async throws -> World {
        for (field, text) in texts { try await screen.type(text, into: field) }
        return self
    }

    func waiting(for text: String) async throws -> World {
        try await screen.wait(for: text)
        return self
    }

    /// Ends the still's open requests.
    func close() {
        google.release()
        service.release()
        screen.device.release()
        screen.close()
    }
}
