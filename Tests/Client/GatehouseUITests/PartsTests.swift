import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI
import Testing

/// Replaces every replaceable part of the account screens; the README links here.
private struct Journal: View {
    @State private var showsAccount = false

    var body: some View {
        ProfileButton { showsAccount = true }
            .accountSheet(isPresented: $showsAccount)
            .loginHeader { Text("Keep your days") }
            .loginFooter {
                Link("Terms of Use", destination: URL(string: "https://example.com/terms") ?? URL(filePath: "/"))
            }
            .profileHeader { user in Text("Hello, \(user.firstName ?? "you")") }
            .profileSections { user in
                Section("Journal") {
                    NavigationLink("Favorite Pen") { PenEditor() }
                    Text("\(user.data["days"]?.intValue ?? 0) days")
                }
            }
            .profileButtonLabel { user in Text(user == nil ? "guest" : "you") }
    }
}

private struct PenEditor: View {
    @State private var pen = "blue"

    var body: some View { TextField("Pen", text: $pen) }
}

@MainActor @Suite("Custom parts of the screens", .timeLimit(.minutes(5)))
struct PartsTests {
    private func screen(_ service: InMemoryAuthService) async -> (Screen, AuthManager) {
        let manager = service.makeManager()
        let screen = Screen(Journal().gatehouse(manager, browser: nil))
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        await screen.settle()
        return (screen, manager)
    }

    @Test("The login screen has the app's header and footer, and keeps the rest")
    func login() async throws {
        let (screen, _) = await screen(InMemoryAuthService())
        #expect(screen.shows("guest"))
        try await screen.tap("Sign in")
        #expect(screen.shows("Keep your days") && !screen.shows(Branding.appName))
        #expect(!screen.symbols.contains(Branding().symbol))
        try await screen.tap("Terms of Use")
        #expect(screen.device.openedURLs.map(\.absoluteString) == ["https://example.com/terms"])
        #expect(screen.has(button: "Sign in with Email") && screen.has(button: "Continue as Guest"))
        #expect(screen.complaints.isEmpty)
    }

    @Test("The profile has the app's header and sections, whose screens keep typed text")
    func profile() async throws {
        let (screen, manager) = await screen(.signedIn(data: ["days": 1]))
        #expect(screen.shows("you") && screen.has(button: "Your profile"))
        try await screen.tap("Your profile")
        #expect(screen.shows("Hello, Ada") && screen.shows("Journal") && screen.shows("1 days"))
        #expect(!screen.shows("ada@example.com"))
        try await screen.tap("Favorite Pen")
        try await screen.type("green", into: "Pen")
        try await manager.updateProfile(data: ["days": 2])
        await screen.settle()
        #expect(try screen.value(of: "Pen") == "green")
        try await screen.goBack()
        #expect(screen.shows("2 days") && screen.has(button: "Sign Out"))
        #expect(screen.complaints.isEmpty)
    }

    @Test("Without custom parts an app has the default ones")
    func usual() async throws {
        let world = await World(.signedIn())
        try await world.openProfile()
        #expect(world.screen.shows("ada@example.com") && !world.screen.shows("Journal"))
    }
}
