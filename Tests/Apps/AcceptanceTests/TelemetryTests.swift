import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire
import ProfileGateway
import ScreenDriver
import SwiftUI
import TestSupport
import Testing

extension AcceptanceTests {
    /// The apps report only `TelemetryEvent`.
    @MainActor @Suite("Telemetry")
    struct TelemetryTests {
        private func funnels(_ world: World) async throws -> [MethodFunnel] {
            let store = EventCounts(database: world.server.database)
            try await world.server.events.write(to: store)
            let now = world.server.clock.now
            return try await store.funnels(from: now - .seconds(86_400), until: now + .seconds(86_400))
        }

        // Criteria: 002.30
        @Test(
            "002: both apps report their sign-ins, at the latest in the background",
            arguments: [World.App.boxScore, .dailyRitual])
        func background(_ app: World.App) async throws {
            try await World.with(app, reports: true) { world in
                try await world.manager.signUpWithEmail("ada@example.com", password: World.password)
                await world.manager.signOut()
                await #expect(throws: AuthError.self) {
                    try await world.manager.signInWithEmail("ada@example.com", password: "wrong password")
                }
                #expect(world.network.count("POST /v1/events") == 0)
                world.screen.scenePhase = .background
                try await world.screen.wait("for the report") { _ in
                    world.network.count("POST /v1/events") == 1 && world.network.openCount == 0
                }
                let found = try await funnels(world)
                #expect(found.map(\.method) == ["email"] && found.first?.started == 2 && found.first?.completed == 1)
                #expect(found.first?.failed.map(\.errorType) == ["wrong_credentials"])
                let sent = try #require(world.network.calls.first { $0.url.path == "/v1/events" })
                #expect(sent.headers["authorization"] == nil && sent.headers["apikey"] == nil)
                #expect(sent.json["app"] == (app == .boxScore ? "boxscore" : "dailyritual"))
                let text = String(decoding: sent.body ?? [], as: UTF8.self)
                #expect(!text.contains("ada") && !text.contains("password"))
            }
        }

        // Criteria: 002.30
        @Test("002: taps through the login sheet are the funnel; without a connection the events follow later")
        func funnel() async throws {
            try await World.with(reports: true) { world in
                world.phone.google = .closesTheSheet
                try await world.openLogin()
                try await world.screen.tap("Sign in with Google")
                try await world.screen.wait { _ in world.telemetry.events.last == .cancelled(.google) }
                world.network.isOffline = true
                world.clock.advance(by: .seconds(30))
                try await world.screen.wait("for the attempt") { _ in world.network.count("POST /v1/events") == 1 }
                world.network.isOffline = false
                world.clock.advance(by: .seconds(60))
                try await world.screen.wait("for the report") { _ in
                    world.network.count("POST /v1/events") == 2 && world.network.openCount == 0
                }
                let found = try await funnels(world)
                #expect(found.map(\.method) == ["google"])
                #expect(found.first?.selected == 1 && found.first?.started == 1 && found.first?.cancelled == 1)
            }
        }

        // Criteria: 002.30
        @Test("002: the server knows every error type of the library")
        func errorTypes() async throws {
            try await World.with { world in
                let sink = HTTPSink(
                    url: try #require(URL(string: TestServer.external + "/v1/events")),
                    transport: world.network.transport, clock: world.clock.clock)
                for code in AuthError.Code.allCases { sink.record(.failed(.email, code)) }
                for event: TelemetryEvent in [
                    .refreshAttempted(.unauthorized), .refreshAttempted(.expired), .refreshFailed(.noNetwork),
                    .linked(existing: nil, new: .google),
                ] { sink.record(event) }
                await sink.flush()
                let failed = try await funnels(world).first?.failed
                #expect(failed?.map(\.errorType).sorted() == AuthError.Code.allCases.map(\.rawValue).sorted())
            }
        }
    }
}
