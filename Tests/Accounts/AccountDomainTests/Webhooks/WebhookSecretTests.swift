import AccountDomain
import GatehouseWire
import Testing

@Suite("Signatures of webhooks")
struct WebhookSecretTests {
    @Test("The example of Standard Webhooks has its signature")
    func example() throws {
        let secret = try #require(WebhookSecret(Secret("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        let message = WebhookMessage(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", body: Array(#"{"test": 2432232314}"#.utf8))
        let headers = message.headers(at: Instant(seconds: 1_614_265_330), secrets: [secret])
        #expect(headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(headers["webhook-timestamp"] == "1614265330")
        #expect(headers["webhook-id"] == message.id)
    }

    @Test("Each secret signs")
    func several() throws {
        let texts = ["v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,whsec_" + String(repeating: "A", count: 44)]
        let secrets = try #require(WebhookSecret.list(Secret(texts.joined(separator: " | "))))
        let headers = WebhookMessage(id: "1", body: []).headers(at: Instant(seconds: 1), secrets: secrets)
        #expect(headers["webhook-signature"]?.split(separator: " ").count == 2)
    }

    @Test(
        "Other texts are no secrets",
        arguments: [
            "", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,whsec_", "v1,whsec_MfKQ9r8G", "v1a,whsk_AAAA",
            "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS!", "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-",
            "v1,whsec_" + String(repeating: "A", count: 200), "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw|",
        ])
    func malformed(_ text: String) { #expect(WebhookSecret.list(Secret(text)) == nil) }

    @Test("A secret does not print itself")
    func secrecy() throws {
        let secret = try #require(WebhookSecret(Secret("v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")))
        var dumped = ""
        dump([secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("49") && text.contains("<webhook secret>"))
        }
    }

    @Test("The delays grow to four hours, and spread by a quarter")
    func schedule() {
        #expect(WebhookSchedule.pause(after: 1, chance: 0.5) == .seconds(5))
        #expect(WebhookSchedule.pause(after: 100, chance: 0.5) == .seconds(14_400))
        #expect(WebhookSchedule.pause(after: 2, chance: 0) == .milliseconds(22_500))
        #expect(WebhookSchedule.pause(after: 2, chance: 1) == .milliseconds(37_500))
    }

    @Test("Names in the settings stand for kinds of events")
    func kinds() {
        #expect(AccountEventKind.named("user.*").count == 3)
        #expect(AccountEventKind.named("*").count == AccountEventKind.allCases.count)
        #expect(AccountEventKind.named("session.ended") == [.sessionEnded])
        for text in ["", "user", "user.", ".*", "users.*", "user.gone"] {
            #expect(AccountEventKind.named(text).isEmpty)
        }
    }
}
