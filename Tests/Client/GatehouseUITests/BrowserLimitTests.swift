import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("The browser sheet", .timeLimit(.minutes(5)))
struct BrowserLimitTests {
    @Test("E9: the 60 seconds end the attempt, even if the sheet does not close")
    func limit() async throws {
        let clock = VirtualClock()
        let manager = InMemoryAuthService(clock: clock).makeManager()
        let screen = Screen(HomeView().gatehouse(manager))
        let (closing, close) = AsyncStream<Void>.makeStream()
        screen.device.browser = { _, _ in
            // A separate task does not learn that its waiting task ended.
            await Task { for await _ in closing {} }.value
            throw AuthError.cancelled
        }
        await manager.wait { $0.phase == .unauthenticated }
        try await screen.tap("Sign in")
        try await screen.tap("Sign in with Google")
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        await manager.wait { $0.phase == .unauthenticated }
        #expect(clock.sleeps == [.seconds(60)])
        close.finish()
    }
}
