import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let mail = [
        Still("check-mail", showsMost: true) { try await signedUp() },
        Still("check-mail-again") {
            let world = try await signedUp()
            try await world.screen.wait { _ in world.service.clock.sleeperCount > 0 }
            world.service.clock.advance(by: CodeModel.interval)
            try await world.screen.wait { try $0.isEnabled("Send Again") }
            return try await world.tapping("Send Again").waiting(for: "The email is on its way.")
        },
        Still("check-mail-busy") {
            let world = try await signedUp()
            world.service.meet(.slow, at: .verifyCode)
            return try await world.typing(["Code": "042917"]).waiting(for: "Checking the code…")
        },
        Still("check-mail-wrong", showsMost: true) {
            try await signedUp().typing(["Code": "042917"]).waiting(for: "The code is wrong or has expired.")
        },
        Still("check-mail-offline") {
            let world = try await signedUp()
            world.service.goOffline()
            return try await world.typing(["Code": "042917"]).waiting(for: "Retry")
        },
        Still("unconfirmed") {
            let world = try await signedUp()
            try await world.screen.goBack()
            return try await world.tapping("Sign in with Email")
                .typing(["Email": "grace@example.com", "Password": Fixtures.password]).tapping("submit")
                .waiting(for: "Enter the Code")
        },
        Still("forgot-password") {
            try await World.guest().tapping("Sign in", "Sign in with Email", "Forgot password?")
                .typing(["Email": "ada@example"])
        },
        Still("forgot-password-sent") { try await forgot() },
        Still("forgot-password-too-soon") {
            try await forgot(.rateLimited(retryAfter: .seconds(42))).waiting(for: "Another email can be sent in 0:42.")
        },
        Still("new-password") { try await recovered() },
        Still("new-password-hints", showsMost: true) {
            try await recovered().typing(["New Password": "longenough", "Confirm Password": "different"])
        },
        Still("code-sign-in", showsMost: true) {
            try await World.boxScore(emailSignIn: .code).tapping("Sign in", "Sign in with Email")
        },
        Still("code-sign-in-offered") {
            try await World.boxScore(emailSignIn: .passwordOrCode).tapping("Sign in", "Sign in with Email")
        },
        Still("change-email-code", showsMost: true) { try await changing() },
        Still("change-email-halfway") {
            let world = try await changing()
            let code = world.service.mailCode(.emailChange, to: "countess@example.com") ?? ""
            return try await world.typing(["Code": code]).waiting(for: "Now confirm from your other email address.")
        },
        Still("change-email-other-code") {
            try await changing().typing(["Code": "042917"]).waiting(for: "Enter the Code Sent to ada@example.com")
        },
        Still("change-email-pending") {
            let world = try await changing()
            try await world.screen.goBack()
            return try await world.waiting(for: "countess@example.com isn't confirmed yet.")
        },
        Still("mail-link-failed") { try await opened(.invalidCallback).waiting(for: "The link couldn't be opened.") },
        Still("mail-link-offline") { try await opened(.offline).waiting(for: "The link couldn't be opened.") },
    ]

    @MainActor private static func signedUp() async throws -> World {
        try await World.guest(InMemoryAuthService(confirmsAutomatically: false)).tapping("Sign in", "Create Account")
            .typing([
                "Name": "Grace", "Email": "grace@example.com", "Password": Fixtures.password,
                "Confirm Password": Fixtures.password,
            ])
            .tapping("submit").waiting(for: "Check your email")
    }

    @MainActor private static func forgot(_ fault: InMemoryAuthService.Fault? = nil) async throws -> World {
        let world = try await World.guest().tapping("Sign in", "Sign in with Email", "Forgot password?")
            .typing(["Email": "ada@example.com"])
        if let fault { world.service.meet(fault, at: .sendPasswordMail) }
        return try await world.tapping("Send Email").waiting(for: "Check your email")
    }

    @MainActor private static func changing() async throws -> World {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = try await World.guest(service)
        try await world.signIn()
        return try await world.tapping("Your profile", "Sign-In Methods").waiting(for: "Email and Password")
            .tapping("Change Email").typing(["New Email": "countess@example.com"]).tapping("Save Email")
            .waiting(for: "Check your email")
    }

    @MainActor private static func recovered() async throws -> World {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let world = await World.boxScore(service)
        await world.openMail()
        try await world.screen.wait { $0.title == "New Password" }
        return world
    }

    @MainActor private static func opened(_ fault: InMemoryAuthService.Fault) async throws -> World {
        let world = await World.boxScore()
        world.service.meet(fault, at: .openMailLink)
        await world.openMail()
        return world
    }
}
