import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Response time of password checks")
struct AnswerTimeTests {
    @Test("All responses come after the same time, whatever the account and the hash")
    func same() async throws {
        try await TestServer.with(change: { $0.passwordAnswerTime = .milliseconds(250) }) { server in
            _ = try await server.signUp()
            let hash = "$2b$04$rgH83ttgEQuXqhmsU8FG8uKMmLSwkWOFteV16ENi0RGmAZdkfTjsW"
            _ = try await server.admin(
                .post, "/users",
                json: ["email": "grace@example.com", "password_hash": .string(hash), "email_confirm": true])
            let before = server.answerTime.waits.count
            #expect(try await server.signIn().status == 200)
            #expect(try await server.signIn(password: "wrong").status == 400)
            #expect(try await server.signIn("nobody@example.com").status == 400)
            #expect(try await server.signIn("grace@example.com", password: "wrong").status == 400)
            #expect(try await server.signIn("grace@example.com", password: "imported secret").status == 200)
            #expect(server.answerTime.waits.dropFirst(before) == Array(repeating: .milliseconds(250), count: 5)[...])
        }
    }

    @Test("An overload is refused at once, and a refresh never waits")
    func atOnce() async throws {
        var rates = AuthRates()
        rates.failedSignIns = 1
        try await TestServer.with(limits: rates, change: { $0.passwordAnswerTime = .milliseconds(250) }) { server in
            let session = try await server.signUp()
            #expect(try await server.signIn("nobody@example.com").status == 400)
            let before = server.answerTime.waits.count
            #expect(try await server.signIn("nobody@example.com").status == 429)
            #expect(try await server.refresh(session.refreshToken).status == 200)
            #expect(server.answerTime.waits.count == before)
        }
    }

    @Test("Without auto-confirm a sign-up takes the same time for a taken and a free address")
    func signUp() async throws {
        try await TestServer.with(change: {
            $0.passwordAnswerTime = .milliseconds(250)
            $0.confirmsAutomatically = false
        }) { server in
            for password in ["correct horse battery", "another password", "short"] {
                _ = try await server.send(
                    .post, "/auth/v1/signup", json: ["email": "ada@example.com", "password": .string(password)])
            }
            #expect(server.answerTime.waits == Array(repeating: .milliseconds(250), count: 3))
        }
    }
}
