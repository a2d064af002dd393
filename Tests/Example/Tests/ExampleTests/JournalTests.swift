import GatehouseTesting
import GatehouseUI
import Testing

@testable import Example

@Suite("The journal") @MainActor
struct JournalTests {
    @Test("A user loses the connection, and then notes a mood")
    func mood() async throws {
        let service = InMemoryAuthService.signedIn(firstName: "Ada")
        let account = service.makeManager()
        await account.wait { $0.isProfileLoaded }
        #expect(headline(account) == "Hello, Ada!")

        service.meet(.offline)
        await note("calm", account)
        #expect(account.error?.code == .noNetwork)

        await note("calm", account)
        #expect(try account.user?.data(as: Journal.self) == Journal(mood: "calm"))
    }
}
