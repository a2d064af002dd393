import GatehouseTesting
import GatehouseUI
import Testing

@Suite("Fields of the app's own") @MainActor
struct OwnFieldsTests {
    struct Journal: Codable, Equatable {
        var mood: String?
        var goals: [String: Int]?
    }

    @Test("A change keeps the other fields, and null removes one")
    func changes() async throws {
        let account = InMemoryAuthService.signedIn(data: ["goals": ["sleep": 8]]).makeManager()
        await account.wait { $0.isProfileLoaded }

        try await account.updateProfile(data: Journal(mood: "calm"))
        try await account.updateProfile(data: Journal(goals: ["steps": 8_000]))  // the mood stays
        try await account.updateProfile(data: ["mood": .null])  // removes the mood

        let journal = try account.user?.data(as: Journal.self)
        #expect(journal == Journal(goals: ["sleep": 8, "steps": 8_000]))
    }

    @Test("A test has a user with fields")
    func given() async throws {
        let account = InMemoryAuthService.signedIn(data: ["mood": "calm"]).makeManager()
        await account.wait { $0.isProfileLoaded }
        #expect(try account.user?.data(as: Journal.self) == Journal(mood: "calm"))
    }
}
