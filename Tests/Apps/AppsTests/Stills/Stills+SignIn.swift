import Gatehouse
import GatehouseModel
import GatehouseTesting
import ScreenDriver
import SwiftUI

extension Still {
    /// The login screen.
    static let signIn = [
        Still("login", showsMost: true) { try await World.guest().tapping("Sign in") },
        Still("login-busy") {
            let world = try await World.guest()
            world.google.hold()
            return try await world.tapping("Sign in", "Sign in with Google").waiting(for: "Signing in…")
        },
        Still("login-offline", showsMost: true) {
            let world = try await World.guest()
            world.service.meet(.offline)
            return try await world.tapping("Sign in", "Sign in with Google").waiting(for: "Retry")
        },
        Still("login-apple-failed") {
            let world = try await World.guest()
            world.screen.device.follow(.fails)
            return try await world.tapping("Sign in", "Sign in with Apple")
                .waiting(for: "Sign in with Apple failed. Please try again.")
        },
        Still("login-providers", showsMost: true) {
            let service = InMemoryAuthService()
            service.serverSettings = AuthServerSettings(
                providers: [.apple, "github", .google, "linkedin_oidc"], allowsEmail: false, allowsSignUp: false)
            return try await World.guest(service).tapping("Sign in")
        },
        Still("login-last-method", showsMost: true) {
            let world = try await World.guest().tapping("Sign in", "Sign in with Google")
            await world.manager.wait { $0.lastMethod == .google }
            await world.manager.signOut()
            await world.screen.settle()
            return try await world.tapping("Sign in")
        },
        Still("login-locked", showsMost: true) {
            let service = InMemoryAuthService.signedIn()
            service.stay(.storeLocked)
            let world = await World.boxScore(service, waits: false)
            return try await world.tapping("Account")
        },
    ]

    /// Address and password.
    static let email = [
        Still("sign-in-by-email") { try await World.guest().tapping("Sign in", "Sign in with Email") },
        Still("sign-in-by-email-filled") { try await signingIn() },
        Still("sign-in-by-email-busy") {
            let world = try await signingIn()
            world.service.meet(.slow, at: .signIn)
            return try await world.tapping("submit").waiting(for: "Signing in…")
        },
        Still("sign-in-by-email-wrong") {
            try await signingIn().tapping("submit").waiting(for: "Incorrect email or password. Please try again.")
        },
        Still("sign-in-by-email-too-often") {
            let world = try await signingIn()
            world.service.meet(.rateLimited(retryAfter: .seconds(60)))
            try await world.screen.tap("submit")
            try await world.screen.wait { _ in world.service.pendingFaults.isEmpty && !world.manager.isLoading }
            return world
        },
        Still("sign-up", showsMost: true) { try await World.guest().tapping("Sign in", "Create Account") },
        Still("sign-up-hints") {
            try await World.guest().tapping("Sign in", "Create Account")
                .typing([
                    "Name": "Grace", "Email": "grace@example", "Password": "short", "Confirm Password": "other",
                ])
        },
        Still("sign-up-long") {
            try await World.guest().tapping("Sign in", "Create Account")
                .typing([
                    "Name": "Wolfeschlegelsteinhausenbergerdorff",
                    "Email": "wolfeschlegelsteinhausenbergerdorff@department.of.long.names.example.com",
                ])
        },
        Still("sign-up-busy") {
            let world = try await signingUp(InMemoryAuthService())
            world.service.meet(.slow, at: .signUp)
            return try await world.tapping("submit").waiting(for: "Creating account…")
        },
        Still("sign-up-taken") {
            let world = try await signingUp(InMemoryAuthService())
            world.service.meet(.emailTaken)
            try await world.screen.tap("submit")
            try await world.screen.wait { _ in world.service.pendingFaults.isEmpty && !world.manager.isLoading }
            return world
        },
    ]

    @MainActor private static func signingIn() async throws -> World {
        try await World.guest().tapping("Sign in", "Sign in with Email")
            .typing(["Email": "ada@example.com", "Password": Fixtures.password])
    }

    @MainActor private static func signingUp(_ service: InMemoryAuthService) async throws -> World {
        try await World.guest(service).tapping("Sign in", "Create Account")
            .typing([
                "Name": "Grace", "Email": "grace@example.com", "Password": Fixtures.password,
                "Confirm Password": Fixtures.password,
            ])
    }

    static let linking = [
        Still("link", showsMost: true) { try await asked() },
        Still("link-wrong-password") {
            try await asked().typing(["Password": "wrong password"]).tapping("Link with Password")
                .waiting(for: "Incorrect email or password. Please try again.")
        },
        Still("link-code", showsMost: true) {
            let world = try await asked().tapping("Email Me a Code")
            try await world.screen.wait { $0.has(field: "Code") }
            return world
        },
        Still("link-start-over") { try await asked().tapping("Start Over with This Email") },
        Still("link-left") {
            let world = try await asked()
            try await world.screen.goBack()
            return world
        },
    ]

    @MainActor private static func asked() async throws -> World {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = try await World.guest(service).tapping("Sign in", "Sign in with Google")
        try await world.screen.wait { $0.title == "Link Accounts" }
        return world
    }
}
