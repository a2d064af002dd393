import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseUI
import Testing

@testable import Example

/// The server that `Tests/External/test_example_package.py` started, its key, and an unused address.
private let server = ProcessInfo.processInfo.environment["EXAMPLE_SERVER"] ?? ""
private let key = ProcessInfo.processInfo.environment["EXAMPLE_KEY"] ?? ""
private let email = ProcessInfo.processInfo.environment["EXAMPLE_EMAIL"] ?? ""

@Suite("The pages, step by step, before a real server", .enabled(if: !server.isEmpty)) @MainActor
struct LiveTests {
    @Test("Sign up, sign out, sign in, change the profile, get a token, start again")
    func steps() async throws {
        let storage = MemoryStorage()
        let account = AuthManager(url: server, publishableKey: key, storage: storage, memory: .inMemory())
        #expect(account.setupProblem == nil)
        await account.wait { $0.phase == .unauthenticated }

        #expect(await signUp(account, email: email, password: Fixtures.password, firstName: "Ada") == nil)
        await account.signOut()
        let state = try #require(await account.client?.state)
        #expect(explain(state) == "Signed out by the person.")
        let wrong = await signIn(account, email: email, password: "another password")
        #expect(wrong == "Incorrect email or password. Please try again.")
        #expect(await signIn(account, email: email, password: Fixtures.password) == nil)
        await account.wait { $0.isProfileLoaded }
        #expect(headline(account) == "Hello, Ada!")

        await note("calm", account)
        let api = try #require(URL(string: server)).appending(path: "v1/auth/me")
        let answer = try await entries(from: api, account)
        #expect(String(decoding: answer, as: UTF8.self).contains("calm"))

        let next = AuthManager(url: server, publishableKey: key, storage: storage, memory: .inMemory())
        await next.wait { $0.user?.data == ["mood": "calm"] }
        try await next.deleteAccount()
        #expect(next.phase == .unauthenticated)
    }
}
