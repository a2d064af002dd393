import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

/// Second factors against the server.
@Suite("Second factors against the server")
struct FactorServerTests {
    private func with(_ test: (World) async throws -> Void) async throws {
        try await TestServer.with(factors: .withRecoveryCodes) { try await test(try World($0)) }
    }

    /// Signs up, and adds an authenticator app.
    private func enroll(_ world: World) async throws -> (factor: UUID, secret: String) {
        try await world.signUp()
        let factor = try await world.client.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "phone"))
        let secret = try #require(factor.totp)
        #expect(secret.qrCode.contains("<svg") && secret.uri.hasPrefix("otpauth://totp/Journal:ada@example.com?"))
        try await verify(world, factor.id, secret.secret)
        return (factor.id, secret.secret)
    }

    @discardableResult
    private func verify(_ world: World, _ factor: UUID, _ secret: String) async throws -> AuthSession {
        let code = try #require(world.server.appCode(secret))
        return try await world.client.mfa.challengeAndVerify(
            params: FactorChallengeAndVerifyParams(factorId: factor, code: code))
    }

    @Test("An app is added, raises the session in place, is listed and removed")
    func life() async throws {
        try await with { world in
            let (factor, _) = try await enroll(world)
            let level = try await world.client.mfa.getAuthenticatorAssuranceLevel()
            #expect(level.currentLevel == .aal2 && level.nextLevel == .aal2)
            #expect(level.currentAuthenticationMethods.map(\.method).sorted() == ["password", "totp"])
            #expect(try await world.client.sessions().count == 1)
            #expect(try await world.client.mfa.listFactors().totp.map(\.friendlyName) == ["phone"])
            world.expireToken()
            #expect(try await world.client.session.assurance.currentLevel == .aal2)
            try await world.client.mfa.unenroll(params: FactorUnenrollParams(factorId: factor))
            #expect(await world.client.currentUser?.factors?.isEmpty != false)
            #expect(try await world.client.refreshSession().assurance.currentLevel == .aal1)
        }
    }

    @Test("A password alone is one factor; a code works once, and the next one raises the session")
    func signIn() async throws {
        try await with { world in
            let (factor, secret) = try await enroll(world)
            try await world.client.signOut()
            let low = try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(low.assurance.currentLevel == .aal1 && low.assurance.nextLevel == .aal2)
            await expectRefusal(.insufficientAAL) {
                try await world.client.update(user: AuthUserAttributes(password: "another battery staple"))
            }
            await expectRefusal(.mfaVerificationFailed) { try await verify(world, factor, secret) }
            world.server.clock.advance(by: .seconds(30))
            #expect(try await verify(world, factor, secret).assurance.currentLevel == .aal2)
            try await world.client.update(user: AuthUserAttributes(password: "another battery staple"))
            #expect(try await world.client.refreshSession().assurance.currentLevel == .aal2)
            #expect(try await world.client.sessions().map(\.isBound) == [true])
        }
    }

    @Test("A verification whose answer is lost signs nobody out, and the next code succeeds")
    func lostAnswer() async throws {
        try await with { world in
            let (factor, secret) = try await enroll(world)
            try await world.client.signOut()
            try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            world.server.clock.advance(by: .seconds(30))
            world.network.meet(.none, .losesAnswers)
            await #expect(throws: AuthClientError.self) { try await verify(world, factor, secret) }
            #expect(try await world.client.user().email == "ada@example.com")
            world.server.clock.advance(by: .seconds(30))
            #expect(try await verify(world, factor, secret).assurance.currentLevel == .aal2)
            world.expireToken()
            #expect(try await world.client.session.assurance.currentLevel == .aal2)
        }
    }

    @Test("A refresh that is wanted during a verification gets the new tokens, and nothing ends")
    func beside() async throws {
        try await with { world in
            let (factor, secret) = try await enroll(world)
            try await world.client.signOut()
            try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            // The next refresh is real.
            try await world.client.update(user: AuthUserAttributes(data: ["mood": "calm"]))
            world.server.clock.advance(by: .seconds(30))
            let challenge = try await world.client.mfa.challenge(params: FactorChallengeParams(factorId: factor))
            let code = try #require(world.server.appCode(secret))
            let before = world.network.refreshCount
            world.network.hold()
            let verification = Task {
                try await world.client.mfa.verify(
                    params: FactorVerifyParams(factorId: factor, challengeId: challenge.id, code: code))
            }
            await until { world.network.heldCount == 1 }
            let token = await world.client.currentSession?.accessToken ?? ""
            let refresh = Task { try await world.client.refreshSession(insteadOf: token) }
            for _ in 0..<100 { await Task.yield() }
            world.network.release()
            let raised = try await verification.value
            #expect(try await refresh.value == raised && world.network.refreshCount == before)
            world.expireToken()
            #expect(try await world.client.session.assurance.currentLevel == .aal2)
        }
    }

    @Test("Recovery codes are made once, raise a session once each, and are replaced")
    func recoveryCodes() async throws {
        try await with { world in
            _ = try await enroll(world)
            let codes = world.client.mfa.recoveryCodes
            await expectRefusal(.mfaFactorNotFound) { try await codes.status() }
            let set = try await codes.generate()
            #expect(set.codes.count == 10)
            try await world.client.signOut()
            try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            let spaced = set.codes[0].uppercased().prefix(4) + "-" + set.codes[0].dropFirst(4)
            #expect(try await codes.verify(code: String(spaced)).assurance.currentLevel == .aal2)
            await expectRefusal(.mfaVerificationFailed) { try await codes.verify(code: set.codes[0]) }
            #expect(try await codes.status().remaining == 9)
            let next = try await codes.regenerate()
            await expectRefusal(.mfaVerificationFailed) { try await codes.verify(code: set.codes[1]) }
            try await codes.verify(code: next.codes[1])
            try await codes.unenroll()
            await expectRefusal(.mfaFactorNotFound) { try await codes.status() }
        }
    }

    @Test("A fresh proof by the same user: the password opens a new session, and the old one ends")
    func signInAgain() async throws {
        try await with { world in
            let first = try await world.signUp()
            await expectRefusal(.invalidCredentials) { try await world.client.signInAgain(password: "wrong password") }
            #expect(await world.client.currentSession == first)
            let second = try await world.client.signInAgain(password: TestServer.password)
            #expect(second.user.id == first.user.id && second.accessToken != first.accessToken)
            // Ignored: the old session is revoked in the background.
            await until { (try? await world.client.sessions())?.count == 1 }
        }
    }
}
