import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Sign-ups that compete for an address")
struct CompetingSignUpTests {
    private func signUp(
        _ server: TestServer, _ password: String, _ more: JSONObject = [:], headers: HTTPFields = [:]
    ) async throws -> TestAnswer {
        var json: JSONObject = ["email": "ada@example.com", "password": .string(password)]
        json.merge(more) { $1 }
        let answer = try await server.post("/signup", .object(json), headers: headers)
        #expect(answer.status == 200)
        server.passInterval()
        return answer
    }

    private func noneSignsIn(_ server: TestServer, _ passwords: String...) async throws {
        for password in passwords { #expect(try await server.signIn(password: password).status == 400) }
    }

    @Test("D10: A typed code of two sign-ups confirms neither password", arguments: TestDatabase.all)
    func typed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the first password", ["data": ["name": "Eve"]])
            _ = try await signUp(server, "the second password", ["data": ["name": "Mallory"]])
            let session = try await server.verify("signup", code: try await server.deliveredMail().code)
            #expect(session.status == 200 && session["user"]?["user_metadata"]?["name"] == nil)
            try await noneSignsIn(server, "the first password", "the second password")
            let bearer = try #require(TestSession(session)).accessToken
            let json: AnyJSON = ["password": "the third password 3"]
            #expect(try await server.send(.put, "/auth/v1/user", bearer: bearer, json: json).status == 200)
            #expect(try await server.signIn(password: "the third password 3").status == 200)
        }
    }

    @Test("D10: The client with the verifier of the last sign-up keeps its password", arguments: TestDatabase.all)
    func verifier(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the first password")
            let key: JSONObject = [
                "code_challenge": .string(MailedLinkTests.challenge), "code_challenge_method": "s256",
            ]
            _ = try await signUp(server, "the second password", key)
            let path = try await server.deliveredMail().path
            let pressed = try await server.send(
                .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                raw: MailedLinkTests.form(path))
            let code = try #require(pressed.headers[.location]?.split(separator: "code=").last.map(String.init))
            let json: AnyJSON = ["auth_code": .string(code), "code_verifier": .string(MailedLinkTests.verifier)]
            #expect(try await server.post("/token?grant_type=pkce", json).status == 200)
            #expect(try await server.signIn(password: "the second password").status == 200)
            try await noneSignsIn(server, "the first password")
        }
    }

    @Test("D10: The browser of the last sign-up keeps its password")
    func browser() async throws {
        try await TestServer.mailing { server in
            _ = try await signUp(server, "the first password")
            let answer = try await signUp(
                server, "the second password", headers: [.origin: "https://app.example.org"])
            let cookie = try #require(answer.headers[.setCookie]?.split(separator: ";").first.map(String.init))
            let code = try await server.deliveredMail().code
            let json: AnyJSON = ["type": "signup", "email": "ada@example.com", "token": .string(code)]
            #expect(try await server.post("/verify", json, headers: [.cookie: cookie]).status == 200)
            #expect(try await server.signIn(password: "the second password").status == 200)
        }
    }

    @Test("Wrong codes and a repeated mail do not bring back a stranger's password", arguments: TestDatabase.all)
    func repeated(_ kind: TestDatabase) async throws {
        for waits in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                _ = try await signUp(server, "the stranger's password")
                _ = try await signUp(server, "the owner's password")
                let code = try await server.deliveredMail().code
                for _ in 0..<5 { _ = try await server.verify("signup", code: TestServer.wrong(code)) }
                #expect(try await server.verify("signup", code: code).code == "otp_expired")
                if waits { server.clock.advance(by: .seconds(7_200)) }
                server.passInterval()
                let again: AnyJSON = ["type": "signup", "email": "ada@example.com"]
                #expect(try await server.post("/resend", again).status == 200)
                let fresh = try await server.deliveredMail().code
                #expect(try await server.verify("signup", code: fresh).status == 200)
                try await noneSignsIn(server, "the stranger's password", "the owner's password")
            }
        }
    }

    @Test("A sign-up that the interval refuses ends an earlier password, too", arguments: TestDatabase.all)
    func refused(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            func signUp(_ password: String) async throws -> TestAnswer {
                try await server.post("/signup", ["email": "ada@example.com", "password": .string(password)])
            }
            #expect(try await signUp("the stranger's password").status == 200)
            #expect(try await signUp("the owner's password").code == "over_email_send_rate_limit")
            let code = try await server.deliveredMail().code
            #expect(try await server.verify("signup", code: code).status == 200)
            try await noneSignsIn(server, "the stranger's password", "the owner's password")
            // Now the address has a proven account, and a refused sign-up takes nothing from it.
            let bearer = try #require(TestSession(try await recovered(server))).accessToken
            let json: AnyJSON = ["password": "the third password 3"]
            #expect(try await server.send(.put, "/auth/v1/user", bearer: bearer, json: json).status == 200)
            server.passInterval()
            #expect(try await signUp("another password 4").status == 200)
            #expect(try await signUp("another password 4").status == 429)
            #expect(try await server.signIn(password: "the third password 3").status == 200)
        }
    }

    private func recovered(_ server: TestServer) async throws -> TestAnswer {
        #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
        return try await server.verify("recovery", code: try await server.deliveredMail().code)
    }

    @Test("A refused sign-up is the same work for every address")
    func refusedAlike() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            var statements: [Int] = []
            for email in ["ada@example.com", "bob@example.com"] {
                let json: AnyJSON = ["email": .string(email), "password": .string(TestServer.password)]
                #expect(try await server.post("/signup", json).status == 200)
                for _ in 0..<2 {
                    var refused: TestAnswer?
                    statements.append(
                        try await server.statements { refused = try await server.post("/signup", json) })
                    #expect(refused?.status == 429)
                }
            }
            #expect(Set(statements).count == 1)
        }
    }

    @Test("Repeated mails keep nobody from signing up", arguments: TestDatabase.all)
    func repeatedMail(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the stranger's password")
            let again: AnyJSON = ["type": "signup", "email": "ada@example.com"]
            #expect(try await server.post("/resend", again).status == 200)
            #expect(try await server.post("/resend", again).code == "over_email_send_rate_limit")
            _ = try await signUp(server, "the owner's password")
            let code = try await server.deliveredMails().last?.content.code
            #expect(try await server.verify("signup", code: try #require(code).reveal()).status == 200)
            try await noneSignsIn(server, "the stranger's password", "the owner's password")
        }
    }

    @Test("Wrong codes end neither an invitation's link nor its protection", arguments: TestDatabase.all)
    func guessedInvitation(_ kind: TestDatabase) async throws {
        for onPage in [false, true] {
            try await TestServer.mailing(on: kind) { server in
                let order: AnyJSON = ["email": "ada@example.com", "data": ["team": "blue"]]
                _ = try await server.send(.post, "/auth/v1/invite", bearer: TestServer.secretKey, json: order)
                let (code, path, mail) = try await server.deliveredMail()
                for _ in 0..<5 { _ = try await server.verify("invite", code: TestServer.wrong(code)) }
                #expect(try await server.verify("invite", code: code).code == "otp_expired")
                server.passInterval()
                _ = try await signUp(server, "the stranger's password", ["data": ["team": "red"]])
                #expect(try await server.deliveredMails().isEmpty)
                if onPage {
                    let pressed = try await server.send(
                        .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                        raw: MailedLinkTests.form(path, code: code))
                    #expect(pressed.headers[.location]?.contains("message=") == true)
                } else {
                    let hash = try #require(mail.content.linkToken).reveal()
                    let session = try await server.post("/verify", ["type": "invite", "token_hash": .string(hash)])
                    #expect(session["user"]?["user_metadata"]?["team"] == "blue")
                }
                try await noneSignsIn(server, "the stranger's password")
            }
        }
    }

    @Test("An invitation forgets what a stranger entered before", arguments: TestDatabase.all)
    func invited(_ kind: TestDatabase) async throws {
        for path in ["/invite", "/admin/generate_link"] {
            try await TestServer.mailing(on: kind) { server in
                _ = try await signUp(server, "the stranger's password", ["data": ["name": "Eve"]])
                _ = try await server.deliveredMail()
                let answer = try await server.send(
                    .post, "/auth/v1" + path, bearer: TestServer.secretKey,
                    json: ["type": "invite", "email": "ada@example.com", "data": ["team": "blue"]])
                #expect(answer.status == 200 && answer["user_metadata"]?["name"] == nil)
                let code: String
                if path == "/invite" {
                    code = try await server.deliveredMail().code
                } else {
                    code = try #require(answer["email_otp"]?.stringValue)
                }
                let session = try await server.verify("invite", code: code)
                #expect(session["user"]?["user_metadata"]?["team"] == "blue")
                #expect(session["user"]?["user_metadata"]?["name"] == nil)
                try await noneSignsIn(server, "the stranger's password")
            }
        }
    }

    @Test("No request of a stranger replaces a waiting invitation", arguments: TestDatabase.all)
    func waiting(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let order: AnyJSON = ["email": "ada@example.com", "data": ["team": "blue"]]
            _ = try await server.send(.post, "/auth/v1/invite", bearer: TestServer.secretKey, json: order)
            let code = try await server.deliveredMail().code
            server.passInterval()
            _ = try await signUp(server, "the stranger's password", ["data": ["team": "red"]])
            _ = try await server.post("/resend", ["type": "signup", "email": "ada@example.com"])
            #expect(try await server.deliveredMails().isEmpty)
            _ = try await server.post("/otp", ["email": "ada@example.com", "data": ["team": "red"]])
            #expect(try await server.deliveredMail().mail.content.kind == .magicLink)
            let session = try await server.verify("invite", code: code)
            #expect(session["user"]?["user_metadata"]?["team"] == "blue")
            try await noneSignsIn(server, "the stranger's password")
        }
    }

    @Test("A stranger's request for a code takes away nothing but the password", arguments: TestDatabase.all)
    func oneTimeCode(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the owner's password", ["data": ["name": "Ada"]])
            _ = try await server.deliveredMail()
            _ = try await server.post("/otp", ["email": "ada@example.com", "data": ["name": "Eve"]])
            let session = try await server.verify("email", code: try await server.deliveredMail().code)
            #expect(session.status == 200 && session["user"]?["user_metadata"]?["name"] == nil)
            try await noneSignsIn(server, "the owner's password")
        }
    }
}
