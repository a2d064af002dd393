import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("The hourly budgets of mails")
struct MailBudgetTests {
    @Test("A code expires; the hourly budget counts mails to anybody, but neither unknown addresses nor invitations")
    func limits() async throws {
        var rates = AuthRates()
        rates.mails = 2
        try await TestServer.mailing(limits: rates) { server in
            var peers = 0
            func ask(_ email: String) async throws {
                peers += 1
                let answer = try await server.send(
                    .post, "/auth/v1/recover", json: ["email": .string(email)], peer: "192.0.2.\(peers)")
                #expect(answer.status == 200)
            }
            for name in ["ada", "bob", "cleo"] { try await server.confirmed("\(name)@example.com") }
            try await ask("ada@example.com")
            let code = try await server.deliveredMail().code
            for number in 0..<5 { try await ask("nobody\(number)@example.com") }
            try await ask("bob@example.com")
            #expect(try await server.deliveredMail().mail.content.recipient.text == "bob@example.com")
            try await ask("cleo@example.com")
            #expect(try await server.deliveredMails().isEmpty)
            _ = try await server.send(
                .post, "/auth/v1/invite", bearer: TestServer.secretKey, json: ["email": "dan@example.com"])
            #expect(try await server.deliveredMail().mail.content.kind == .invite)
            server.clock.advance(by: .seconds(1_801))
            #expect(try await server.deliveredMail().mail.content.recipient.text == "cleo@example.com")
            server.clock.advance(by: .seconds(1_800))
            #expect(try await server.verify("recovery", code: code).code == "otp_expired")
        }
    }

    @Test("Sign-ups of made-up addresses do not use up the budget of confirmed ones", arguments: TestDatabase.all)
    func budgets(_ kind: TestDatabase) async throws {
        var rates = AuthRates()
        rates.mails = 3
        try await TestServer.mailing(on: kind, limits: rates) { server in
            for email in ["ada@example.com", "bob@example.com"] { try await server.confirmed(email) }
            func signUp(_ number: Int) async throws -> TestAnswer {
                try await server.send(
                    .post, "/auth/v1/signup",
                    json: ["email": .string("nobody\(number)@example.com"), "password": .string(TestServer.password)],
                    peer: "192.0.2.\(number)")
            }
            for number in 0..<6 {
                #expect(try await signUp(number).status == 200)
                // One client may cause only a part of the emails.
                #expect(try await signUp(number).code == "over_request_rate_limit")
            }
            #expect(try await server.deliveredMails().count == 3)
            let waiting = try await server.accounts.mailQueue.mails(limit: 9).filter { $0.state == "queued" }.map(
                \.nextAt)
            #expect(Set(waiting).count == 3)
            // An unconfirmed address is limited with the sign-ups, whatever the email is for.
            func recover(_ email: String, _ peer: Int) async throws {
                let answer = try await server.send(
                    .post, "/auth/v1/recover", json: ["email": .string(email)], peer: "192.0.2.\(peer)")
                #expect(answer.status == 200)
            }
            try await recover("nobody0@example.com", 10)
            #expect(try await server.deliveredMails().isEmpty)
            try await recover("ada@example.com", 11)
            #expect(try await server.deliveredMail().mail.content.recipient.text == "ada@example.com")
            for _ in 0..<4 {
                server.clock.advance(by: .seconds(1_201))
                #expect(try await server.deliveredMails().count <= 1)
            }
        }
    }

    @Test(
        "Mails that would wait for longer than their codes last are refused, whatever the address",
        arguments: TestDatabase.all)
    func fullBudget(_ kind: TestDatabase) async throws {
        var rates = AuthRates()
        rates.mails = 2
        try await TestServer.mailing(on: kind, limits: rates) { server in
            try await server.confirmed("ada@example.com")
            var peers = 0
            func send(_ path: String, _ email: String, _ more: AuthJSONObject = [:]) async throws -> TestAnswer {
                peers += 1
                var body = more
                body["email"] = .string(email)
                return try await server.send(
                    .post, "/auth/v1/\(path)", json: .object(body), peer: "192.0.2.\(peers)")
            }
            func signUp(_ email: String) async throws -> TestAnswer {
                try await send("signup", email, ["password": .string(TestServer.password)])
            }
            for number in 0..<4 {
                #expect(try await signUp("nobody\(number)@example.com").status == 200)
                _ = try await server.deliveredMails()
                try await server.auth.mailDelivery.countMails()
            }
            for email in ["nobody4@example.com", "ada@example.com"] {
                let refused = try await signUp(email)
                #expect(refused.status == 429)
                #expect(refused.code == "over_email_send_rate_limit")
                #expect(refused.headers[.retryAfter] == "1800")
            }
            #expect(try await send("resend", "nobody3@example.com", ["type": "signup"]).status == 429)
            for (email, status) in [("nobody0@example.com", 429), ("ada@example.com", 204)] {
                #expect(try await mailRecovery(to: email, server).status == status)
            }
            #expect(try await send("recover", "ada@example.com").status == 200)
            #expect(try await send("recover", "nobody9@example.com").status == 200)
            server.clock.advance(by: .seconds(1_801))
            _ = try await server.deliveredMails()
            try await server.auth.mailDelivery.countMails()
            #expect(try await signUp("nobody5@example.com").status == 200)
        }
    }

    /// An administrator's mail for a new password.
    private func mailRecovery(to email: String, _ server: TestServer) async throws -> TestAnswer {
        let address = try #require(EmailAddress(email))
        let account = try #require(try await server.accounts.signIns.account(email: address))
        return try await server.admin(.post, "/users/\(account.user.id.text)/recover")
    }

    @Test("Mails that wait since the clock was a year ahead delay no others", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        var rates = AuthRates()
        rates.mails = 2
        try await TestServer.mailing(on: kind, limits: rates) { server in
            var peers = 0
            func ask(_ email: String) async throws -> TestAnswer {
                peers += 1
                return try await server.send(
                    .post, "/auth/v1/recover", json: ["email": .string(email)], peer: "192.0.2.\(peers)")
            }
            for name in ["ada", "bob", "cleo", "dan"] { try await server.confirmed("\(name)@example.com") }
            let year = Duration.seconds(365 * 86_400)
            server.clock.advance(by: year)
            for name in ["ada", "bob", "cleo"] {
                #expect(try await ask("\(name)@example.com").status == 200)
                _ = try await server.deliveredMails()
            }
            server.clock.advance(by: .zero - year)
            try await server.auth.mailDelivery.countMails()
            #expect(try await ask("dan@example.com").status == 200)
            #expect(try await server.deliveredMails().isEmpty)
            server.clock.advance(by: .seconds(1_801))
            #expect(try await server.deliveredMail().mail.content.recipient.text == "dan@example.com")
            while try await server.auth.purgeExpired() > 0 {}
            server.clock.advance(by: .seconds(1_801))
            #expect(try await server.deliveredMail().mail.content.recipient.text == "cleo@example.com")
        }
    }

    @Test("A budget of zero refuses every mail")
    func emptyBudget() async throws {
        var rates = AuthRates()
        rates.mails = 0
        try await TestServer.mailing(limits: rates) { server in
            try await server.confirmed("ada@example.com")
            for (peer, email) in [("192.0.2.1", "ada@example.com"), ("192.0.2.2", "nobody@example.com")] {
                let answer = try await server.send(
                    .post, "/auth/v1/recover", json: ["email": .string(email)], peer: peer)
                #expect(answer.code == "over_email_send_rate_limit")
            }
        }
    }
}
