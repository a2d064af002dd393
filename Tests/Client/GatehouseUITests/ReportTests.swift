import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

/// Keeps the reports that the screens send.
@MainActor private final class Support {
    var reports: [AuthReport] = []
}

@MainActor @Suite("Send Report", .timeLimit(.minutes(5)))
struct ReportTests {
    private static let button = "Send Report"

    @Test("After the server has ended the session, the login shares a report")
    func shared() async throws {
        let world = await World(.signedIn())
        world.service.endSession(.endedByServer(.sessionExpired, because: .inactivity))
        try await world.screen.wait { $0.has(button: "Sign in") }
        try await world.openLogin()
        try await world.screen.tap(Self.button)
        let text = try #require(world.device.sharedTexts.first)
        #expect(text.hasPrefix("Reason: session_expired\nCause: inactivity\n"), "\(text)")
        #expect(text.contains("session_signed_out reason=session_expired cause=inactivity"), "\(text)")
        #expect(!text.contains("ada"))
        #expect(world.device.sharedTexts.count == 1)
    }

    @Test("An app takes the report instead of the share sheet")
    func taken() async throws {
        let support = Support()
        let world = await World(.signedIn(), home: HomeView().authReport { support.reports.append($0) })
        world.service.endSession(.endedByServer(.userBanned))
        try await world.screen.wait { $0.has(button: "Sign in") }
        try await world.openLogin()
        try await world.screen.tap(Self.button)
        #expect(support.reports.map(\.reason) == ["user_banned"])
        #expect(world.device.sharedTexts.isEmpty)
    }

    @Test("A failure that the server's log has can be reported, with the id of its request")
    func failure() async throws {
        let world = await World()
        world.service.meet(.serverError, at: .signIn)
        try await world.typeSignIn()
        try await world.screen.tap("submit")
        try await world.screen.wait { $0.has(button: Self.button) }
        try await world.screen.tap(Self.button)
        let text = try #require(world.device.sharedTexts.first)
        #expect(text.hasPrefix("Reason: unexpected_failure\nHTTP status: 500\nRequest ID: in-memory\n"), "\(text)")
        #expect(text.contains("auth_failed error_type=server_error method=email"), "\(text)")
        for secret in ["ada@example.com", Fixtures.password] { #expect(!text.contains(secret)) }
    }

    @Test(
        "What the user understands, and what no log has, is not reported",
        arguments: [InMemoryAuthService.Fault.wrongCredentials, .offline])
    func absent(_ fault: InMemoryAuthService.Fault) async throws {
        let world = await World()
        try await world.openLogin()
        #expect(!world.screen.has(button: Self.button))
        world.service.meet(fault, at: .signIn)
        try await world.screen.tap("Sign in with Email")
        try await world.screen.type("ada@example.com", into: "Email")
        try await world.screen.type(Fixtures.password, into: "Password")
        try await world.screen.tap("submit")
        try await world.screen.wait { !$0.announcements.isEmpty }
        #expect(!world.screen.has(button: Self.button))
    }
}
