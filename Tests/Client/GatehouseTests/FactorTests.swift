import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

private let factorID = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!
private let challengeID = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000002")!

@Suite("Second factors")
struct FactorTests {
    private func session(_ number: Int, level: String? = nil, factors: [AuthJSON] = []) -> HTTPReply {
        var user = GoldenRequest.user.objectValue ?? [:]
        user["factors"] = .array(factors)
        var members = GoldenRequest.session.objectValue ?? [:]
        let claims: AuthJSON = [
            "aal": .string(level ?? "aal1"), "amr": [["method": "totp", "timestamp": 1_767_225_600]],
        ]
        members["access_token"] = .string("e30.\(Base64URL.text(Array(claims.text.utf8))).\(number)")
        members["refresh_token"] = .string("refresh-\(number)")
        members["user"] = .object(user)
        return ScriptedAnswers.json(.object(members))
    }

    private let verified: AuthJSON = [
        "id": "a1b2c3d4-0000-4000-8000-000000000001", "factor_type": "totp", "status": "verified",
        "friendly_name": "phone", "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "last_challenged_at": .null, "phone": "",
    ]

    /// A new token is not refreshed.
    private func age(_ client: GatehouseClient) async throws {
        try await client.update(user: AuthUserAttributes(data: ["mood": "calm"]))
    }

    private func verify(_ client: GatehouseClient) async throws -> AuthSession {
        try await client.mfa.verify(
            params: FactorVerifyParams(factorId: factorID, challengeId: challengeID, code: "123456"))
    }

    @Test("A link's session without the second factor ends, and the one that has it stays, with the linked user")
    func linkKeepsLevel() async throws {
        var identity = verified.objectValue ?? [:]
        identity["friendly_name"] = "linked"
        let server = ScriptedAnswers([
            session(1, level: "aal2", factors: [verified]), session(2, factors: [.object(identity)]),
            HTTPReply(status: 204, body: []),
        ])
        let client = try await server.signedIn()
        let high = try await client.session
        let linked = try await client.confirmLink(AuthLinkTicket("ticket"))
        #expect(linked.accessToken == high.accessToken && linked.refreshToken == "refresh-1")
        #expect(linked.user.factors?.map(\.friendlyName) == ["linked"])
        #expect(server.requests.last?.hasPrefix("POST /logout?scope=local") == true)
        #expect(server.bearers.last?.hasSuffix(".2") == true)
        #expect(try await server.client().currentSession == linked)
    }

    @Test(
        "A link in the browser and a confirmed address keep the second factor, too",
        arguments: ["link", "code", "mail link", "link in two steps"])
    func changeKeepsLevel(_ way: String) async throws {
        var changed = verified.objectValue ?? [:]
        changed["friendly_name"] = "changed"
        let end = [session(2, factors: [.object(changed)]), HTTPReply(status: 204, body: [])]
        let page = ScriptedAnswers.json(["url": "https://p.example/"])
        let first = session(1, level: "aal2", factors: [verified])
        let back = URL(string: "app://back")!
        let (server, answer): (ScriptedAnswers, AuthSession?)
        switch way {
        case "link":
            server = ScriptedAnswers([first, page] + end)
            answer = try await server.signedIn().linkIdentity(provider: .google, redirectTo: back) { _ in
                URL(string: "app://back?code=c")!
            }
        case "code":
            server = ScriptedAnswers([first] + end)
            answer = try await server.signedIn().verifyOTP(email: "b@b.c", token: "123456", type: .emailChange).session
        default:
            let opensBrowser = way != "mail link"
            server = ScriptedAnswers([first, opensBrowser ? page : ScriptedAnswers.json(GoldenRequest.user)] + end)
            let client = try await server.signedIn()
            if opensBrowser {
                _ = try await client.getLinkIdentityURL(provider: .google, redirectTo: back)
            } else {
                try await client.update(user: AuthUserAttributes(email: "b@b.c"), redirectTo: back)
            }
            answer = try await client.session(from: URL(string: "app://back?code=c")!)
        }
        #expect(answer?.accessToken.hasSuffix(".1") == true && answer?.refreshToken == "refresh-1")
        #expect(answer?.user.factors?.map(\.friendlyName) == ["changed"])
        #expect(server.requests.last?.hasPrefix("POST /logout?scope=local") == true)
        #expect(server.bearers.last?.hasSuffix(".2") == true)
        #expect(try await server.client().currentSession == answer)
    }

    @Test("A verification replaces the tokens in place, with an event of its own, and they are stored")
    func inPlace() async throws {
        let server = ScriptedAnswers([session(1, factors: [verified]), session(2, level: "aal2", factors: [verified])])
        let client = try await server.signedIn()
        var events = client.authStateChanges.makeAsyncIterator()
        #expect(await events.next()?.event == .initialSession)
        #expect(await client.currentSession?.assurance.currentLevel == .aal1)
        #expect(await client.currentSession?.assurance.nextLevel == .aal2)
        let raised = try await verify(client)
        let event = await events.next()
        #expect(event?.event == .mfaChallengeVerified)
        #expect(event?.session == raised)
        let level = try await client.mfa.getAuthenticatorAssuranceLevel()
        #expect(level.currentLevel == .aal2)
        #expect(level.currentAuthenticationMethods == [AuthMethodReference(method: "totp", timestamp: 1_767_225_600)])
        let next = try await server.client().currentSession
        #expect(next == raised)
        #expect(next?.user.factors?.map(\.friendlyName) == ["phone"])
    }

    @Test("A wrong code, and an answer that is lost, leave the session as it is", arguments: [true, false])
    func failures(isLost: Bool) async throws {
        let bad = isLost ? HTTPReply(status: 503) : ScriptedAnswers.refusal(422, "mfa_verification_failed")
        let server = ScriptedAnswers([session(1), bad, session(2, level: "aal2")])
        let client = try await server.signedIn()
        let before = await client.currentSession
        let error = await #expect(throws: AuthClientError.self) { try await verify(client) }
        #expect(error?.code == (isLost ? nil : .mfaVerificationFailed))
        #expect(await client.currentSession == before)
        #expect(try await verify(client).refreshToken == "refresh-2")
    }

    @Test("A refresh waits for a verification in progress, and takes its tokens")
    func refreshWaits() async throws {
        let server = ScriptedAnswers([
            session(1), ScriptedAnswers.json(GoldenRequest.user), session(2, level: "aal2"), session(3),
        ])
        let client = try await server.signedIn()
        try await age(client)
        let refresh = Locked<Task<AuthSession, any Error>?>(nil)
        server.meanwhile {
            // Another token is requested during the verification.
            let token = await client.currentSession?.accessToken ?? ""
            let task = Task { try await client.refreshSession(insteadOf: token) }
            refresh.withLock { $0 = task }
            for _ in 0..<100 { await Task.yield() }
        }
        try await verify(client)
        let task = try #require(refresh.withLock { $0 })
        #expect(try await task.value.refreshToken == "refresh-2")
        #expect(server.requests.count == 3)
    }

    @Test("A refresh that waited for a failed verification runs on its own")
    func refreshAfterFailure() async throws {
        let server = ScriptedAnswers([
            session(1), ScriptedAnswers.json(GoldenRequest.user),
            ScriptedAnswers.refusal(422, "mfa_verification_failed"), session(3),
        ])
        let client = try await server.signedIn()
        try await age(client)
        let refresh = Locked<Task<AuthSession, any Error>?>(nil)
        server.meanwhile {
            let token = await client.currentSession?.accessToken ?? ""
            let task = Task { try await client.refreshSession(insteadOf: token) }
            refresh.withLock { $0 = task }
            for _ in 0..<100 { await Task.yield() }
        }
        await #expect(throws: AuthClientError.self) { try await verify(client) }
        let task = try #require(refresh.withLock { $0 })
        #expect(try await task.value.refreshToken == "refresh-3")
    }

    @Test("A sign-out during a verification ends it, and its tokens are not kept")
    func signOutDuring() async throws {
        let server = ScriptedAnswers([session(1), session(2, level: "aal2")])
        let client = try await server.signedIn()
        let signOut = Locked<Task<Void, any Error>?>(nil)
        server.meanwhile {
            let task = Task { _ = try await client.signOut(scope: .local) }
            signOut.withLock { $0 = task }
            try await task.value
        }
        await #expect(throws: AuthClientError.signedOut(.requested)) { try await verify(client) }
        // The verification ends as soon as the sign-out begins.
        let task = try #require(signOut.withLock { $0 })
        try await task.value
        #expect(try await server.client().state == .signedOut(.neverSignedIn))
    }

    @Test("A refused access token is refreshed once, and the verification repeated")
    func refusedToken() async throws {
        let server = ScriptedAnswers([
            session(1), ScriptedAnswers.json(GoldenRequest.user), ScriptedAnswers.refusal(403, "bad_jwt"), session(2),
            session(3, level: "aal2"),
        ])
        let client = try await server.signedIn()
        try await age(client)
        #expect(try await verify(client).refreshToken == "refresh-3")
    }

    @Test("A removed factor leaves the stored user, also if the account cannot be fetched")
    func unenroll() async throws {
        let server = ScriptedAnswers([
            session(1, factors: [verified]), ScriptedAnswers.json(["id": "a1b2c3d4-0000-4000-8000-000000000001"]),
            HTTPReply(status: 503),
        ])
        let client = try await server.signedIn()
        try await client.mfa.unenroll(params: FactorUnenrollParams(factorId: factorID))
        #expect(await client.currentUser?.factors == [])
        #expect(try await server.client().currentUser?.factors == [])
        #expect(
            server.requests.suffix(2) == [
                "DELETE /factors/a1b2c3d4-0000-4000-8000-000000000001", "GET /user",
            ])
    }

    @Test("Secrets of factors and recovery codes are not printed")
    func unprinted() {
        let totp = AuthEnrolledFactor.TOTP(qrCode: "<svg/>", secret: "JBSWY3DP", uri: "otpauth://totp/x")
        let factor = AuthEnrolledFactor(id: factorID, type: .totp, totp: totp)
        let codes = AuthRecoveryCodes(id: factorID, codes: ["abcdefgh"])
        let code = FactorVerifyParams(factorId: factorID, challengeId: challengeID, code: "123456")
        for value in [factor, totp, codes, code] as [any Sendable] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(["JBSWY3DP", "otpauth", "<svg", "abcdefgh", "123456"].filter { text.contains($0) } == [])
        }
    }
}

@Suite("Passkeys")
struct PasskeyTests {
    private final class Authenticator: PasskeyAuthenticator {
        let asked = Locked<[String]>([])
        let failure: AuthClientError?

        init(failure: AuthClientError? = nil) { self.failure = failure }

        func create(_ options: AuthPasskeyRegistrationOptions, style: PasskeyCreationStyle) throws -> AuthJSON {
            asked.withLock { $0.append("create \(options.relyingPartyID) \(options.userName) \(style)") }
            if let failure { throw failure }
            return ["id": "new"]
        }

        func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) throws -> AuthJSON {
            asked.withLock { $0.append("get \(options.relyingPartyID) \(options.challenge) \(style)") }
            if let failure { throw failure }
            return ["id": "old"]
        }

        func signal(_ signal: PasskeySignal) { asked.withLock { $0.append("\(signal)") } }
    }

    @Test("A sign-in asks the authenticator with the server's options, and keeps the session")
    func signIn() async throws {
        let server = ScriptedAnswers([ScriptedAnswers.json(PasskeyAnswers.authentication), ScriptedAnswers.session])
        let (client, keys) = (try server.client(), Authenticator())
        let session = try await client.signInWithPasskey(with: keys, style: .autoFill)
        #expect(keys.asked.withLock { $0 } == ["get example.org [1, 2, 3] autoFill"])
        #expect(await client.currentSession == session)
    }

    @Test("A closed sheet sends nothing further", arguments: [AuthClientError.cancelled, .noPasskey])
    func cancelled(_ failure: AuthClientError) async throws {
        let server = ScriptedAnswers([ScriptedAnswers.json(PasskeyAnswers.authentication)])
        let client = try server.client()
        await #expect(throws: failure) { try await client.signInWithPasskey(with: Authenticator(failure: failure)) }
        #expect(server.requests.count == 1)
        #expect(await client.state == .signedOut(.neverSignedIn))
    }

    @Test("Password managers learn which passkeys are left, and the account's name")
    func signals() async throws {
        let server = ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(PasskeyAnswers.registration)])
        let (client, keys) = (try await server.signedIn(), Authenticator())
        try await client.signalPasskeys(to: keys)
        let party = #"relyingPartyID: "example.org", userHandle: [48, 102, 54, 100]"#
        #expect(
            keys.asked.withLock { $0 } == [
                "accepted(\(party), credentialIDs: [[4, 5]])", #"renamed(\#(party), userName: "ada@example.com")"#,
            ])
    }

    @Test("An automatic registration asks for conditional options")
    func automatic() async throws {
        let server = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(PasskeyAnswers.registration), HTTPReply(status: 503),
        ])
        let (client, keys) = (try await server.signedIn(), Authenticator())
        await #expect(throws: AuthClientError.self) { try await client.registerPasskey(with: keys, style: .automatic) }
        #expect(server.requests[1] == #"POST /passkeys/registration/options {"mediation":"conditional"}"#)
        #expect(keys.asked.withLock { $0 }.filter { !$0.hasPrefix("create") }.isEmpty)
    }

    @Test(
        "A passkey that the server refuses is reported as unknown, unless the server may have it",
        arguments: [
            (400, "webauthn_verification_failed", true), (422, "too_many_passkeys", true),
            (422, "webauthn_credential_exists", false), (400, "webauthn_challenge_not_found", false),
        ])
    func orphan(status: Int, code: String, isUnknown: Bool) async throws {
        let server = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(PasskeyAnswers.registration),
            ScriptedAnswers.refusal(status, code),
        ])
        let (client, keys) = (try await server.signedIn(), Authenticator())
        await #expect(throws: AuthClientError.self) { try await client.registerPasskey(with: keys) }
        let signals = keys.asked.withLock { $0 }.dropFirst()
        #expect(
            Array(signals)
                == (isUnknown ? [#"unknown(relyingPartyID: "example.org", credentialID: [157, 236])"#] : []))
    }

    @Test("Options without what an authenticator needs are an unexpected answer")
    func malformed() async throws {
        let server = ScriptedAnswers([ScriptedAnswers.json(["challenge_id": "x", "options": [:], "expires_at": 1])])
        let client = try server.client()
        let expected = AuthClientError.unexpectedAnswer("passkey.challenge_id: expected a UUID")
        await #expect(throws: expected) { try await client.getPasskeyAuthenticationOptions() }
    }

    @Test("Signing in again with another account's passkey changes nothing, and ends that session")
    func otherAccount() async throws {
        var user = GoldenRequest.user.objectValue ?? [:]
        user["id"] = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c11"
        var other = GoldenRequest.session.objectValue ?? [:]
        (other["user"], other["access_token"]) = (.object(user), "other")
        let server = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(PasskeyAnswers.authentication),
            ScriptedAnswers.json(.object(other)), HTTPReply(status: 204),
        ])
        let client = try await server.signedIn()
        let before = await client.currentSession
        await #expect(throws: AuthClientError.otherAccount) { try await client.signInAgain(with: Authenticator()) }
        #expect(await client.currentSession == before)
        #expect(server.requests.last == "POST /logout?scope=local")
        #expect(server.bearers.last == "other")
    }
}
