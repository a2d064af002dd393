import AccountDomain
import AccountStore
import GatehouseWire
import HTTPTypes
import Seeding
import TestSupport
import Testing

@Suite("Seeded accounts at both servers")
struct SeededPeopleTests {
    @Test("They sign in, refresh, are read at the gateway and deleted like any account", arguments: TestDatabase.all)
    func life(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let password = SeededPeople.password.reveal()
            let real = try await server.signUp(password: password)
            let hash = try #require(
                try await server.accounts.admin.account(UserID(real.userID)!)?.user.passwordHash)
            let people = SeededPeople(server.accounts, seed: 1, passwordHash: hash, at: server.clock.now)
            #expect(try await server.accounts.seeds.add(people, 0..<40) == 40)

            let session = try #require(
                TestSession(try await server.signIn(SeededPeople.address(0, seed: 1), password: password)))
            let me = try await server.send(.get, "/v1/auth/me", bearer: session.accessToken)
            #expect(me.status == 200 && me["profile"]?["first_name"]?.stringValue?.isEmpty == false)
            for token in try await server.accounts.seeds.seededTokens(50) {
                let refreshed = try #require(TestSession(try await server.refresh(token.reveal())))
                let user = try await server.send(.get, "/auth/v1/user", bearer: refreshed.accessToken)
                #expect(user.status == 200)
            }
            #expect(try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken).status == 204)
            #expect(try await server.refresh(session.refreshToken).code == "refresh_token_not_found")
            #expect(try await server.accounts.count() == 40)
        }
    }
}
