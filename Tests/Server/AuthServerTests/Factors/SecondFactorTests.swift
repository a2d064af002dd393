import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import JSONWebTokens
import SQLDatabase
import TestSupport
import Testing

@Suite("Second factors")
struct SecondFactorTests {
    @Test("A code of the app raises the session: level, methods and user agree everywhere", arguments: TestDatabase.all)
    func raising(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let first = try await server.signUp()
            let app = try await server.enroll(first)
            let raised = try await server.raised(first, by: app)
            let claims = try server.keys.verify(raised.accessToken).claims.members
            #expect(claims["aal"] == "aal2")
            let methods = claims["amr"]?.arrayValue?.compactMap { $0["method"]?.stringValue }
            #expect(methods == ["totp", "password"])
            let user = try await server.send(.get, "/auth/v1/user", bearer: raised.accessToken)
            let factor = user["factors"]?.arrayValue?.first
            #expect(factor?["status"] == "verified" && factor?["factor_type"] == "totp")
            #expect(factor?["secret"] == nil && factor?["sealed_secret"] == nil)
            let refreshed = try #require(TestSession(try await server.refresh(raised.refreshToken)))
            #expect(try server.keys.verify(refreshed.accessToken).claims.members["aal"] == "aal2")
            let low = try await server.low()
            #expect(try server.keys.verify(low.accessToken).claims.members["aal"] == "aal1")
        }
    }

    @Test("A user without factors costs no further statement", arguments: TestDatabase.all)
    func cost(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let free = try await server.signUp("eve@example.com")
            let (protected, _) = try await server.protected()
            // The token's first use after a second factor is recorded.
            _ = try await server.send(.get, "/auth/v1/user", bearer: protected.accessToken)
            for session in [free, protected] {
                let read = try await server.statements {
                    _ = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                }
                let refresh = try await server.statements { _ = try await server.refresh(session.refreshToken) }
                #expect(read == 1 && refresh == 2)
            }
        }
    }

    @Test(
        "A code takes three statements to read and eight to write, with one factor or 51",
        arguments: TestDatabase.all)
    func verificationCost(_ kind: TestDatabase) async throws {
        var rules = FactorRules()
        (rules.mostEnrolled, rules.mostVerified) = (100, 100)
        try await TestServer.with(on: kind, factors: rules) { server in
            let (session, app) = try await server.protected()
            for others in [0, 50] {
                for number in 0..<others {
                    // Verified: the next code removes unverified ones.
                    let other = try await server.enroll(session, named: "other \(number)")
                    try await server.database.write { db in
                        _ = try db.run("UPDATE factors SET is_verified = 1 WHERE id = \(other.factor)")
                    }
                }
                server.clock.advance(by: .seconds(60))
                let challenge = try await server.challenge(app.factor, session)
                let count = try await server.statements {
                    let answer = try await server.answer(app.code(server), of: app, challenge, session)
                    #expect(answer.status == 200)
                }
                // One of the eleven reads other nodes' failed attempts.
                #expect(count == 11, "\(others)")
            }
        }
    }

    @Test("The app's secret is sealed in the database", arguments: TestDatabase.all)
    func sealed(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let session = try await server.signUp()
            let answer = try await server.send(
                .post, "/auth/v1/factors", bearer: session.accessToken, json: ["factor_type": "totp"])
            let text = try #require(answer["totp"]?["secret"]?.stringValue)
            let secret = try #require(Base32.decode(text.utf8))
            let stored = try await server.database.read { db in
                try db.row("SELECT sealed_secret FROM factors") { $0.bytes() } ?? []
            }
            #expect(secret.count == 20 && stored.count == 49)
            #expect(!String(decoding: stored, as: UTF8.self).contains(text))
            #expect(stored.dropFirst(13).prefix(20) != secret[...])
            let uri = answer["totp"]?["uri"]?.stringValue
            #expect(
                uri == "otpauth://totp/Box%20Score:ada@example.com?algorithm=SHA1&digits=6"
                    + "&issuer=Box%20Score&period=30&secret=\(text)")
            let svg = try #require(answer["totp"]?["qr_code"]?.stringValue)
            #expect(svg.hasPrefix("<svg ") && !svg.contains("#") && !svg.contains("%"))
        }
    }

    enum Step: Sendable, CaseIterable {
        case email, phone, password, enroll, remove, unlink, link, export, delete, regenerate
    }

    @Test(
        "A stolen password alone changes nothing of a user with a second factor",
        arguments: [
            (.email, 401), (.phone, 401), (.password, 401), (.enroll, 403), (.remove, 422), (.unlink, 403),
            (.link, 403), (.export, 403), (.delete, 403), (.regenerate, 403),
        ] as [(Step, Int)])
    func stolenPassword(_ step: Step, _ status: Int) async throws {
        try await TestServer.with(factors: .withCodes) { server in
            let (_, app) = try await server.protected()
            let thief = try await server.low()
            let refused = try await take(step, server, thief, app)
            #expect(refused.status == status, "\(refused)")
            #expect(["insufficient_aal", "INSUFFICIENT_AAL"].contains(refused.code ?? ""), "\(refused)")
            #expect(try await server.signIn().status == 200)
            #expect(
                try await server.send(.get, "/auth/v1/user", bearer: thief.accessToken)["email"] == "ada@example.com")
        }
    }

    @Test("An access token from before the second factor does not rise with its session", arguments: Step.allCases)
    func oldAccessToken(_ step: Step) async throws {
        try await TestServer.with(factors: .withCodes) { server in
            let (_, app) = try await server.protected()
            let thief = try await server.low()
            let raised = try await server.raised(thief, by: app)
            let refused = try await take(step, server, thief, app)
            #expect(["insufficient_aal", "INSUFFICIENT_AAL"].contains(refused.code ?? ""), "\(refused)")
            #expect(try await server.send(.get, "/auth/v1/user", bearer: thief.accessToken).status == 200)
            let done = try await take(step, server, raised, app)
            #expect(!["insufficient_aal", "INSUFFICIENT_AAL"].contains(done.code ?? ""), "\(done)")
        }
    }

    private func take(
        _ step: Step, _ server: TestServer, _ session: TestSession, _ app: TestApp
    ) async throws -> TestAnswer {
        func send(_ method: HTTPRequest.Method, _ path: String, _ json: AuthJSON? = nil) async throws -> TestAnswer {
            try await server.send(method, path, bearer: session.accessToken, json: json)
        }
        return switch step {
        case .email: try await send(.put, "/auth/v1/user", ["email": "thief@example.com"])
        case .phone: try await send(.put, "/auth/v1/user", ["phone": "+15555550100"])
        case .password: try await send(.put, "/auth/v1/user", ["password": "a new password 9"])
        case .enroll: try await send(.post, "/auth/v1/factors", ["factor_type": "totp", "friendly_name": "mine"])
        case .remove: try await send(.delete, "/auth/v1/factors/\(app.factor)")
        case .unlink: try await send(.delete, "/auth/v1/user/identities/\(app.factor)")
        case .link: try await send(.get, "/auth/v1/user/identities/authorize?provider=google")
        case .export: try await send(.get, "/auth/v1/user/export")
        case .delete: try await send(.delete, "/v1/auth/me")
        case .regenerate: try await send(.post, "/auth/v1/factors/recovery-codes/regenerate")
        }
    }

    @Test("A low session keeps what harms nobody: metadata, its own address, unverified factors")
    func lowSession() async throws {
        try await TestServer.with { server in
            let (raised, _) = try await server.protected()
            let unverified = try await server.enroll(raised, named: "unverified")
            let low = try await server.low()
            let change = try await server.send(
                .put, "/auth/v1/user", bearer: low.accessToken, json: ["email": "ada@example.com", "data": ["a": 1]])
            #expect(change.status == 200)
            let removed = try await server.send(
                .delete, "/auth/v1/factors/\(unverified.factor)", bearer: low.accessToken)
            #expect(removed.status == 200 && removed["id"] == .string(unverified.factor))
        }
    }

    @Test("A low session cannot answer a factor that was never verified", arguments: TestDatabase.all)
    func neverVerified(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let (raised, _) = try await server.protected()
            let second = try await server.enroll(raised, named: "second")
            let challenge = try await server.challenge(second.factor, raised)
            let low = try await server.low()
            let path = "/auth/v1/factors/\(second.factor)/challenge"
            let asked = try await server.send(.post, path, bearer: low.accessToken)
            #expect(asked.status == 403 && asked.code == "insufficient_aal", "\(asked)")
            // Another session's challenge is good for each.
            let answered = try await server.answer(server.code(of: second), of: second, challenge, low)
            #expect(answered.status == 403 && answered.code == "insufficient_aal", "\(answered)")
            let own = try await server.answer(server.code(of: second), of: second, challenge, raised)
            #expect(own.status == 200, "\(own)")
        }
    }

    @Test("A stale token cannot answer a factor that was never verified", arguments: TestDatabase.all)
    func staleToken(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, policy: SessionPolicy(freshSignIn: .seconds(60))) { server in
            let session = try await server.signUp()
            let app = try await server.enroll(session)
            let challenge = try await server.challenge(app.factor, session)
            server.clock.advance(by: .seconds(60))
            let path = "/auth/v1/factors/\(app.factor)/challenge"
            let asked = try await server.send(.post, path, bearer: session.accessToken)
            #expect(asked.status == 403 && asked.code == "fresh_sign_in_required", "\(asked)")
            let refused = try await server.answer(server.code(of: app), of: app, challenge, session)
            #expect(refused.status == 403 && refused.code == "fresh_sign_in_required", "\(refused)")
            let fresh = try await server.low()
            #expect(try await server.answer(server.code(of: app), of: app, challenge, fresh).status == 200)
            // A verified factor is a proof itself.
            let low = try await server.low()
            server.clock.advance(by: .seconds(60))
            _ = try await server.raised(low, by: app)
        }
    }

    @Test("A step up renews the proof that sensitive changes need", arguments: TestDatabase.all)
    func stepUp(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, policy: SessionPolicy(freshSignIn: .seconds(600))) { server in
            let (session, app) = try await server.protected()
            server.clock.advance(by: .seconds(601))
            let stale = try await server.send(.delete, "/auth/v1/factors/\(app.factor)", bearer: session.accessToken)
            #expect(stale.status == 403 && stale.code == "fresh_sign_in_required")
            #expect(
                try await server.send(.delete, "/v1/auth/me", bearer: session.accessToken).code
                    == "FRESH_SIGN_IN_REQUIRED")
            let proven = try await server.raised(session, by: app)
            #expect(
                try await server.send(.delete, "/auth/v1/factors/\(app.factor)", bearer: proven.accessToken).status
                    == 200)
        }
    }

    @Test("Wrong codes of all factors and sessions count against the user", arguments: TestDatabase.all)
    func userLimit(_ kind: TestDatabase) async throws {
        var rules = FactorRules.withCodes
        rules.recoveryCodes.attempts = 15
        try await TestServer.with(on: kind, limits: AuthRates(failedSignIns: 2), factors: rules) { server in
            let (session, app) = try await server.protected()
            let challenge = try await server.challenge(app.factor, session)
            for _ in 0..<3 {
                #expect(try await server.answer("x", of: app, challenge, session).code == "mfa_verification_failed")
            }
            let low = try await server.low()
            for _ in 0..<3 {
                let answer = try await server.send(
                    .post, "/auth/v1/factors/recovery-codes/verify", bearer: low.accessToken, json: ["code": "wrong"])
                #expect(answer.code == "mfa_verification_failed", "\(answer)")
            }
            let right = try await server.answer(server.code(of: app), of: app, challenge, session)
            #expect(right.status == 429 && right.code == "over_request_rate_limit")
            #expect(right.headers[.retryAfter] != nil)
        }
    }

    @Test("The removal of factors and recovery codes has a limit, apart from those of challenges and answers")
    func removalLimit() async throws {
        try await TestServer.with(limits: AuthRates(), factors: .withCodes) { server in
            let (session, app) = try await server.protected()
            func remove(_ name: String) async throws -> TestAnswer {
                try await server.send(.delete, "/auth/v1/factors/\(name)", bearer: session.accessToken)
            }
            let missing = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
            for _ in 0..<15 {
                #expect(try await remove(missing).status == 404)
                #expect(try await remove("recovery-codes").status == 404)
            }
            for refused in [try await remove(app.factor), try await remove("recovery-codes")] {
                #expect(refused.status == 429 && refused.code == "over_request_rate_limit", "\(refused)")
            }
            _ = try await server.challenge(app.factor, session)
            server.clock.advance(by: .seconds(4))
            #expect(try await remove(missing).status == 404)
        }
    }

    @Test("A name that is too long is refused, and a code of other letters is a wrong one", arguments: TestDatabase.all)
    func unstorable(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, factors: .withCodes) { server in
            let (session, app) = try await server.protected()
            let answer = try await server.send(
                .post, "/auth/v1/factors", bearer: session.accessToken,
                json: ["factor_type": "totp", "friendly_name": .string(String(repeating: "a", count: 201))])
            #expect(answer.status == 400 && answer.code == "validation_failed")
            let codes = "/auth/v1/factors/recovery-codes"
            #expect(try await server.send(.post, codes, bearer: session.accessToken).status == 200)
            for code in ["ä\u{1}\u{202E}", "日本語", "\u{1}"] {
                let typed = try await server.send(
                    .post, codes + "/verify", bearer: session.accessToken, json: ["code": .string(code)])
                #expect(
                    ["mfa_verification_failed", "mfa_recovery_codes_locked"].contains(typed.code ?? ""), "\(typed)")
                let challenge = try await server.challenge(app.factor, session)
                let wrong = try await server.answer(code, of: app, challenge, session)
                #expect(wrong.code == "mfa_verification_failed", "\(wrong)")
            }
        }
    }

    @Test("The limit of low sessions shortens tokens and ends the session at its refresh", arguments: TestDatabase.all)
    func lowLimit(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, policy: SessionPolicy(lowLevel: .seconds(60))) { server in
            let (raised, _) = try await server.protected()
            let answer = try await server.signIn()
            let low = try #require(TestSession(answer))
            #expect(answer["expires_in"] == 60)
            server.clock.advance(by: .seconds(59))
            let again = try await server.refresh(low.refreshToken)
            #expect(again.status == 200 && again["expires_in"] == 1)
            server.clock.advance(by: .seconds(2))
            let late = try await server.refresh(try #require(TestSession(again)).refreshToken)
            #expect(late.status == 400 && late.code == "session_expired")
            #expect(late.headers[.sessionEnd] == "second_factor_missing")
            #expect(try await server.refresh(raised.refreshToken)["expires_in"] == 3_600)
        }
    }
}

extension AuthRates {
    fileprivate init(failedSignIns: Int) {
        self.init()
        self.failedSignIns = failedSignIns
    }
}

extension HTTPField.Name {
    fileprivate static let sessionEnd = Self("x-gatehouse-session-end")!
}
