import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// Fraudsters earn from messages to numbers of their own: the table of attacks in the threat model.
@Suite("Attacks with text messages")
struct TextPumpingTests {
    private func ask(_ number: String, _ server: TestServer, peer: String) async throws -> TestAnswer {
        try await server.send(
            .post, "/auth/v1/otp", headers: [:], json: ["phone": .string(number)], peer: peer)
    }

    private static func rates(_ change: (inout AuthRates) -> Void) -> AuthRates {
        var rates = AuthRates()
        (rates.texts, rates.textsToRange, rates.textsToCountry, rates.textsDaily) = (90, 50, 50, 50)
        change(&rates)
        return rates
    }

    @Test("A number of another country gets nothing, whoever asks", arguments: ["/otp", "/signup", "/resend"])
    func country(_ path: String) async throws {
        try await TestServer.phoning { server in
            let answer = try await server.post(
                path, ["phone": "88213123456", "password": .string(TestServer.password), "type": "sms"])
            #expect(answer.status == 422 && answer.code == "sms_send_failed", "\(answer)")
            let session = try await server.phoned()
            #expect(try await server.change(session, ["phone": "88213123456"]).code == "sms_send_failed")
            let factor = try await server.send(
                .post, "/auth/v1/factors", bearer: session.accessToken,
                json: ["factor_type": "phone", "phone": "88213123456"])
            #expect(factor.code == "sms_send_failed")
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A range of numbers gets its share, from however many addresses", arguments: TestDatabase.all)
    func range(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind, limits: Self.rates { $0.textsToRange = 3 }) { server in
            _ = try await server.admin(.post, "/users", json: ["phone": "15557770099", "phone_confirm": true])
            for index in 0..<6 {
                #expect(try await ask("1555777000\(index)", server, peer: "192.0.2.\(index + 1)").status == 200)
            }
            // Without an account, and without a message.
            for index in 10..<20 {
                let json: AuthJSON = ["phone": .string("155577700\(index)"), "create_user": false]
                #expect(try await server.post("/otp", json).status == 200)
            }
            for index in 20..<23 {
                #expect(try await server.signUpByPhone(TestServer.password, "155577700\(index)").status == 200)
            }
            #expect(try await server.deliveredMails().count == 3)
            // The shares of others and of confirmed numbers are their own.
            for number in ["15558880001", "15557770099"] {
                #expect(try await ask(number, server, peer: "192.0.2.99").status == 200)
                #expect(try await server.textedCode(to: number).utf8.count == 6)
            }
        }
    }

    @Test("A country gets its share, and the others go on")
    func countryShare() async throws {
        try await TestServer.phoning(limits: Self.rates { $0.textsToCountry = 2 }) { server in
            for (index, number) in ["15550000000", "15551000000", "15552000000", "491701234567"].enumerated() {
                #expect(try await ask(number, server, peer: "192.0.2.\(index + 1)").status == 200)
            }
            let texted = try await server.deliveredMails().map(\.content.recipient.text)
            #expect(Set(texted.map(\.count)) == [11, 12] && texted.count == 3)
        }
    }

    @Test("One client gets a third of the budget")
    func client() async throws {
        try await TestServer.phoning(limits: Self.rates { $0.texts = 9 }) { server in
            for index in 0..<3 {
                #expect(try await ask("1555\(index)0000000", server, peer: "192.0.2.1").status == 200)
            }
            let refused = try await ask("155590000000", server, peer: "192.0.2.1")
            #expect(refused.code == "over_request_rate_limit" || refused.code == "over_sms_send_rate_limit")
            #expect(try await ask("155590000000", server, peer: "192.0.2.2").status == 200)
        }
    }

    @Test("Sign-ups cannot use up the budgets of confirmed numbers", arguments: ["hour", "day"])
    func budgets(_ kind: String) async throws {
        let rates = Self.rates { rates in
            if kind == "hour" { rates.texts = 3 } else { rates.textsDaily = 3 }
        }
        try await TestServer.phoning(limits: rates) { server in
            _ = try await server.admin(
                .post, "/users", json: ["phone": .string(TestServer.number), "phone_confirm": true])
            for index in 0..<6 { _ = try await ask("1555\(index)0000000", server, peer: "192.0.2.\(index + 1)") }
            #expect(try await server.deliveredMails().count == 3)
            #expect(try await ask(TestServer.number, server, peer: "192.0.2.50").status == 200)
            #expect(try await server.textedCode().utf8.count == 6)
        }
    }

    @Test("A number gets one message per minute, whoever asks and for whatever")
    func interval() async throws {
        try await TestServer.phoning { server in
            #expect(try await ask(TestServer.number, server, peer: "192.0.2.1").status == 200)
            let again = try await ask(TestServer.number, server, peer: "192.0.2.2")
            #expect(again.status == 429 && again.headers[.retryAfter] == "60", "\(again)")
            #expect(try await server.signUpByPhone().status == 200)
            #expect(try await server.deliveredMails().count == 1)
        }
    }

    @Test("A number gets five messages in ten minutes, of whatever kind and for whomever")
    func flood() async throws {
        try await TestServer.phoning(limits: Self.rates { _ in }) { server in
            for index in 0..<8 {
                let guest = try #require(TestSession(try await server.post("/signup", [:])))
                let asked = try await server.send(
                    .put, "/auth/v1/user", bearer: guest.accessToken, json: ["phone": .string(TestServer.number)],
                    peer: "192.0.2.\(index + 1)")
                #expect(asked.status == 200, "\(asked)")
            }
            #expect(try await server.deliveredMails().count == 5)
        }
    }

    @Test("Repeating a confirmed number's sign-up sends nothing, and delays no sign-in")
    func repeats() async throws {
        try await TestServer.phoning(limits: Self.rates { _ in }) { server in
            _ = try await server.phoned()
            server.passInterval()
            let resent = try await server.post("/resend", ["type": "sms", "phone": .string(TestServer.number)])
            #expect(resent.status == 200)
            #expect(try await server.askForCode().status == 200)
            #expect(try await server.deliveredMails().count == 1)
        }
    }

    @Test("Responses to known and unknown numbers are alike", arguments: TestDatabase.all)
    func enumeration(_ kind: TestDatabase) async throws {
        try await TestServer.phoning(on: kind) { server in
            _ = try await server.phoned()
            server.passInterval()
            let bodies: [AuthJSON] = [
                ["phone": "15551230001", "create_user": false], ["phone": "15551230009", "create_user": false],
            ]
            let answers = [try await server.post("/otp", bodies[0]), try await server.post("/otp", bodies[1])]
            #expect(answers[0].status == answers[1].status && answers[0].bytes == answers[1].bytes)
            let statements = [
                try await server.statements { _ = try await server.verifyText("000000", "15551230002") },
                try await server.statements { _ = try await server.verifyText("000000", "15551230003") },
            ]
            #expect(statements[0] == statements[1])
        }
    }
}
