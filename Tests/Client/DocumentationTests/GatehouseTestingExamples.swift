// Written by Scripts/documentation/make-examples: the examples of GatehouseTesting's documentation. They are compiled, and the tests
// among them run.
import Foundation
import Gatehouse
import GatehouseDesktop
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import SwiftUI
import Testing

// Sources/Client/GatehouseTesting/InMemoryAuthService+World.swift
extension Given {
    @MainActor private func example1() async throws {
        let service = InMemoryAuthService.signedIn(data: ["mood": "calm"])
        let manager = service.makeManager()
        await manager.wait { $0.isProfileLoaded }
        _ = service
        _ = manager
    }
}

// Sources/Client/GatehouseTesting/InMemoryAuthService.swift
extension Given {
    @MainActor private func example2() async throws {
        let service = InMemoryAuthService()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }

        service.meet(.offline)  // the next call
        service.meet(.profileMissing, at: .fetchMe)  // the next call of this kind
        service.stay(.serviceUnavailable)  // every call, until clear()
        service.meet(.slow)  // a response that arrives with release()
        _ = service
        _ = manager
    }
}

// Sources/Client/GatehouseTesting/ScriptedAppleCredentials.swift
extension Given {
    @MainActor private func example3() async throws {
        let (service, apple) = (InMemoryAuthService(), ScriptedAppleConsent())
        let manager = service.makeManager(appleCredentials: apple.credentials)
        apple.set(.revoked, for: .ada)  // in the system's settings
        apple.askAgain()  // the app becomes active
        await manager.wait { !$0.isLoggedIn }
        _ = manager
    }
}

// Sources/Client/GatehouseTesting/ScriptedPasskeys.swift
extension Given {
    @MainActor private func example4() async throws {
        let passkeys = ScriptedPasskeys(.cancels, .works)
        let account = InMemoryAuthService().makeManager()
        try await account.signInWithPasskey(with: passkeys)  // the user closes the sheet
        _ = passkeys
        _ = account
    }
}

// Sources/Client/GatehouseTesting/ScriptedPasskeys.swift
extension Given {
    @MainActor private func example5() async throws {
        let passkeys = ScriptedPasskeys()
        passkeys.follow(.creates(email: "ada@example.com", firstName: "Ada"))
        _ = passkeys
    }
}

// Sources/Client/GatehouseTesting/ScriptedProviderSheet.swift
extension Given {
    @MainActor private func example6() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .signsIn(.ada))
        try await manager.signInWithApple { try await sheet.apple() }  // .cancelled
        try await manager.signInWithApple { try await sheet.apple() }  // .signedIn
        _ = sheet
    }
}

// Sources/Client/GatehouseTesting/VirtualClock.swift
extension Given {
    @MainActor private func example7() async throws {
        let clock = VirtualClock()
        let client = try GatehouseClient(url: url, publishableKey: key, storage: MemoryStorage(), clock: clock.clock)
        clock.advance(by: .seconds(3_601))  // the access token has expired
        _ = clock
        _ = client
    }
}

// Sources/Client/GatehouseTesting/GatehouseTesting.docc/GatehouseTesting.md
private struct Example8 {
    @MainActor @Test("A guest signs up")
    func signUp() async throws {
        let service = InMemoryAuthService()
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }

        try await account.signUpWithEmail("ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(account.user?.firstName == "Ada")
    }
}

// Sources/Client/GatehouseTesting/GatehouseTesting.docc/GatehouseTesting.md
extension Given {
    @MainActor private func example9() async throws {
        #Preview { HomeView().gatehouse(InMemoryAuthService.signedIn().makeManager()) }
    }
}

// Sources/Client/GatehouseTesting/GatehouseTesting.docc/TestingYourApp.md
private struct Example10 {
    @MainActor @Test("Without a connection, a sign-up can be repeated")
    func offline() async throws {
        let service = InMemoryAuthService()
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }

        service.meet(.offline)
        await #expect(throws: (any Error).self) {
            try await account.signUpWithEmail("ada@example.com", password: Fixtures.password, firstName: "Ada")
        }
        try await account.signUpWithEmail("ada@example.com", password: Fixtures.password, firstName: "Ada")
        #expect(account.isLoggedIn)
    }
}

// Sources/Client/GatehouseTesting/GatehouseTesting.docc/TestingYourApp.md
private struct Example11 {
    @MainActor @Test("A code confirms a sign-up")
    func code() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        let account = service.makeManager()
        await account.wait { $0.phase == .unauthenticated }

        let outcome = try await account.signUpWithEmail("ada@example.com", password: Fixtures.password)
        #expect(outcome == .checkMail)
        let code = try #require(service.mailCode(.confirmation, to: "ada@example.com"))
        try await account.signIn(withCode: code, sentTo: "ada@example.com")
        #expect(account.isLoggedIn && account.isNewUser)
    }
}

// Sources/Client/GatehouseTesting/GatehouseTesting.docc/TestingYourApp.md
extension Given {
    @MainActor private func example12() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .signsIn(.ada))
        #expect(try await account.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .cancelled)
        #expect(try await account.signInWithApple { try await sheet.apple(nonce: SignInNonce()) } == .signedIn)
        _ = sheet
    }
}
