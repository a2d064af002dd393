import Gatehouse
import GatehouseModel
import GatehouseTesting
import GatehouseUI
import ScreenDriver
import SwiftUI

extension Still {
    static let phone = [
        Still("login-phone", showsMost: true) {
            let world = try await World.guest(service()).tapping("Sign in")
            try await world.screen.wait { $0.has(button: "Sign in with Phone") }
            return world
        },
        Still("phone-sign-in", showsMost: true) { try await typing("") },
        Still("phone-sign-in-hint") { try await typing("212") },
        Still("phone-region") {
            try await typing("").tapping("region").typing(["Country or Region": "jap"])
        },
        Still("phone-code", showsMost: true) { try await sent() },
        Still("phone-code-wrong") {
            try await sent().typing(["Code": "000000"]).waiting(for: "The code is wrong or has expired.")
        },
        Still("phone-code-too-soon") {
            let world = try await typing(number)
            world.service.meet(.rateLimited(retryAfter: .seconds(42)), at: .sendText)
            return try await world.tapping("submit").waiting(for: "Another message can be sent in 0:42.")
        },
        Still("change-phone", showsMost: true) {
            try await user().tapping("Sign-In Methods").waiting(for: "Phone Number").tapping("Change Phone Number")
        },
        Still("phone-enrollment", showsMost: true) {
            let world = try await user().tapping("Security")
            try await world.screen.wait { $0.has(button: "Add a Phone Number") }
            return try await world.tapping("Add a Phone Number")
        },
        Still("second-step-text", showsMost: true) {
            let world = try await user()
            let factor = try await world.manager.factors.addPhone("+14155550123")
            try await world.manager.proofs.sendCode(to: factor.id)
            let code = world.service.textCode(.secondFactor, to: "+14155550123") ?? ""
            try await world.manager.proofs.prove(code: code, of: factor.id)
            await world.manager.signOut()
            _ = try await world.manager.signInWithPhone(number, password: Fixtures.password)
            return try await world.waiting(for: "The message is on its way.")
        },
    ]

    private static let number = "+12125550123"

    private static func service() -> InMemoryAuthService {
        let service = InMemoryAuthService()
        service.serverSettings.allowsPhone = true
        service.serverSettings.allowsPhoneFactors = true
        return service
    }

    @MainActor private static func typing(_ number: String) async throws -> World {
        let world = try await World.guest(service()).tapping("Sign in")
        try await world.screen.wait { $0.has(button: "Sign in with Phone") }
        return try await world.tapping("Sign in with Phone").typing(["Phone Number": number])
    }

    @MainActor private static func sent() async throws -> World {
        try await typing(number).tapping("submit").waiting(for: "Check your messages")
    }

    @MainActor private static func user() async throws -> World {
        let service = service()
        service.addAccount(phone: number, password: Fixtures.password, firstName: "Ada")
        let world = try await World.guest(service)
        _ = try await world.manager.signInWithPhone(number, password: Fixtures.password)
        try await world.screen.wait { $0.has(button: "Your profile") }
        return try await world.tapping("Your profile")
    }
}
