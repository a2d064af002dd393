import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Refused requests change nothing")
struct RefusedChangesTests {
    /// Two of these exceed an account's limit.
    private let much = AuthJSON.string(String(repeating: "a", count: 3_000))

    @Test("A new password with a taken address ends no session", arguments: TestDatabase.all)
    func takenAddress(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            _ = try await server.signUp("grace@example.com")
            let session = try await server.signUp()
            let other = try #require(TestSession(try await server.signIn()))
            let refused = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken,
                json: ["password": "another good one", "email": "grace@example.com"])
            #expect(refused.status == 422 && refused.code == "email_exists")
            #expect(try await server.send(.get, "/auth/v1/user", bearer: other.accessToken).status == 200)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("An administrator's change that is too long keeps the address free", arguments: TestDatabase.all)
    func tooLong(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let user = try await server.signUp().userID
            #expect(
                try await server.admin(.put, "/users/\(user)", json: ["user_metadata": .object(["a": much])]).status
                    == 200)
            let refused = try await server.admin(
                .put, "/users/\(user)", json: ["email": "carol@example.com", "user_metadata": .object(["b": much])])
            #expect(refused.status == 400)
            _ = try await server.signUp("carol@example.com")
        }
    }

    @Test("A change that must fail reveals no more about the password than a sign-in: guesses count")
    func oracle() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let session = try await server.signUp()
            func change(_ json: AuthJSON) async throws -> Int {
                try await server.send(.put, "/auth/v1/user", bearer: session.accessToken, json: json).status
            }
            #expect(try await change(["data": .object(["a": much])]) == 200)
            for number in 0..<10 {
                #expect(
                    try await change(["password": .string("a good guess \(number)"), "data": .object(["b": much])])
                        == 400)
            }
            #expect(try await change(["password": .string(TestServer.password), "data": .object(["b": much])]) == 429)
        }
    }

    @Test(
        "D9: Guesses through one session shut out that session alone, those through all have three times the number",
        arguments: TestDatabase.all)
    func sessions(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, limits: AuthRates()) { server in
            let thief = try await server.signUp()
            func change(_ session: TestSession, _ json: AuthJSON, from number: Int = 0) async throws -> Int {
                try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: json, peer: "198.51.100.\(number)"
                ).status
            }
            func guess(_ session: TestSession) async throws -> [Int] {
                var answers: [Int] = []
                for number in 0..<11 {
                    let json: AuthJSON = [
                        "password": .string("a good guess \(number)"), "data": .object(["b": much]),
                    ]
                    answers.append(try await change(session, json, from: number))
                }
                return answers
            }
            let shut = Array(repeating: 400, count: 10) + [429]
            #expect(try await change(thief, ["data": .object(["a": much])]) == 200)
            #expect(try await guess(thief) == shut)
            let owner = try #require(TestSession(try await server.signIn()))
            // An accepted value is never a failed attempt.
            for number in 0..<12 {
                #expect(try await change(owner, ["password": .string("a new password \(number)")], from: number) == 200)
            }
            for answers in [shut, shut, Array(repeating: 429, count: 11)] {
                let session = try #require(TestSession(try await server.signIn(password: "a new password 11")))
                #expect(try await guess(session) == answers)
            }
        }
    }

    @Test("Every route refuses metadata that an import could not read")
    func deepMetadata() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            func nested(_ levels: Int) -> AuthJSON { (1..<levels).reduce(["a": 1]) { inner, _ in ["a": inner] } }
            func codes(_ levels: Int) async throws -> [Int] {
                let user = "/users/\(session.userID)"
                return [
                    try await server.send(
                        .put, "/auth/v1/user", bearer: session.accessToken, json: ["data": nested(levels)]),
                    try await server.admin(.put, user, json: ["user_metadata": nested(levels)]),
                    try await server.admin(.put, user, json: ["app_metadata": nested(levels)]),
                ].map(\.status)
            }
            #expect(try await codes(64) == [200, 200, 200])
            #expect(try await codes(65) == [400, 400, 400])
        }
    }

    @Test("A search text beyond the database's limit is refused", arguments: TestDatabase.all)
    func longSearch(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            for path in ["/users?filter=", "/audit?query=author:"] {
                let most = 1_024 - (path.hasSuffix("author:") ? 7 : 0)
                let longest = try await server.admin(.get, path + String(repeating: "%25", count: most))
                let longer = try await server.admin(.get, path + String(repeating: "a", count: most + 1))
                #expect(longest.status == 200 && longer.status == 400)
            }
        }
    }
}
