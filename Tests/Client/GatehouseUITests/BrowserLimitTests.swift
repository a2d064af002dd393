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
    @Test("F5: the ten minutes end the attempt, even if the sheet does not close; an hour in another app does not")
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
        // The app was suspended.
        clock.advance(by: .seconds(3_600))
        for _ in 1..<30 {
            try await clock.waitForSleepers()
            #expect(manager.phase != .unauthenticated)
            clock.advance(by: .seconds(20))
        }
        await manager.wait { $0.phase == .unauthenticated }
        #expect(clock.sleeps == Array(repeating: .seconds(20), count: 30))
        close.finish()
    }
}
