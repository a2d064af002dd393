import Foundation
import Gatehouse
import GatehouseModel
import TestSupport
import Testing

@Suite("The profile of the manager", .timeLimit(.minutes(5))) @MainActor
struct ProfileTests {
    private struct Journal: Codable, Equatable {
        var mood: String?
        var streak: Int?
    }

    @Test("C9: the app's own fields have types; a property that is nil keeps the stored value, null removes it")
    func typed() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let manager = world.manager
            #expect(try manager.user?.data(as: Journal.self) == Journal())
            try await manager.updateProfile(data: Journal(mood: "calm", streak: 3))
            try await manager.updateProfile(firstName: "Grace", data: Journal(streak: 4))
            #expect(try manager.user?.data(as: Journal.self) == Journal(mood: "calm", streak: 4))
            #expect(manager.user?.firstName == "Grace")
            try await manager.updateProfile(data: ["mood": .null])
            #expect(try manager.user?.data(as: Journal.self) == Journal(streak: 4))
            await #expect(throws: AuthError.unknown(nil)) {
                try await manager.updateProfile(data: ["not", "an object"])
            }
            let calls = world.network.calls.count
            try await manager.updateProfile()
            #expect(world.network.calls.count == calls, "nothing to change, nothing sent")
        }
    }

    @Test("A change continues when the screen that asked for it goes away, and leaves no error")
    func leaving() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.hold()
            let screen = Task { try await world.manager.updateProfile(firstName: "Grace") }
            await until { world.network.heldCount == 1 }
            screen.cancel()
            world.network.release()
            try await screen.value
            #expect(world.manager.user?.firstName == "Grace" && world.manager.error == nil)
        }
    }

    @Test("The profile screen's save continues too, and its failure is gone once the user has read it")
    func model() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let model = ProfileModel(manager: world.manager)
            world.network.hold()
            model.save(ProfileChange(firstName: "Grace"))
            #expect(model.phase == .saving)
            await until { world.network.heldCount == 1 }
            world.network.release()
            await until { model.phase == .showing }
            #expect(model.user?.firstName == "Grace")
            world.network.fail("/me", 500)
            await model.save(ProfileChange(firstName: .clear))?.value
            let text: ModelText = "Something went wrong. Please try again."
            #expect(model.phase == .failed(ProfileAlert(title: "Could Not Save Profile", message: text)))
            #expect(world.manager.error?.isNetworkError == true)
            model.dismiss()
            #expect(model.phase == .showing && world.manager.error == nil)
        }
    }

    @Test("A refresh ends when the profile is loaded, also if another load supersedes the first")
    func refresh() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.hold()
            var hasEnded = false
            Task {
                await world.manager.refreshProfile()
                hasEnded = true
            }
            await until { world.network.heldCount == 1 }
            #expect(!hasEnded && world.manager.isLoading)
            world.manager.reloadProfile()
            await until { world.network.heldCount == 2 }
            #expect(!hasEnded)
            world.network.release()
            await until { hasEnded }
            #expect(!world.manager.isLoading)
            await world.manager.signOut()
            await world.manager.refreshProfile()
        }
    }

    @Test("B9: without a gateway the profile is in the user's metadata")
    func metadata() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            world.network.fail("/v1/auth/me", 404)
            let network = world.network
            let manager = AuthManager(
                url: TestServer.external, publishableKey: "sb_publishable_test",
                profile: { MetadataProfile(client: $0) {} }, storage: world.storage,
                transport: { try await network.send($0) }, clock: ModelWorld.clock(world.server), memory: .inMemory())
            await until { manager.isProfileLoaded }
            #expect(manager.setupProblem == nil && manager.canChangeProfile && manager.user?.firstName == "Ada")
            try await manager.updateProfile(firstName: " Grace ", data: ["mood": "calm", "goals": ["steps": 1]])
            try await manager.updateProfile(ProfileChange(data: ["goals": ["sleep": 8]], others: ["theme": "dark"]))
            await manager.refreshProfile()
            #expect(manager.error == nil && manager.user?.firstName == "Grace")
            #expect(manager.user?.data == ["mood": "calm", "goals": ["steps": 1, "sleep": 8]])
            #expect(manager.user?.others["theme"] == "dark")
            try await manager.updateProfile(firstName: .clear, data: ["goals": .null])
            #expect(manager.user?.firstName == nil && manager.user?.data == ["mood": "calm"])
            #expect(world.network.calls.allSatisfy { !$0.hasPrefix("PATCH") })
        }
    }

    @Test("B9: an app without profiles has the name of the sign-up, and asks no server for it")
    func none() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let profiles = MetadataProfile(client: world.client, isReadOnly: true) {}
            let manager = AuthManager(
                service: LiveAuthService(client: world.client, gateway: profiles), storage: world.storage)
            let calls = world.network.calls.count
            await until { manager.isProfileLoaded }
            #expect(!manager.canChangeProfile && manager.user?.firstName == "Ada")
            #expect(world.network.calls.count == calls)
            let error = await #expect(throws: AuthError.self) { try await manager.updateProfile(firstName: "Grace") }
            #expect(error?.isNetworkError == true)
            try await manager.deleteAccount()
            #expect(!manager.isLoggedIn)
        }
    }
}
