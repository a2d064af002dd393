import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import TestSupport
import Testing

@Suite("The level of a session that another one hands over to")
struct HandOverLevelTests {
    // RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    private func ask(_ server: TestServer, access: TestSession, refresh: TestSession) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/authorize", bearer: access.accessToken,
            json: [
                "refresh_token": .string(refresh.refreshToken), "code_challenge": .string(Self.challenge),
                "code_challenge_method": "s256", "redirect_to": "myapp://callback",
            ])
    }

    private func code(_ server: TestServer, _ session: TestSession) async throws -> String {
        let answer = try await ask(server, access: session, refresh: session)
        let url = try #require(answer["url"]?.stringValue, "\(answer)")
        return String(url.split(separator: "=").last ?? "")
    }

    private func redeem(_ code: String, _ server: TestServer) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/token?grant_type=pkce",
            json: ["auth_code": .string(code), "code_verifier": .string(Self.verifier)])
    }

    private func claims(_ answer: TestAnswer, _ server: TestServer) throws -> (level: AuthJSON?, methods: [String]) {
        let session = try #require(TestSession(answer), "\(answer)")
        let members = try server.keys.verify(session.accessToken).claims.members
        return (members["aal"], (members["amr"]?.arrayValue ?? []).compactMap { $0["method"]?.stringValue })
    }

    @Test("A code from before the second factor opens no session after it", arguments: TestDatabase.all)
    func earlyCode(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasPages: true) { server in
            let first = try await server.signUp()
            let app = try await server.enroll(first)
            // Without a second factor, and in a session without it.
            for low in [first, nil] {
                let session = if let low { low } else { try await server.low() }
                let early = try await code(server, session)
                _ = try await server.raised(session, by: app)
                let refused = try await redeem(early, server)
                #expect(refused.status == 404 && refused.code == "flow_state_not_found", "\(refused)")
            }
        }
    }

    @Test("A token from before the second factor gets no code after it", arguments: TestDatabase.all)
    func oldTokens(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasPages: true) { server in
            let (_, app) = try await server.protected()
            let early = try await server.low()
            let raised = try await server.raised(early, by: app)
            let both = try await ask(server, access: early, refresh: early)
            #expect(both.status == 403 && both.code == "insufficient_aal", "\(both)")
            let access = try await ask(server, access: early, refresh: raised)
            #expect(access.status == 403 && access.code == "insufficient_aal", "\(access)")
            let refresh = try await ask(server, access: raised, refresh: early)
            #expect(refresh.status == 400 && refresh.code == "validation_failed", "\(refresh)")
        }
    }

    @Test("A session hands over its own level, also after a refresh in between", arguments: TestDatabase.all)
    func ownLevel(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasPages: true) { server in
            let free = try await server.signUp("eve@example.com")
            let plain = try claims(try await redeem(try await code(server, free), server), server)
            #expect(plain.level == "aal1" && plain.methods == ["password"])
            let (raised, _) = try await server.protected()
            let waiting = try await code(server, raised)
            #expect(try await server.refresh(raised.refreshToken).status == 200)
            let high = try claims(try await redeem(waiting, server), server)
            #expect(high.level == "aal2" && high.methods == ["totp", "password"])
            let low = try claims(try await redeem(try await code(server, try await server.low()), server), server)
            #expect(low.level == "aal1" && low.methods == ["password"])
        }
    }

    @Test(
        "A code that waits while its session gives the factor again hands over the same level",
        arguments: TestDatabase.all)
    func again(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hasPages: true) { server in
            let (raised, app) = try await server.protected()
            let waiting = try await code(server, raised)
            _ = try await server.raised(raised, by: app)
            #expect(try claims(try await redeem(waiting, server), server).level == "aal2")
        }
    }
}
