import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Details of Supabase Auth that no recording has")
struct RecordedDetailTests {
    @Test(
        "A malformed phone number is refused before the code",
        arguments: ["abc", "1795900637-invalid", "+0"])
    func malformedPhone(_ phone: String) async throws {
        try await TestServer.mailing { server in
            let answer = try await server.post(
                "/verify", ["type": "sms", "phone": .string(phone), "token": "123456"])
            #expect((answer.status, answer.code) == (400, "validation_failed"))
            let wellFormed = try await server.post(
                "/verify", ["type": "sms", "phone": "+15555550100", "token": "123456"])
            #expect((wellFormed.status, wellFormed.code) == (403, "otp_expired"))
        }
    }

    @Test("Codes by phone are off as such, also where the server sends no mail")
    func phoneWithoutMail() async throws {
        try await TestServer.with { server in
            let otp = try await server.post("/otp", ["phone": "+15555550100"])
            #expect((otp.status, otp.code) == (400, "phone_provider_disabled"))
            let resend = try await server.post("/resend", ["type": "sms", "phone": "+15555550100"])
            #expect((resend.status, resend.code) == (400, "phone_provider_disabled"))
            #expect(try await server.post("/otp", ["email": "a@example.com"]).code == "email_provider_disabled")
        }
    }

    @Test("A taken address leaves the interval between mails to the corrected one", arguments: TestDatabase.all)
    func takenAddress(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            try await server.confirmed()
            try await server.confirmed("grace@example.com")
            let session = try #require(TestSession(try await server.signIn()))
            func change(_ email: String) async throws -> TestAnswer {
                try await server.send(
                    .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": .string(email)])
            }
            for _ in 0..<2 { #expect(try await change("grace@example.com").code == "email_exists") }
            #expect(try await change("new@example.com").status == 200)
            #expect(try await change("other@example.com").code == "over_email_send_rate_limit")
        }
    }

    @Test(
        "Signing up or in for another audience is refused",
        arguments: ["/signup", "/token?grant_type=password", "/otp", "/recover"])
    func audience(_ path: String) async throws {
        let json: AuthJSON = ["email": "ada@example.com", "password": .string(TestServer.password)]
        try await TestServer.mailing { server in
            let other = try await server.post(path, json, headers: [.init("x-jwt-aud")!: "other"])
            #expect((other.status, other.code) == (400, "validation_failed"))
            #expect(try await server.accounts.count() == 0)
            let own = try await server.post(path, json, headers: [.init("x-jwt-aud")!: "authenticated"])
            #expect(own.code != "validation_failed")
        }
    }

    @Test("A code or an administrator's request for another audience is refused")
    func audienceOfOtherRoutes() async throws {
        let other: HTTPFields = [.init("x-jwt-aud")!: "other"]
        try await TestServer.mailing { server in
            let code: AuthJSON = ["type": "email", "email": "ada@example.com", "token": "123456"]
            let typed = try await server.post("/verify", code, headers: other)
            #expect((typed.status, typed.code) == (400, "validation_failed"))
            for path in ["/invite", "/admin/users"] {
                let asked = try await server.send(
                    .post, "/auth/v1" + path, bearer: TestServer.secretKey, headers: other,
                    json: ["email": "ada@example.com"])
                #expect((asked.status, asked.code) == (400, "validation_failed"))
            }
            #expect(try await server.accounts.count() == 0)
        }
    }

    @Test(
        "An anonymous sign-up with a malformed proof key is refused and makes no account",
        arguments: [
            #"{"code_challenge_method":["s256"]}"#, #"{"code_challenge":1}"#, #"{"code_challenge_method":"s256"}"#,
        ])
    func malformedProofKey(_ body: String) async throws {
        try await TestServer.with { _ in
        } _: { server in
            let answer = try await server.send(.post, "/auth/v1/signup", raw: Array(body.utf8))
            #expect(answer.status == 400)
            #expect(try await server.accounts.count() == 0)
        }
    }

    @Test(
        "An anonymous account whose address a code proves has email_verified in its metadata",
        arguments: TestDatabase.all)
    func anonymousUpgrade(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let session = try #require(TestSession(try await server.post("/signup", ["data": ["a": 1]])))
            _ = try await server.send(
                .put, "/auth/v1/user", bearer: session.accessToken, json: ["email": "ada@example.com"])
            let code = try await server.deliveredMail().code
            let verified = try await server.verify("email_change", code: code)
            #expect(verified["user"]?["user_metadata"] == ["a": 1, "email_verified": true])
        }
    }

    @Test("A generated sign-up link needs a password", arguments: [nil, ""] as [AuthJSON?])
    func generatedSignUp(_ password: AuthJSON?) async throws {
        try await TestServer.mailing { server in
            var body: AuthJSONObject = ["type": "signup", "email": "ada@example.com"]
            body["password"] = password
            let answer = try await server.admin(.post, "/generate_link", json: .object(body))
            #expect((answer.status, answer.code) == (400, "validation_failed"))
            #expect(try await server.accounts.count() == 0)
        }
    }

    @Test("The identity of a number that an administrator confirms is verified", arguments: TestDatabase.all)
    func confirmedPhone(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let id = try await server.signUp().userID
            func change(_ isConfirmed: Bool) async throws -> AuthJSON? {
                let answer = try await server.admin(
                    .put, "/users/\(id)", json: ["phone": "15555550100", "phone_confirm": .bool(isConfirmed)])
                let identities = answer["identities"]?.arrayValue
                return identities?.first { $0["provider"] == "phone" }?["identity_data"]?["phone_verified"]
            }
            #expect(try await change(false) == false)
            #expect(try await change(true) == true)
        }
    }

    @Test(
        "An anonymous account gets the same provider from an administrator as from its own change of address",
        arguments: TestDatabase.all)
    func permanentByAdministrator(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            func anonymous() async throws -> String {
                try #require(TestSession(try await server.post("/signup", [:]))).userID
            }
            let first = try await server.admin(
                .put, "/users/\(anonymous())", json: ["email": "a@example.com", "email_confirm": true])
            #expect(first["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(first["is_anonymous"] == false)
            let second = try await server.admin(
                .put, "/users/\(anonymous())", json: ["phone": "15555550100", "phone_confirm": true])
            #expect(second["app_metadata"] == ["provider": "phone", "providers": ["phone"]])
            let later = try await anonymous()
            _ = try await server.admin(.put, "/users/\(later)", json: ["email": "b@example.com"])
            let third = try await server.admin(.put, "/users/\(later)", json: ["email_confirm": true])
            #expect(third["app_metadata"] == ["provider": "email", "providers": ["email"]])
        }
    }

    @Test(
        "An address that an administrator gave an anonymous account, and a code proves, shows its provider",
        arguments: TestDatabase.all)
    func permanentByCode(_ kind: TestDatabase) async throws {
        try await TestServer.mailing(on: kind) { server in
            let session = try #require(TestSession(try await server.post("/signup", [:])))
            _ = try await server.admin(.put, "/users/\(session.userID)", json: ["email": "ada@example.com"])
            _ = try await server.post("/otp", ["email": "ada@example.com"])
            let code = try await server.deliveredMail().code
            let user = try await server.verify("email", code: code)["user"]
            #expect(user?["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(user?["is_anonymous"] == false)
        }
    }
}
