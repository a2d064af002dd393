import AccountDomain
import GatehouseWire
import Testing

@Suite("Proof key")
struct ProofKeyTests {
    /// RFC 7636 appendix B.
    private static let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test("S256 matches the secret with this SHA-256", arguments: ["s256", "S256"])
    func s256(_ method: String) throws {
        let key = try #require(ProofKey(challenge: Self.challenge, method: method))
        #expect(key.isAnswered(by: Self.verifier))
        #expect(!key.isAnswered(by: Secret(Self.challenge)))
        #expect(!key.isAnswered(by: Secret("")))
    }

    @Test("Plain matches the challenge itself")
    func plain() throws {
        let key = try #require(ProofKey(challenge: Self.challenge, method: "Plain"))
        #expect(key.isAnswered(by: Secret(Self.challenge)))
        #expect(!key.isAnswered(by: Self.verifier))
    }

    @Test(
        "A challenge of the wrong length or with other characters is invalid",
        arguments: [
            (String(repeating: "a", count: 42), "s256", false), (String(repeating: "a", count: 43), "s256", true),
            (String(repeating: "~", count: 128), "plain", true), (String(repeating: "a", count: 129), "s256", false),
            (String(repeating: "a", count: 42) + "=", "s256", false),
            (String(repeating: "é", count: 43), "s256", false),
            (String(repeating: "a", count: 43), "s512", false), (String(repeating: "a", count: 43), "", false),
        ])
    func form(_ challenge: String, _ method: String, _ isValid: Bool) {
        #expect((ProofKey(challenge: challenge, method: method) != nil) == isValid)
    }

    @Test("The outbox retries after a minute, then at growing intervals, for about two weeks")
    func schedule() throws {
        #expect(OutboxSchedule.pause(after: 1) == .seconds(60))
        #expect(OutboxSchedule.pause(after: 2) == .seconds(120))
        #expect(OutboxSchedule.pause(after: 20) == .seconds(21_600))
        #expect(OutboxSchedule.pause(after: OutboxSchedule.maximumAttempts) == nil)
        let total = (1..<OutboxSchedule.maximumAttempts).reduce(Duration.zero) {
            $0 + (OutboxSchedule.pause(after: $1) ?? .zero)
        }
        #expect((Duration.seconds(13 * 86_400)...Duration.seconds(15 * 86_400)).contains(total))
    }
}
