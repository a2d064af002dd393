import GatehouseWire
import IdentityProviders
import Testing
import TextMessages

@Suite("Codes that a provider generates")
struct CheckTests {
    private static func check(_ status: Int, _ body: String, _ code: String = Samples.code) async throws -> TextCheck {
        try await ScriptedNetwork(status, body).carrier("twilio_verify").check(Secret(code), of: Samples.number)
    }

    @Test("Only Twilio Verify generates codes")
    func generating() throws {
        #expect(TextProvider.all.filter(\.generatesCodes).map(\.name) == ["twilio_verify"])
    }

    @Test("The code and the number go to the provider")
    func request() async throws {
        let network = ScriptedNetwork(200, #"{"status":"approved","valid":true}"#)
        let verdict = try await network.carrier("twilio_verify").check(Secret(Samples.code), of: Samples.number)
        #expect(verdict == .approved)
        let request = try #require(network.all.first)
        #expect(request.url.text == "https://verify.twilio.com/v2/Services/VA3/VerificationCheck")
        #expect(request.body?.reveal() == "Code=123456&To=%2B15551234567")
        #expect(request.authorization?.reveal().hasPrefix("Basic QUMwMDAw") == true)
    }

    @Test(
        "A verdict follows the provider's status",
        arguments: [
            (200, #"{"status":"approved"}"#, TextCheck.approved),
            (200, #"{"status":"pending","valid":false}"#, .wrong),
            (200, #"{"status":"canceled"}"#, .over), (200, #"{"status":"max_attempts_reached"}"#, .over),
            (404, #"{"code":20404,"message":"The requested resource was not found"}"#, .over),
            (429, #"{"code":60202,"message":"Max check attempts reached"}"#, .over),
            (
                401, #"{"code":20003,"message":"Authenticate"}"#,
                .failed(TextFailure(.configuration, "twilio_verify 20003: the credentials are refused"))
            ),
            (429, "", .failed(TextFailure(.temporary, "twilio_verify: status 429"))),
            (500, "<html>approved</html>", .failed(TextFailure(.uncertain, "twilio_verify: status 500"))),
            (200, "approved", .failed(TextFailure(.uncertain, "twilio_verify: a response without a status"))),
            (200, #"{"valid":true}"#, .failed(TextFailure(.uncertain, "twilio_verify: a response without a status"))),
            (
                400, #"{"code":60200,"message":"Invalid parameter"}"#,
                .failed(TextFailure(.configuration, "twilio_verify 60200: the number is not valid"))
            ),
        ])
    func verdicts(status: Int, body: String, verdict: TextCheck) async throws {
        #expect(try await Self.check(status, body) == verdict)
    }

    @Test("A text that is no code is wrong unasked", arguments: ["", "123", "12345678901", "12345a", "１２３４５６"])
    func malformed(code: String) async throws {
        let network = ScriptedNetwork(200, #"{"status":"approved"}"#)
        #expect(try await network.carrier("twilio_verify").check(Secret(code), of: Samples.number) == .wrong)
        #expect(network.all.isEmpty)
    }

    @Test("A provider that generates no codes checks none")
    func others() async throws {
        let network = ScriptedNetwork(200, #"{"status":"approved"}"#)
        #expect(
            try await network.carrier("twilio").check(Secret(Samples.code), of: Samples.number)
                == .failed(TextFailure(.configuration, "twilio: does not check codes")))
        #expect(network.all.isEmpty)
    }
}
