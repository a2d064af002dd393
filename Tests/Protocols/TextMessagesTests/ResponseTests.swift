import GatehouseWire
import IdentityProviders
import Testing
import TextMessages

@Suite("Responses of providers of text messages")
struct ResponseTests {
    private static func send(_ provider: String, _ status: Int, _ body: String) async throws -> TextResult {
        try await ScriptedNetwork(status, body).carrier(provider).send(Samples.message())
    }

    @Test(
        "An accepted message has the provider's id",
        arguments: [
            (
                "messagebird", 201,
                #"{"id":"e8077d80","href":"https://rest.messagebird.com/messages/e8077d80","recipients":{"totalCount":1,"#
                    + #""items":[{"recipient":15551234567,"status":"sent"}]}}"#, "e8077d80"
            ),
            (
                "textlocal", 200,
                #"{"balance":99,"batch_id":7,"messages":[{"id":1151346216,"recipient":15551234567}],"status":"success"}"#,
                "1151346216"
            ),
            ("twilio", 201, #"{"sid":"SM1","status":"queued","error_code":null,"to":"+15551234567"}"#, "SM1"),
            ("twilio_verify", 201, #"{"sid":"VE1","status":"pending","to":"+15551234567","valid":false}"#, "VE1"),
            (
                "vonage", 200,
                #"{"message-count":"1","messages":[{"to":"15551234567","message-id":"0A00","status":"0"}]}"#, "0A00"
            ),
        ])
    func accepted(provider: String, status: Int, body: String, id: String) async throws {
        #expect(try await Self.send(provider, status, body) == .accepted(id: id))
    }

    private static let twilio =
        #"{"code":%,"message":"'To' +15551234567 is not …","more_info":"https://…","status":400}"#
    private static let vonage =
        #"{"message-count":"1","messages":[{"status":"%","error-text":"Bad 15551234567","to":"15551234567"}]}"#
    private static let textlocal =
        #"{"errors":[{"code":%,"message":"15551234567"}],"warnings":[{"code":3}],"status":"failure"}"#
    private static let bird = #"{"errors":[{"code":%,"description":"v0nage/s3cret","parameter":"recipients"}]}"#

    @Test(
        "A number that cannot be reached is refused for good",
        arguments: [
            ("twilio", 400, twilio, "21211", "the number is not valid"),
            ("twilio", 400, twilio, "21610", "the recipient has opted out"),
            ("twilio", 400, twilio, "21614", "the number cannot receive text messages"),
            ("twilio", 400, twilio, "21408", "the country is not allowed"),
            (
                "twilio", 201, #"{"sid":"SM1","status":"failed","error_code":%}"#, "30003",
                "the number cannot be reached"
            ),
            ("twilio_verify", 400, twilio, "60200", "the number is not valid"),
            ("twilio_verify", 403, twilio, "60410", "the message is blocked"),
            ("vonage", 200, vonage, "6", "the number cannot be reached"),
            ("vonage", 200, vonage, "7", "the message is blocked"),
            ("textlocal", 200, textlocal, "51", "the number is not valid"),
            ("messagebird", 422, bird, "9", "the number is not valid"),
        ])
    func refused(provider: String, status: Int, body: String, code: String, words: String) async throws {
        let result = try await Self.send(provider, status, body.replacing("%", with: code))
        #expect(result == .refused(reason: "\(provider) \(code): \(words)"))
    }

    @Test(
        "A failure says whether a retry can succeed",
        arguments: [
            ("twilio", 429, twilio, "20429", TextFailure.Kind.temporary, "too many requests"),
            ("twilio", 401, twilio, "20003", .configuration, "the credentials are refused"),
            ("twilio", 400, twilio, "21999", .configuration, "status 400"),
            ("twilio", 500, twilio, "20500", .uncertain, "status 500"),
            ("twilio_verify", 429, twilio, "60203", .temporary, "too many requests"),
            ("twilio_verify", 404, twilio, "20404", .configuration, "the service does not exist"),
            ("vonage", 200, vonage, "1", .temporary, "too many requests"),
            ("vonage", 200, vonage, "4", .configuration, "the credentials are refused"),
            ("vonage", 200, vonage, "99", .configuration, "status 200"),
            ("textlocal", 200, textlocal, "7", .configuration, "the balance is too low"),
            ("messagebird", 401, bird, "2", .configuration, "the access key is refused"),
            (
                "messagebird", 422, #"{"errors":[{"code":%,"parameter":"originator"}]}"#, "9", .configuration,
                "a parameter is missing or not valid"
            ),
        ])
    func failed(
        provider: String, status: Int, body: String, code: String, kind: TextFailure.Kind, words: String
    ) async throws {
        let result = try await Self.send(provider, status, body.replacing("%", with: code))
        #expect(result == .failed(TextFailure(kind, "\(provider) \(code): \(words)")))
    }

    @Test(
        "A response that is no message is judged by its status",
        arguments: [
            (200, "", TextFailure.Kind.uncertain, "a response without the message's id"),
            (200, "<!DOCTYPE html><title>Sign in</title>", .uncertain, "a response without the message's id"),
            (201, #"{"sid":"+15551234567"}"#, .uncertain, "a response without the message's id"),
            (201, #"{"sid":["SM1"]}"#, .uncertain, "a response without the message's id"),
            (201, "[]", .uncertain, "a response without the message's id"),
            (302, "", .configuration, "status 302"), (401, "<html>", .configuration, "status 401"),
            (404, "", .configuration, "status 404"), (408, "", .temporary, "status 408"),
            (429, "slow down", .temporary, "status 429"), (500, "", .uncertain, "status 500"),
            (502, "<html>123456</html>", .uncertain, "status 502"), (503, "", .temporary, "status 503"),
            (400, #"{"code":123456}"#, .configuration, "status 400"),
            (400, #"{"code":"15551234567"}"#, .configuration, "status 400"),
        ])
    func odd(status: Int, body: String, kind: TextFailure.Kind, words: String) async throws {
        #expect(
            try await Self.send("twilio", status, body) == .failed(TextFailure(kind, "twilio: \(words)")))
    }

    @Test("A lost response may belong to a sent message")
    func lost() async throws {
        let refused = OutgoingAddressRule.Refusal.notPublic(host: "api.twilio.com")
        let cases: [(any Error & Sendable, TextFailure)] = [
            (ProviderTransportFailure.timedOut, TextFailure(.uncertain, "twilio: timed out")),
            (ProviderTransportFailure.tooLong, TextFailure(.uncertain, "twilio: the response is too long")),
            (ProviderTransportFailure.noConnection("15551234567"), TextFailure(.uncertain, "twilio: no connection")),
            (
                ProviderTransportFailure.addressRefused(refused),
                TextFailure(.configuration, "twilio: the address is not allowed")
            ),
            (Strange(), TextFailure(.uncertain, "twilio: no connection")),
        ]
        for (error, failure) in cases {
            let network = ScriptedNetwork { throw error }
            #expect(try await network.carrier("twilio").send(Samples.message()) == .failed(failure))
            #expect(failure.isWorthRetrying == (failure.kind != .configuration))
        }
        let long = ScriptedNetwork(201, String(repeating: " ", count: ProviderLimits.answer) + #"{"sid":"SM1"}"#)
        #expect(
            try await long.carrier("twilio").send(Samples.message())
                == .failed(TextFailure(.uncertain, "twilio: the response is too long")))
    }

    @Test("A cancelled caller gets no result")
    func cancelled() async throws {
        let network = ScriptedNetwork { throw CancellationError() }
        let carrier = try network.carrier("twilio_verify")
        await #expect(throws: CancellationError.self) { try await carrier.send(Samples.message()) }
        await #expect(throws: CancellationError.self) {
            try await carrier.check(Secret(Samples.code), of: Samples.number)
        }
    }

    @Test("No reason quotes the number, the code, the text or a credential", arguments: TextProvider.all.map(\.name))
    func reasons(provider: String) async throws {
        let words = Samples.confidential.map { AuthJSON.string($0) }
        let code: AuthJSON = .string(Samples.code)
        let bodies: [AuthJSON] = [
            ["code": code, "message": .array(words)], ["error_code": code, "sid": words[0]], .array(words),
            ["errors": [["code": code, "message": .array(words), "parameter": words[0]]], "id": words[0]],
            ["messages": [["status": code, "error-text": .array(words), "message-id": .string("+1 555")]]],
        ]
        for body in bodies {
            for status in [200, 201, 400, 401, 403, 404, 422, 429, 500, 503] {
                let result = try await Self.send(provider, status, body.text)
                let reason =
                    switch result {
                    case .accepted: ""
                    case .refused(let reason): reason
                    case .failed(let failure): failure.reason
                    }
                for secret in Samples.confidential { #expect(!reason.contains(secret), "\(status) \(body.text)") }
            }
        }
    }
}

private struct Strange: Error, CustomStringConvertible {
    var description: String { Samples.confidential.joined() }
}
