import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Captchas")
struct CaptchaTests {
    struct Example: CustomTestStringConvertible, Sendable {
        let path: String
        /// Where it counts.
        let bucket: String
        let body: AuthJSONObject
        var testDescription: String { "\(path), \(bucket)" }

        init(_ path: String, _ bucket: String, _ body: AuthJSONObject) {
            (self.path, self.bucket, self.body) = (path, bucket, body)
        }
    }

    private static let person: AuthJSONObject = ["email": "ada@example.com", "password": .string(TestServer.password)]

    @Test(
        "A request beyond the limit of its address is refused, and the captcha provider is not asked",
        arguments: [
            Example("/signup", "signup", person), Example("/signup", "signup_anonymous", [:]),
            Example("/token?grant_type=password", "token", person),
            Example("/recover", "mail_request", ["email": "ada@example.com"]),
            Example("/otp", "mail_request", ["email": "ada@example.com"]),
            Example("/magiclink", "mail_request", ["email": "ada@example.com"]),
            Example("/resend", "mail_request", ["email": "ada@example.com", "type": "signup"]),
            Example("/passkeys/signup/options", "signup", ["email": "ada@example.com"]),
            Example("/passkeys/authentication/options", "passkey", [:]),
        ])
    func limits(_ example: Example) async throws {
        try await TestServer.with(
            limits: AuthRates(), hooks: TestHooks(needsCaptcha: true),
            change: { settings in
                PasskeyClient.settings()(&settings)
                settings.mail = MailRules()
                settings.confirmsAutomatically = false
            }
        ) { server in
            server.receiver.answers { _ in (200, ["success": false]) }
            let body = example.body.merging(["gotrue_meta_security": ["captcha_token": "wrong"]] as AuthJSONObject) {
                $1
            }
            func send() async throws -> TestAnswer {
                try await server.send(.post, "/auth/v1\(example.path)", json: .object(body))
            }
            for count in 1...30 {
                #expect(try await send().code == "captcha_failed")
                #expect(server.receiver.calls.count == count)
            }
            let refused = try await send()
            #expect(refused.status == 429 && refused.headers[.init("x-ratelimit-bucket")!] == example.bucket)
            #expect(server.receiver.calls.count == 30)
            #expect(server.receiver.calls.allSatisfy { $0.name == "captcha" })
        }
    }
}
