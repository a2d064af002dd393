import Gatehouse
import GatehouseModel
import TestSupport
import Testing

@Suite("Several accounts and an anonymous user") @MainActor
struct GuestAccountTests {
    @Test("An anonymous account is not kept on the device, so a switch asks before its data is lost")
    func guest() async throws {
        try await ModelWorld.with(allowsSeveralAccounts: true) { world in
            let manager = world.manager
            try await world.signUp()
            let ada = try #require(manager.user).id
            try await manager.switchAccount { manager throws(AuthError) in try await manager.signInAnonymously() }
            await until { !manager.isLoading && manager.accounts.map(\.state) == [.signedIn] }
            #expect(manager.isAnonymous && !manager.canAddAccount)
            await #expect(throws: AuthError.alreadySignedIn) { try await manager.use(ada) }
            manager.answersProofQuestions = true
            let stays = Task { try await manager.use(ada) }
            await until { manager.switchQuestion != nil }
            #expect(manager.switchQuestion?.leavesAnonymousAccount == true)
            manager.answerSwitch(false)
            #expect(try await stays.value == .cancelled)
            #expect(manager.isAnonymous)
            let leaves = Task { try await manager.use(ada) }
            await until { manager.switchQuestion != nil }
            manager.answerSwitch(true)
            #expect(try await leaves.value == .signedIn)
            #expect(manager.user?.id == ada)
            await until { manager.accounts.map(\.state) == [.active] }
        }
    }
}
