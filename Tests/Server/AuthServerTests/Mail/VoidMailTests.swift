import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Mails whose codes are void")
struct VoidMailTests {
    @Test("A mail that waits is not sent after the account is gone", arguments: TestDatabase.all)
    func deleted(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            let session = try #require(TestSession(try await server.signIn()))
            let asked = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
            server.mailbox.script(.failed(reason: "451"), .failed(reason: "451"))
            #expect(try await server.deliveredMails().count == 2)
            let id = try #require(asked["id"]?.stringValue)
            #expect(try await server.admin(.delete, "/users/\(id)", json: [:]).status == 200)
            let left = try await server.accounts.mailQueue.mails(limit: 9)
            #expect(left.count == 2 && left.allSatisfy { $0.state == "failed" })
            server.clock.advance(by: .seconds(1_800))
            #expect(try await server.deliveredMails().isEmpty)
        }
    }

    @Test("A mail that waits is not sent after a new password", arguments: TestDatabase.all)
    func changed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
            server.mailbox.script(.failed(reason: "451"))
            #expect(try await server.deliveredMails().count == 1)
            let session = try #require(TestSession(try await server.signIn()))
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": "a new password 9"])
            #expect(changed.status == 200)
            server.clock.advance(by: .seconds(1_800))
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await server.accounts.mailQueue.mails(limit: 9).first?.reason == "its code is void")
        }
    }

    @Test("A mail that waits ends when a newer one for the same purpose is asked for", arguments: TestDatabase.all)
    func newer(_ kind: TestDatabase) async throws {
        let sequences = [
            ["/recover", "/recover"], ["/recover", "/magiclink"], ["/magiclink", "/recover"], ["/signup", "/otp"],
        ]
        for sequence in sequences {
            try await TestServer.mailing(on: kind) { server in
                let json: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
                if sequence[0] != "/signup" { try await server.confirmed() }
                #expect(try await server.post(sequence[0], json).status == 200)
                server.mailbox.script(.failed(reason: "451"))
                #expect(try await server.deliveredMails().count == 1)
                server.passInterval()
                #expect(try await server.post(sequence[1], json).status == 200)
                server.clock.advance(by: .seconds(600))
                let code = try await server.deliveredMail().code
                let type = sequence[1] == "/recover" ? "recovery" : "email"
                #expect(try await server.verify(type, code: code).status == 200, "\(sequence)")
            }
        }
    }

    @Test("A refused address is marked until it accepts a mail, or another replaces it", arguments: TestDatabase.all)
    func undeliverable(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            func mail(_ result: MailResult) async throws -> AuthJSON? {
                server.passInterval()
                #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
                server.mailbox.script(result)
                #expect(try await server.deliveredMails().count == 1)
                return try await server.signIn()["user"]?["email_undeliverable_at"]
            }
            #expect(try await mail(.refused(reason: "554")) == nil)
            #expect(try await mail(.undeliverable(reason: "550")) != nil)
            #expect(try await mail(.failed(reason: "451")) != nil)
            server.clock.advance(by: .seconds(600))
            #expect(try await server.deliveredMails().count == 1)
            #expect(try await server.signIn()["user"]?["email_undeliverable_at"] == nil)
            #expect(try await mail(.undeliverable(reason: "550")) != nil)
            let id = try #require(try await server.signIn()["user"]?["id"]?.stringValue)
            let kept = try await server.admin(.put, "/users/\(id)", json: ["user_metadata": ["a": 1]])
            #expect(kept["email_undeliverable_at"] != nil)
            let changed = try await server.admin(.put, "/users/\(id)", json: ["email": "new@example.com"])
            #expect(changed["email_undeliverable_at"] == nil)
            #expect(try await server.admin(.get, "/users/\(id)")["email_undeliverable_at"] == nil)
        }
    }

    @Test("Changes of others to an address do not hide its owner's code", arguments: TestDatabase.all)
    func flushed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            for number in 0..<8 {
                let email = "stranger\(number)@example.com"
                try await server.confirmed(email)
                let session = try #require(TestSession(try await server.signIn(email)))
                let asked = try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "ada@example.com"])
                #expect(asked.status == 200)
            }
            _ = try await server.deliveredMails()
            try await server.confirmed()
            #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
            let code = try await server.deliveredMail().code
            server.passInterval()
            for number in 0..<8 {
                let json: AuthJSON = ["type": "email_change", "email": .string("stranger\(number)@example.com")]
                #expect(try await server.post("/resend", json).status == 200)
            }
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await server.verify("recovery", code: code).status == 200)
        }
    }
}
