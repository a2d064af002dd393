import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Requests for mails")
struct MailRequestTests {
    @Test("D11: A sign-up is confirmed by the code of its mail", arguments: TestDatabase.all)
    func signUp(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let answer = try await server.post(
                "/signup", ["email": "ada@example.com", "password": .string(TestServer.password)])
            #expect(answer.status == 200 && answer["confirmation_sent_at"] != nil)
            #expect(try await server.signIn().code == "email_not_confirmed")
            let code = try await server.deliveredMail().code
            let session = try #require(TestSession(try await server.verify("signup", code: code)))
            let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
            #expect(user["email_confirmed_at"] != nil)
            #expect(user["user_metadata"]?["email_verified"] == true)
            #expect(try await server.signIn().status == 200)
            #expect(try await server.verify("signup", code: code).code == "otp_expired")
        }
    }

    @Test("D10: A sign-up with a taken address answers like a new one, and tells the owner by mail")
    func taken() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            let json: AuthJSON = ["email": "ada@example.com", "password": "another password"]
            let answer = try await server.post("/signup", json)
            #expect(answer.status == 200 && answer["confirmation_sent_at"] != nil)
            let mail = try await server.deliveredMail().mail
            #expect(mail.content.kind == .accountExists && mail.content.code == nil && mail.link == nil)
        }
    }

    struct Question: CustomTestStringConvertible, Sendable {
        let path: String
        let json: AuthJSONObject
        var testDescription: String { path }
    }

    static let questions = [
        Question(path: "/recover", json: [:]), Question(path: "/otp", json: ["create_user": false]),
        Question(path: "/magiclink", json: [:]), Question(path: "/resend", json: ["type": "signup"]),
        Question(path: "/resend", json: ["type": "email_change"]),
    ]

    @Test("D11: Known and unknown addresses get the same answers for the same work", arguments: questions)
    func alike(_ question: Question) async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            var statements: [Int] = []
            var answers: [TestAnswer] = []
            for email in ["ada@example.com", "nobody@example.com"] {
                for _ in 0..<2 {
                    var json = question.json
                    json["email"] = .string(email)
                    let body = AuthJSON.object(json)
                    statements.append(
                        try await server.statements { answers.append(try await server.post(question.path, body)) })
                }
            }
            #expect(answers.map(\.status) == [200, 429, 200, 429])
            #expect(answers[1].code == "over_email_send_rate_limit" && answers[1].headers[.retryAfter] == "60")
            #expect(answers[1].json == answers[3].json)
            #expect(statements[0] == statements[2] && statements[1] == statements[3])
        }
    }

    @Test("A new address signs up by a code, unless sign-ups are off")
    func oneTimeCode() async throws {
        for isOpen in [true, false] {
            try await TestServer.mailing(change: { $0.allowsSignUp = isOpen }) { server in
                let json: AuthJSON = ["email": "ada@example.com", "data": ["a": 1]]
                #expect(try await server.post("/otp", json).status == 200)
                guard isOpen else { return #expect(try await server.deliveredMails().isEmpty) }
                let (code, _, mail) = try await server.deliveredMail()
                #expect(mail.content.kind == .signUp)
                let session = try await server.verify("email", code: code)
                #expect(session["user"]?["user_metadata"]?["a"] == 1)
                server.passInterval()
                #expect(try await server.post("/otp", json).status == 200)
                #expect(try await server.deliveredMail().mail.content.kind == .magicLink)
            }
        }
    }

    @Test("A recovery sets a new password without the present one, and voids other codes")
    func recovery() async throws {
        try await TestServer.mailing(change: { $0.requiresCurrentPassword = true }) { server in
            try await server.confirmed()
            #expect(try await server.post("/recover", ["email": "ADA@example.com"]).status == 200)
            let code = try await server.deliveredMail().code
            let session = try #require(TestSession(try await server.verify("recovery", code: code)))
            server.passInterval()
            #expect(try await server.post("/recover", ["email": "ada@example.com"]).status == 200)
            let later = try await server.deliveredMail().code
            let changed = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": "a new password 9"])
            #expect(changed.status == 200)
            #expect(try await server.verify("recovery", code: later).code == "otp_expired")
            #expect(try await server.signIn(password: "a new password 9").status == 200)
        }
    }

    @Test("A mailed code stands for the present password for ten minutes")
    func aged() async throws {
        try await TestServer.mailing(change: { $0.requiresCurrentPassword = true }) { server in
            try await server.confirmed()
            func changed(_ password: String, after pause: Duration) async throws -> TestAnswer {
                server.passInterval()
                #expect(try await server.post("/magiclink", ["email": "ada@example.com"]).status == 200)
                let code = try await server.deliveredMail().code
                let session = try #require(TestSession(try await server.verify("magiclink", code: code)))
                server.clock.advance(by: pause)
                return try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: ["password": .string(password)])
            }
            #expect(try await changed("the second password 2", after: .seconds(500)).status == 200)
            let late = try await changed("the third password 3", after: .seconds(700))
            #expect(late.code == "current_password_required")
        }
    }

    @Test("A code is void after five wrong ones, which count for every code that they were compared with")
    func attempts() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            _ = try await server.post("/recover", ["email": "ada@example.com"])
            let first = try await server.deliveredMail().code
            server.passInterval()
            _ = try await server.post("/recover", ["email": "ada@example.com"])
            let second = try await server.deliveredMail().code
            for _ in 0..<5 { _ = try await server.verify("recovery", code: TestServer.wrong(second)) }
            for code in [first, second] {
                #expect(try await server.verify("recovery", code: code).code == "otp_expired")
            }
        }
    }

    @Test("Wrong codes count against their caller, and not against the account's password")
    func countedPerCaller() async throws {
        var rates = AuthRates()
        rates.failedSignIns = 4
        try await TestServer.mailing(limits: rates) { server in
            try await server.confirmed()
            for _ in 0..<8 { #expect(try await server.verify("recovery", code: "123456").status == 403) }
            #expect(try await server.verify("recovery", code: "123456").status == 429)
            #expect(try await server.signIn().status == 200)
        }
    }

    @Test("An address changes when both addresses have confirmed")
    func addressChange() async throws {
        try await TestServer.mailing { server in
            try await server.confirmed()
            let session = try #require(TestSession(try await server.signIn()))
            let asked = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "new@example.com"])
            #expect(asked["email"] == "ada@example.com" && asked["new_email"] == "new@example.com")
            let mails = try await server.deliveredMails()
            let old = try #require(mails.first { $0.content.recipient.text == "ada@example.com" }?.content.code)
            let new = try #require(mails.first { $0.content.recipient.text == "new@example.com" }?.content.code)
            let first = try await server.verify("email_change", code: old.reveal())
            #expect(first.status == 200 && first["code"] == "200" && first["access_token"] == nil)
            #expect(try await server.verify("email_change", code: old.reveal()).status == 403)
            let second = try await server.verify("email_change", code: new.reveal(), email: "new@example.com")
            #expect(second["user"]?["email"] == "new@example.com")
            #expect(try await server.signIn("new@example.com").status == 200)
        }
    }

    @Test("Signing out everywhere ends a change that waits", arguments: TestDatabase.all)
    func signedOut(_ kind: TestDatabase) async throws {
        for scope in ["global", "others", "local"] {
            try await TestServer.mailing(on: kind, change: { $0.mail?.confirmsBothAddresses = false }) { server in
                try await server.confirmed()
                let thief = try #require(TestSession(try await server.signIn()))
                let asked = try await server.send(
                    .put, "/auth/v1/user", bearer: thief.accessToken, json: ["email": "thief@example.com"])
                #expect(asked["new_email"] == "thief@example.com")
                let code = try #require(try await server.deliveredMail().mail.content.code).reveal()
                let owner = try #require(TestSession(try await server.signIn()))
                let answer = try await server.send(
                    .post, "/auth/v1/logout?scope=\(scope)", bearer: owner.accessToken)
                #expect(answer.status == 204)
                let verified = try await server.verify("email_change", code: code, email: "thief@example.com")
                #expect(verified.status == (scope == "local" ? 200 : 403))
            }
        }
    }

    @Test("A mailed code stands for the present password")
    func reauthentication() async throws {
        try await TestServer.mailing(change: { $0.requiresCurrentPassword = true }) { server in
            try await server.confirmed()
            let session = try #require(TestSession(try await server.signIn()))
            #expect(try await server.send(.get, "/auth/v1/reauthenticate", bearer: session.accessToken).status == 200)
            let (code, path, _) = try await server.deliveredMail()
            #expect(path.isEmpty)
            func change(_ nonce: String) async throws -> TestAnswer {
                try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken,
                    json: ["password": "a new password 9", "nonce": .string(nonce)])
            }
            #expect(try await change(TestServer.wrong(code)).code == "reauthentication_not_valid")
            #expect(try await change(code).status == 200)
        }
    }

    @Test("Only a change that happens spends the code that stands for the password", arguments: TestDatabase.all)
    func refusedChange(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind, change: { $0.requiresCurrentPassword = true }) { server in
            for email in ["ada@example.com", "taken@example.com"] { try await server.confirmed(email) }
            let session = try #require(TestSession(try await server.signIn()))
            #expect(try await server.send(.get, "/auth/v1/reauthenticate", bearer: session.accessToken).status == 200)
            let nonce = AuthJSON.string(try await server.deliveredMail().code)
            func change(_ password: String, _ email: String? = nil) async throws -> TestAnswer {
                var json: AuthJSONObject = ["password": .string(password), "nonce": nonce]
                json["email"] = email.map(AuthJSON.string)
                return try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: .object(json))
            }
            #expect(try await change(TestServer.password).code == "same_password")
            #expect(try await change("a new password 9", "taken@example.com").code == "email_exists")
            #expect(try await change("a new password 9").status == 200)
            #expect(try await change("another password 9").code == "reauthentication_not_valid")
        }
    }

    @Test("A sign-up that a full queue refuses takes no interval")
    func busySignUp() async throws {
        try await TestServer.mailing(hashQueue: 0) { server in
            @Sendable func signUp(_ email: String) async throws -> TestAnswer {
                try await server.post("/signup", ["email": .string(email), "password": .string(TestServer.password)])
            }
            var refused: [String] = []
            var round = 0
            while refused.isEmpty {
                round += 1
                let emails = (0..<12).map { "person\($0).\(round)@example.com" }
                refused = try await withThrowingTaskGroup(of: String?.self) { group in
                    for email in emails { group.addTask { try await signUp(email).status == 429 ? email : nil } }
                    return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
                }
            }
            for email in refused { #expect(try await signUp(email).status == 200) }
        }
    }

    @Test("A new password, or a code that proves the address, ends a change that waits", arguments: TestDatabase.all)
    func endedChange(_ kind: TestDatabase) async throws {
        for path in ["/magiclink", "/recover", ""] {
            try await TestServer.mailing(on: kind, change: { $0.mail?.confirmsBothAddresses = false }) { server in
                try await server.confirmed()
                let thief = try #require(TestSession(try await server.signIn()))
                let asked = try await server.send(
                    .put, "/auth/v1/user", bearer: thief.accessToken, json: ["email": "thief@example.com"])
                #expect(asked["new_email"] == "thief@example.com")
                _ = try await server.deliveredMails()
                server.passInterval()
                if path.isEmpty {
                    let changed = try await server.send(
                        .put, "/auth/v1/user", bearer: thief.accessToken, json: ["password": "a new password 9"])
                    #expect(changed.status == 200 && changed["new_email"] == nil)
                } else {
                    #expect(try await server.post(path, ["email": "ada@example.com"]).status == 200)
                    let session = try await server.verify("email", code: try await server.deliveredMail().code)
                    #expect(session.status == 200 && session["user"]?["new_email"] == nil)
                }
                let again: AuthJSON = ["type": "email_change", "email": "ada@example.com"]
                #expect(try await server.post("/resend", again).status == 200)
                #expect(try await server.deliveredMails().isEmpty)
            }
        }
    }
}
