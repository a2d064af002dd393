import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Sign-ups that compete for an address")
struct CompetingSignUpTests {
    private func signUp(
        _ server: TestServer, _ password: String, _ more: AuthJSONObject = [:], headers: HTTPFields = [:]
    ) async throws -> TestAnswer {
        var json: AuthJSONObject = ["email": "ada@example.com", "password": .string(password)]
        json.merge(more) { $1 }
        let answer = try await server.post("/signup", .object(json), headers: headers)
        #expect(answer.status == 200)
        server.passInterval()
        return answer
    }

    private func noneSignsIn(_ server: TestServer, _ passwords: String...) async throws {
        for password in passwords { #expect(try await server.signIn(password: password).status != 200) }
    }

    @Test("D10: A typed code of two sign-ups sets both passwords aside", arguments: TestDatabase.all)
    func typed(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the first password", ["data": ["name": "Eve"]])
            _ = try await signUp(server, "the second password", ["data": ["name": "Mallory"]])
            let session = try await server.verify("signup", code: try await server.deliveredMail().code)
            #expect(session.status == 200 && session["user"]?["user_metadata"]?["name"] == nil)
            for password in ["the first password", "the second password"] {
                #expect(try await server.signIn(password: password).code == "credential_set_aside")
            }
            #expect(try await server.signIn(password: "the third password 3").code == "invalid_credentials")
            let bearer = try #require(TestSession(session)).accessToken
            let json: AuthJSON = ["password": "the third password 3"]
            #expect(try await server.send(.put, "/auth/v1/user", bearer: bearer, json: json).status == 200)
            #expect(try await server.signIn(password: "the third password 3").status == 200)
        }
    }

    @Test("D10: The client with the verifier of the last sign-up keeps its password", arguments: TestDatabase.all)
    func verifier(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the first password")
            let key: AuthJSONObject = [
                "code_challenge": .string(MailedLinkTests.challenge), "code_challenge_method": "s256",
            ]
            _ = try await signUp(server, "the second password", key)
            let path = try await server.deliveredMail().path
            let pressed = try await server.send(
                .post, "/auth/v1/verify/page", headers: [.contentType: "application/x-www-form-urlencoded"],
                raw: MailedLinkTests.form(path))
            let code = try #require(pressed.headers[.location]?.split(separator: "code=").last.map(String.init))
            let json: AuthJSON = ["auth_code": .string(code), "code_verifier": .string(MailedLinkTests.verifier)]
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
            let json: AuthJSON = ["type": "signup", "email": "ada@example.com", "token": .string(code)]
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
                let again: AuthJSON = ["type": "signup", "email": "ada@example.com"]
                #expect(try await server.post("/resend", again).status == 200)
                let fresh = try await server.deliveredMail().code
                #expect(try await server.verify("signup", code: fresh).status == 200)
                try await noneSignsIn(server, "the stranger's password", "the owner's password")
            }
        }
    }

    @Test("The client that types its own password with the code makes it the account's", arguments: TestDatabase.all)
    func chosen(_ kind: TestDatabase) async throws {
        for chosen in ["the stranger's password", "the owner's password"] {
            try await TestServer.mailing(on: kind) { server in
                func signUp(_ password: String, _ name: String) async throws -> Int {
                    let json: AuthJSON = [
                        "email": "ada@example.com", "password": .string(password), "data": ["name": .string(name)],
                    ]
                    return try await server.post("/signup", json).status
                }
                // Within the interval: no second email, and the same response.
                #expect(try await signUp("the stranger's password", "Eve") == 200)
                #expect(try await signUp("the owner's password", "Ada") == 200)
                let json: AuthJSON = [
                    "type": "signup", "email": "ada@example.com",
                    "token": .string(try await server.deliveredMail().code),
                    "password": .string(chosen),
                ]
                let session = try await server.post("/verify", json)
                let name: AuthJSON = chosen.hasSuffix("owner's password") ? "Ada" : "Eve"
                #expect(session["user"]?["user_metadata"]?["name"] == name, "\(session)")
                #expect(try await server.signIn(password: chosen).status == 200)
                let others = ["the stranger's password", "the owner's password"].filter { $0 != chosen }
                for other in others { #expect(try await server.signIn(password: other).status != 200) }
            }
        }
    }

    @Test("Within the interval, every address gets the same answer, and at most one email", arguments: TestDatabase.all)
    func alike(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            for email in ["ada@example.com", "bob@example.com"] {
                let json: AuthJSON = ["email": .string(email), "password": "another password 4"]
                var members: Set<Set<String>> = []
                for _ in 0..<3 {
                    let answer = try await server.post("/signup", json)
                    #expect(answer.status == 200)
                    members.insert(Set(answer.json.objectValue?.keys.map(\.self) ?? []))
                }
                #expect(members.count == 1)
                #expect(try await server.deliveredMails().count == 1)
                server.passInterval()
            }
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("Repeated mails keep nobody from signing up", arguments: TestDatabase.all)
    func repeatedMail(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            _ = try await signUp(server, "the stranger's password")
            let again: AuthJSON = ["type": "signup", "email": "ada@example.com"]
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
                let order: AuthJSON = ["email": "ada@example.com", "data": ["team": "blue"]]
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
            let order: AuthJSON = ["email": "ada@example.com", "data": ["team": "blue"]]
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
