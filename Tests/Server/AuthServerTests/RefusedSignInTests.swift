import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

@Suite("An operator sees why a user cannot sign in")
struct RefusedSignInTests {
    private func diagnosis(_ user: String, _ server: TestServer) async throws -> TestAnswer {
        let found = try await server.admin(.get, "/users/\(user)/diagnosis")
        #expect(found.status == 200, "\(found)")
        return found
    }

    private func codes(_ found: TestAnswer) -> [String] {
        (found["findings"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue }
    }

    @Test("A lock names its end, its place and its count, and unlocking ends it", arguments: TestDatabase.all)
    func unlock(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, limits: AuthRates()) { server in
            let user = try await server.signUp().userID
            for _ in 0..<10 {
                #expect(try await server.signIn(password: "wrong", peer: "203.0.113.1").status == 400)
            }
            #expect(try await server.signIn(peer: "203.0.113.1").status == 429)
            let found = try await diagnosis(user, server)
            let lock = found["findings"]?.arrayValue?.first
            #expect(lock?["code"] == "sign_in_locked" && lock?["bucket"] == "failed_sign_ins_pair", "\(found)")
            #expect(lock?["ip"] == "203.0.113.1" && lock?["blocks"] == true)
            let end = server.clock.now + .seconds(360)
            #expect(lock?["until"]?.stringValue.flatMap { Instant($0) } == end)
            #expect(lock?["text"]?.stringValue?.contains("10 failed sign-ins within an hour") == true)
            #expect(found["can_sign_in"] == false)
            let refusals = found["refusals"]?.arrayValue ?? []
            let wrong = refusals.first { $0["code"] == "invalid_credentials" }
            #expect(wrong?["count"] == 10 && wrong?["method"] == "password" && wrong?["ip"] == "203.0.113.1")
            #expect(refusals.contains { $0["code"] == "over_request_rate_limit" && $0["count"] == 1 })
            #expect(!found.text.contains("wrong\""))

            #expect(try await server.admin(.post, "/users/\(user)/unlock").status == 204)
            #expect(codes(try await diagnosis(user, server)).isEmpty)
            #expect(try await server.signIn(peer: "203.0.113.1").status == 200)
            let audit = try await server.admin(.get, "/audit?query=action:user_unlocked")
            #expect(audit.text.contains(user) && audit.text.contains("service_role"))
        }
    }

    @Test("A new password from an administrator ends the lock", arguments: TestDatabase.all)
    func newPassword(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, limits: AuthRates()) { server in
            let user = try await server.signUp().userID
            for _ in 0..<10 { _ = try await server.signIn(password: "wrong", peer: "203.0.113.1") }
            #expect(try await server.signIn(peer: "203.0.113.1").status == 429)
            let new = "another horse 43"
            #expect(try await server.admin(.put, "/users/\(user)", json: ["password": .string(new)]).status == 200)
            #expect(try await server.signIn(password: new, peer: "203.0.113.1").status == 200)
        }
    }

    @Test("Unlocking leaves an address's own limit, which protects other accounts")
    func ofAddress() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let user = try await server.signUp().userID
            for number in 0..<10 { _ = try await server.signIn("p\(number)@example.com", password: "wrong") }
            #expect(try await server.signIn().status == 429)
            let lock = try await diagnosis(user, server)["findings"]?.arrayValue?.first
            #expect(lock?["bucket"] == "failed_sign_ins_address")
            #expect(lock?["advice"]?.stringValue?.hasPrefix("Wait.") == true)
            #expect(try await server.admin(.post, "/users/\(user)/unlock").status == 204)
            #expect(try await server.signIn().status == 429)
        }
    }

    @Test("The audit log has the first wrong password, and the others once an hour with their number")
    func audit() async throws {
        try await TestServer.with { server in
            let user = try await server.signUp().userID
            func entries() async throws -> [Int64] {
                try await server.auth.writeRefusals()
                let log = try await server.admin(.get, "/audit?query=action:login_failed")
                let entries = (try JSONReader.read(log.text)).arrayValue ?? []
                for entry in entries { #expect(entry["payload"]?["traits"]?["user_id"]?.stringValue == user) }
                return entries.compactMap { $0["payload"]?["traits"]?["count"]?.intValue }
            }
            _ = try await server.signIn(password: "wrong")
            #expect(try await entries() == [1])
            for _ in 0..<4 { _ = try await server.signIn(password: "wrong") }
            #expect(try await entries() == [1])
            server.clock.advance(by: .seconds(3_600))
            _ = try await server.signIn(password: "wrong")
            #expect(try await entries() == [5, 1])
        }
    }

    @Test("An address without an account leaves nothing, a flood one bounded row", arguments: TestDatabase.all)
    func bounds(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let user = try await server.signUp().userID
            _ = try await server.signIn("nobody@example.com", password: "wrong")
            for number in 0..<60 { _ = try await server.signIn(password: "wrong", peer: "198.51.100.\(number)") }
            try await server.auth.writeRefusals()
            let rows = try await server.database.rows("SELECT user_id, refusals FROM refused_sign_ins") { row in
                (row.text(), RefusalHistory(stored: row.text()).refusals.count)
            }
            #expect(rows.map(\.0) == [user])
            #expect(rows.map(\.1) == [RefusalHistory.most])
            let erased = try await server.admin(.delete, "/users/\(user)", json: ["should_soft_delete": true])
            #expect(erased.status == 200)
            let left = try await server.database.row("SELECT count(*) FROM refused_sign_ins") { $0.int() }
            #expect(left == 0)
        }
    }

    @Test("Refusals are kept for ninety days, like ended sessions", arguments: TestDatabase.all)
    func retention(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let user = try await server.signUp().userID
            _ = try await server.signIn(password: "wrong")
            #expect(try await diagnosis(user, server)["refusals"]?.arrayValue?.count == 1)
            server.clock.advance(by: .seconds(89 * 86_400))
            _ = try await server.auth.removeOutdated()
            #expect(try await diagnosis(user, server)["refusals"]?.arrayValue?.count == 1)
            server.clock.advance(by: .seconds(2 * 86_400))
            while try await server.auth.removeOutdated() > 0 {}
            #expect(try await diagnosis(user, server)["refusals"]?.arrayValue?.isEmpty == true)
        }
    }

    @Test("Ban with its reason, unconfirmed and undeliverable address, and a missing method are named")
    func states() async throws {
        try await TestServer.with { server in
            let made = try await server.admin(.post, "/users", json: ["email": "bob@example.com"])
            let user = try #require(made["id"]?.stringValue)
            #expect(codes(try await diagnosis(user, server)) == ["email_unconfirmed", "no_sign_in_method"])
            try await server.database.write { db in
                _ = try db.run("UPDATE users SET email_undeliverable_at = created_at WHERE id = \(user)")
            }
            let ban: AuthJSON = ["ban_duration": "24h", "ban_reason": "Spam", "password": .string(TestServer.password)]
            #expect(try await server.admin(.put, "/users/\(user)", json: ban).status == 200)
            let found = try await diagnosis(user, server)
            #expect(codes(found) == ["banned", "email_unconfirmed", "email_undeliverable"])
            #expect(found["ban"]?["reason"] == "Spam" && found["ban"]?["actor_username"] == "service_role")
            #expect(found["findings"]?.arrayValue?.first?["text"]?.stringValue?.hasSuffix("Reason: Spam") == true)
            let audit = try await server.admin(.get, "/audit?query=action:user_banned")
            #expect(audit.text.contains("Spam"))
            _ = try await server.admin(.put, "/users/\(user)", json: ["ban_duration": "none", "email_confirm": true])
            #expect(codes(try await diagnosis(user, server)) == ["email_undeliverable"])
            #expect(try await server.admin(.get, "/audit?query=action:user_unbanned").text.contains(user))
            let long: AuthJSON = ["ban_duration": "1h", "ban_reason": .string(String(repeating: "a", count: 1_001))]
            #expect(try await server.admin(.put, "/users/\(user)", json: long).code == "validation_failed")
        }
    }

    @Test("Wrong factor answers and codes are recorded, and a second factor is named")
    func factors() async throws {
        try await TestServer.with(limits: AuthRates(), change: { $0.mail = MailRules() }) { server in
            let session = try await server.signUp()
            let app = try await server.enroll(session)
            _ = try await server.raised(session, by: app)
            let next = try #require(TestSession(try await server.signIn()))
            let path = "/auth/v1/factors/\(app.factor)"
            let challenge = try await server.send(.post, path + "/challenge", bearer: next.accessToken)
            let answer: AuthJSON = ["challenge_id": challenge["id"] ?? .null, "code": "000000"]
            #expect(
                try await server.send(.post, path + "/verify", bearer: next.accessToken, json: answer).status == 422)
            #expect(try await server.verify("email", code: "000000").status == 403)
            let found = try await diagnosis(session.userID, server)
            #expect(codes(found) == ["second_factor_required"] && found["can_sign_in"] == true)
            let kinds = (found["refusals"]?.arrayValue ?? []).compactMap { $0["code"]?.stringValue }
            #expect(Set(kinds) == ["mfa_verification_failed", "otp_expired"], "\(found)")
        }
    }

    @Test("Only an administrator may, and strangers get the same responses with and without an account")
    func others() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let session = try await server.signUp()
            for (method, path) in [(HTTPRequest.Method.get, "diagnosis"), (.post, "unlock"), (.post, "resend")] {
                let whole = "/auth/v1/admin/users/\(session.userID)/\(path)"
                #expect(try await server.send(method, whole).status == 401)
                #expect(try await server.send(method, whole, bearer: session.accessToken).status == 403)
            }
            let nobody = "/users/6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
            #expect(try await server.admin(.get, nobody + "/diagnosis").code == "user_not_found")
            #expect(try await server.admin(.post, nobody + "/unlock").code == "user_not_found")
            for number in 0..<11 {
                let known = try await server.signIn(password: "wrong", peer: "203.0.113.1")
                let unknown = try await server.signIn("nobody@example.com", password: "wrong", peer: "203.0.113.2")
                #expect(known.status == (number < 10 ? 400 : 429))
                #expect(known.status == unknown.status && known.text == unknown.text)
                #expect(known.headers[.retryAfter] == unknown.headers[.retryAfter])
            }
        }
    }
}
