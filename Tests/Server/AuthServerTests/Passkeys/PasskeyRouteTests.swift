import AccountDomain
import AccountStore
import AuthServer
import Foundation
import GatehouseWire
import HTTPServing
import HTTPTypes
import SQLDatabase
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

@Suite("Passkeys over HTTP")
struct PasskeyRouteTests {
    @Test("A user registers a passkey, and signs in with it from anywhere", arguments: TestDatabase.all)
    func whole(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            let made = try await client.register(ada)
            #expect(made.status == 200 && made.json["friendly_name"] == "Passkey")
            let answer = try await client.signIn()
            let session = try #require(TestSession(answer))
            #expect(answer.json["user"]?["id"]?.stringValue == ada.userID)
            #expect(try await server.refresh(session.refreshToken).status == 200)
            let list = try await server.send(.get, "/auth/v1/passkeys/", bearer: session.accessToken)
            #expect(list.json.arrayValue?.first?["last_used_at"]?.stringValue != nil)
            // As the original, with a final slash.
            let path = "/auth/v1/passkeys/\(made.json["id"]?.stringValue ?? "")/"
            let renamed = try await server.send(
                .patch, path, bearer: session.accessToken, json: ["friendly_name": "phone"])
            #expect(renamed.status == 200 && renamed.json["friendly_name"] == "phone")
            #expect(try await server.send(.delete, path, bearer: session.accessToken).status == 204)
            let audit = try await server.send(.get, "/auth/v1/admin/audit/", bearer: TestServer.secretKey)
            #expect(audit.status == 200)
        }
    }

    @Test("Anonymous callers who begin sign-ins cost the database nothing")
    func free() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            let client = PasskeyClient(server)
            let count = try await server.statements {
                for _ in 0..<50 { #expect(try await client.post("/authentication/options").status == 200) }
                // Nor with another server's challenges.
                let unknown: AuthJSON = ["challenge_id": "6b1c8a2e-3f0d-8a53-9f0e-1b2c3d4e5f60", "credential": [:]]
                let answer = try await client.post("/authentication/verify", unknown)
                #expect(answer.code == "webauthn_challenge_not_found")
            }
            #expect(count == 0)
        }
    }

    @Test("An account begins at most thirty registrations an hour: each passkey may mail a notice to its owner")
    func manyRegistrations() async throws {
        let settings = PasskeyClient.settings { $0.maximum = 1_000 }
        try await TestServer.with(limits: AuthRates(), change: settings) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            for _ in 0..<29 {
                #expect(try await client.post("/registration/options", bearer: ada.accessToken).status == 200)
            }
            #expect(try await client.register(ada).status == 200)
            let refused = try await client.post("/registration/options", bearer: ada.accessToken)
            #expect(refused.status == 429 && refused.code == "over_request_rate_limit")
            let bob = try await server.signUp("bob@example.com")
            #expect(try await client.register(bob).status == 200)
            server.clock.advance(by: .seconds(120))
            #expect(try await client.post("/registration/options", bearer: ada.accessToken).status == 200)
        }
    }

    @Test("A sign-in takes one statement to read and five to write", arguments: TestDatabase.all)
    func cost(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            var counts: [Int] = []
            for _ in 0..<4 {
                let count = try await server.statements {
                    let answer = try await client.signIn()
                    #expect(answer.status == 200)
                }
                counts.append(count)
            }
            // One in sixteen removes old challenges.
            #expect(counts.min() == 6 && (counts.max() ?? 0) <= 7, "\(counts)")
        }
    }

    @Test("A challenge has one answer, right or wrong")
    func once() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            let begun = try await client.post("/authentication/options")
            var wrong = SoftChanges()
            wrong.hasWrongSignature = true
            let refused = try await client.post("/authentication/verify", client.get(begun, wrong))
            #expect(refused.status == 400 && refused.code == "webauthn_verification_failed")
            let right = try client.get(begun)
            #expect(try await client.post("/authentication/verify", right).code == "webauthn_challenge_not_found")
            let again = try await client.post("/authentication/options")
            let answer = try client.get(again)
            #expect(try await client.post("/authentication/verify", answer).status == 200)
            #expect(try await client.post("/authentication/verify", answer).code == "webauthn_challenge_not_found")
        }
    }

    @Test("Two nodes accept one answer of two, and each other's challenges", arguments: TestDatabase.all)
    func nodes(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            _ = try await client.register(ada)
            let begun = try await client.post("/authentication/options")
            let answer = try client.get(begun)
            // As another node: only what the database has.
            let user = try #require(UserID(ada.userID))
            let id = try #require(PasskeyChallengeID(begun["challenge_id"]?.stringValue ?? ""))
            let known = PasskeyChallenge(id, for: .authentication, server.accounts.secrets)
            let challenge = try #require(known)
            let passkey = try #require(try await server.accounts.passkeys.all(of: user).first)
            let holder = try #require(
                try await server.accounts.passkeys.holder(ofCredential: passkey.credentialID, of: user))
            let other = try await server.accounts.passkeys.signIn(
                holder,
                PasskeyProof(signCount: 0, isBackupEligible: false, isBackedUp: false, countsAsTwoFactors: false),
                answering: challenge, from: Device(userAgent: nil, address: nil), at: server.clock.now)
            guard case .signedIn = other else {
                Issue.record("the first node refused")
                return
            }
            #expect(try await client.post("/authentication/verify", answer).code == "webauthn_challenge_not_found")
        }
    }

    @Test("An answer that the server could not decide leaves the challenge", arguments: TestDatabase.all)
    func undecided(_ kind: TestDatabase) async throws {
        // Only the tables' owner can rename one.
        try await TestServer.with(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            let begun = try await client.post("/authentication/options")
            let answer = try client.get(begun)
            try await server.database.write { db in _ = try db.run("ALTER TABLE passkeys RENAME TO gone") }
            #expect(try await client.post("/authentication/verify", answer).status >= 500)
            try await server.database.write { db in _ = try db.run("ALTER TABLE gone RENAME TO passkeys") }
            #expect(try await client.post("/authentication/verify", answer).status == 200)
        }
    }

    @Test("A challenge expires", arguments: [(299, 200), (300, 400)])
    func expired(seconds: Int, status: Int) async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            let begun = try await client.post("/authentication/options")
            #expect(begun.json["expires_at"]?.intValue == server.clock.now.seconds + 300)
            server.clock.advance(by: .seconds(seconds))
            #expect(try await client.post("/authentication/verify", client.get(begun)).status == status)
        }
    }

    @Test("Every false answer gets the same response")
    func alike() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            var changes: [SoftChanges] = []
            func with(_ change: (inout SoftChanges) -> Void) {
                var made = SoftChanges()
                change(&made)
                changes.append(made)
            }
            with { $0.type = "webauthn.create" }
            with { $0.challenge = Array(repeating: 1, count: 32) }
            with { $0.relyingPartyID = "other.example" }
            with { $0.hasWrongSignature = true }
            with { $0.flags = [.userVerified] }
            with { $0.userHandle = Array("6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60".utf8) }
            with { $0.userHandle = [0xFF, 0xFE] }
            with { $0.userHandle = [] }
            with { $0.reportedID = [9, 9, 9] }
            for change in changes {
                let answer = try await client.signIn(change)
                #expect(answer.status == 400 && answer.code == "webauthn_verification_failed")
                #expect(answer.json["message"] == "Credential verification failed")
            }
            #expect(try await client.signIn().status == 200)
        }
    }

    @Test("A passkey created without a gesture is accepted for conditional options, and only for them")
    func conditional() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            var changes = SoftChanges()
            changes.flags = [.backupEligible, .backedUp]
            func register(_ body: AuthJSON?) async throws -> TestAnswer {
                let begun = try await client.post("/registration/options", bearer: ada.accessToken, body)
                client.device = SoftAuthenticator()
                let key = try client.device.create(
                    #require(begun.json["options"]), origin: PasskeyClient.origin, changes)
                let answer = PasskeyClient.answer(begun, key)
                return try await client.post("/registration/verify", bearer: ada.accessToken, answer)
            }
            for body: AuthJSON? in [nil, [:], .null, ["mediation": "required"], ["mediation": 1], ["conditional"]] {
                #expect(try await register(body).code == "webauthn_verification_failed")
            }
            #expect(try await register(["mediation": "conditional"]).status == 200)
            changes.flags = [.userPresent]
            #expect(try await register(["mediation": "conditional"]).status == 200)
            // Signing in needs the gesture.
            changes.flags = [.userVerified]
            #expect(try await client.signIn(changes).status == 400)
        }
    }

    @Test("A password manager may change whether the passkey is synchronized", arguments: TestDatabase.all)
    func backupEligibility(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            _ = try await client.register(ada)
            let all: [AuthenticatorData.Flags] = [[.backupEligible, .backedUp], [.backupEligible, .backedUp], []]
            for (flags, expected) in zip(all, [true, true, false]) {
                var changes = SoftChanges()
                changes.flags = flags.union([.userPresent, .userVerified])
                #expect(try await client.signIn(changes).status == 200)
                let owner = try #require(UserID(ada.userID))
                #expect(try await server.accounts.passkeys.all(of: owner).map(\.isBackupEligible) == [expected])
            }
            let audit = try await server.send(.get, "/auth/v1/admin/audit", bearer: TestServer.secretKey)
            #expect(audit.text.split(separator: "passkey_updated").count == 3)
            #expect(audit.text.contains(#""backup_eligible":true"#))
        }
    }

    @Test("The audit log has the cause of a refused passkey, but strangers cannot fill it")
    func refusalsAreRecorded() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            let ada = try await server.signUp()
            _ = try await client.register(ada)
            var (foreign, unknown) = (SoftChanges(), SoftChanges())
            foreign.relyingPartyID = "other.example"
            unknown.reportedID = [9, 9, 9]
            _ = try await client.signIn(foreign)
            _ = try await client.signIn(unknown)
            var second = PasskeyClient(server)
            foreign.relyingPartyID = nil
            foreign.challenge = [1]
            #expect(try await second.register(ada, foreign).status == 400)
            let audit = try await server.send(.get, "/auth/v1/admin/audit", bearer: TestServer.secretKey)
            #expect(audit.text.split(separator: "passkey_refused").count == 3)
            #expect(audit.text.contains(#""cause":"relyingPartyID: another RP ID""#))
            #expect(audit.text.contains(#""cause":"challenge: another challenge""#))
            let metrics = server.metrics.render()
            #expect(metrics.contains(#"method="passkey",outcome="unknown_credential"} 1"#))
        }
    }

    @Test("A copied key is refused once its original was used")
    func copied() async throws {
        try await TestServer.with(change: PasskeyClient.settings()) { server in
            var client = PasskeyClient(server)
            client.device.counts = true
            let ada = try await server.signUp()
            _ = try await client.register(ada)
            var copy = client
            #expect(try await client.signIn().status == 200)
            #expect(try await copy.signIn().code == "webauthn_verification_failed")
            let audit = try await server.send(.get, "/auth/v1/admin/audit", bearer: TestServer.secretKey)
            #expect(audit.text.contains("passkey_cloned"))
        }
    }

    @Test("By setting, a passkey of a verified user is two factors; without verification it is one")
    func twoFactors() async throws {
        try await TestServer.with(change: PasskeyClient.settings { $0.countsAsTwoFactors = true }) { server in
            var client = PasskeyClient(server)
            _ = try await client.register(server.signUp())
            #expect(try await PasskeyClient.level(client.signIn()) == "aal2")
            var changes = SoftChanges()
            changes.flags = [.userPresent]
            #expect(try await PasskeyClient.level(client.signIn(changes)) == "aal1")
        }
    }

    @Test("Passkeys that are off answer so, and administrators still see and remove them")
    func off() async throws {
        try await TestServer.with { server in
            for path in ["/registration/options", "/authentication/verify", "/x"] {
                let answer = try await PasskeyClient(server).post(path)
                #expect(answer.status == 404 && answer.code == "passkey_disabled")
            }
            let settings = try await server.send(.get, "/auth/v1/settings")
            #expect(settings.json["passkeys_enabled"] == false)
            let ada = try await server.signUp()
            let list = try await server.send(
                .get, "/auth/v1/admin/users/\(ada.userID)/passkeys", bearer: TestServer.secretKey)
            #expect(list.json == [])
        }
    }
}
