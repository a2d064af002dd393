import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

/// Over a service in memory.
@MainActor struct World {
    let service: InMemoryAuthService
    let google: ScriptedProviderSheet
    let passkeys = ScriptedPasskeys()
    let manager: AuthManager
    let screen: Screen

    var device: ScriptedDevice { screen.device }

    init(
        _ service: InMemoryAuthService = InMemoryAuthService(), settings: Screen.Settings = Screen.Settings(),
        emailSignIn: EmailSignIn = .password, home: some View = HomeView()
    ) async {
        self.service = service
        google = ScriptedProviderSheet()
        manager = service.makeManager()
        screen = Screen(
            home.emailSignIn(emailSignIn)
                .gatehouse(manager, branding: Branding(name: "Harbour"), browser: google, passkeys: passkeys),
            settings: settings)
        await manager.wait { $0.phase != .restoring && !$0.isLoading }
        await screen.settle()
        // A guest's start asks what the server offers, which takes longer on a busy machine.
        guard manager.phase == .unauthenticated, !service.calls.contains(.settings) else { return }
        await manager.wait { _ in service.calls.contains(.settings) }
        await screen.settle()
    }

    func openLogin() async throws { try await screen.tap("Sign in") }
    func openProfile() async throws { try await screen.tap("Your profile") }

    func typeSignIn(_ email: String = "ada@example.com", _ password: String = Fixtures.password) async throws {
        try await openLogin()
        try await screen.tap("Sign in with Email")
        try await screen.type(email, into: "Email")
        try await screen.type(password, into: "Password")
    }

    func typeSignUp(
        _ name: String = "Grace", _ email: String = "grace@example.com", _ password: String = Fixtures.password
    ) async throws {
        try await openLogin()
        try await screen.tap("Create Account")
        try await screen.type(name, into: "Name")
        try await screen.type(email, into: "Email")
        try await screen.type(password, into: "Password")
        try await screen.type(password, into: "Confirm Password")
    }
}

struct HomeView: View {
    @Environment(AuthManager.self) private var manager
    @State private var showsAccount = false

    var body: some View {
        VStack(spacing: 0) {
            TopNavBar(onMenuTap: {}, onProfileTap: { showsAccount = true })
            Spacer()
            if let name = manager.user?.firstName {
                Text("Welcome back, \(name)")
            } else {
                Text("News for everybody")
            }
            Spacer()
        }
        .accountSheet(isPresented: $showsAccount)
    }
}

/// In its own sheets, as their documentation allows.
struct OwnSheets: View {
    @Environment(AuthManager.self) private var manager
    @State private var joins = false
    @State private var showsProfile = false

    var body: some View {
        VStack {
            Button("Join") { joins = true }
            Button("My account") { showsProfile = true }
        }
        .sheet(isPresented: $joins) { LoginView() }
        .sheet(isPresented: $showsProfile) { ProfileView() }
        .onChange(of: manager.isLoggedIn) { (joins, showsProfile) = (false, false) }
    }
}

private struct TopNavBar: View {
    let onMenuTap: @MainActor () -> Void
    let onProfileTap: @MainActor () -> Void

    var body: some View {
        HStack {
            Button(action: onMenuTap) {
                Image(systemName: "line.3.horizontal").frame(minWidth: 44, minHeight: 44)
            }
            .accessibilityLabel("Menu")
            Spacer()
            Text("The App").font(.headline)
            Spacer()
            ProfileButton(action: onProfileTap)
        }
        .padding(.horizontal)
    }
}

extension ScriptedDevice.Person {
    /// With an identity token that an `InMemoryAuthService` accepts.
    init(_ person: ProviderPerson) {
        self.init(id: person.id, email: person.email, givenName: person.firstName) { nonce in
            var claims: AuthJSONObject = [
                "iss": "apple", "sub": .string(person.id), "email_verified": .bool(person.isEmailVerified),
                "is_private_email": .bool(person.isEmailHidden),
            ]
            claims["email"] = person.email.map(AuthJSON.string)
            claims["nonce"] = nonce.map(AuthJSON.string)
            return [#"{"alg":"none"}"#, AuthJSON.object(claims).text].map { text in
                Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                    .replacing("=", with: "") + "."
            }.joined()
        }
    }
}
