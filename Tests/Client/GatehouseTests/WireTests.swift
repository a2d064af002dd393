import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Responses on the wire")
struct WireTests {
    @Test(
        "Refusals are read in every format",
        arguments: [
            (#"{"code":"bad_jwt","message":"no"}"#, "bad_jwt" as String?, "no"),
            (#"{"code":400,"error_code":"bad_jwt","msg":"no"}"#, "bad_jwt", "no"),
            (#"{"code":"400","error_code":"bad_jwt","msg":"no"}"#, "bad_jwt", "no"),
            (#"{"code":400,"msg":"no"}"#, nil, "no"),
            (#"{"error":"invalid request","error_description":"Bad ID token"}"#, nil, "Bad ID token"),
            (#"{"message":"No API key found in request","hint":"x"}"#, nil, "No API key found in request"),
            (#"{"code":"a_word_of_tomorrow","message":null}"#, "a_word_of_tomorrow", "no message"),
            ("<html>", nil, "the answer was no JSON object"), ("", nil, "the answer was no JSON object"),
        ])
    func refusals(_ body: String, _ code: String?, _ message: String) {
        let answer = AuthErrorAnswer(body: Array(body.utf8))
        #expect(answer.code?.rawValue == code)
        #expect(answer.message == message)
    }

    @Test(
        "Timestamps are read with any offset and up to nine digits",
        arguments: [
            ("2026-01-01T00:00:00Z", 0.0), ("2026-01-01T02:00:00+02:00", 0), ("2025-12-31T22:30:00.5-01:30", 0.5),
            ("2026-01-01T00:00:00.123456789Z", 0.123_456), ("2026-01-01T00:00:00", 0),
        ])
    func timestamps(_ text: String, _ seconds: Double) throws {
        let user = try AuthUser(json: ["id": .string(Self.id), "created_at": .string(text)])
        #expect(abs(user.createdAt.timeIntervalSince1970 - 1_767_225_600 - seconds) < 0.000_001)
    }

    @Test("Unknown members, nulls and missing ones are harmless")
    func tolerance() throws {
        let json = try JSONReader.read(
            #"""
            {"id":"0F6D2C5E-8A4B-4B0E-9D3F-2F6F2F1F7C10","created_at":"2026-01-01T00:00:00Z","email":"","role":null,
             "identities":null,"user_metadata":null,"app_metadata":null,"factors":[1],"tomorrow":{"x":1}}
            """#)
        let user = try AuthUser(json: json)
        #expect(user.email == nil)
        #expect(user.identities == nil)
        #expect(user.userMetadata.isEmpty)
    }

    @Test(
        "A response without a required member names the member",
        arguments: [
            (#"{"access_token":"a"}"#, "session.expires_in: expected a number"),
            (#"{"access_token":"a","expires_in":1e30}"#, "session.expires_in: out of range"),
            (#"{"access_token":"a","expires_in":-1}"#, "session.expires_in: out of range"),
            (#"{"access_token":"a","expires_in":"nan"}"#, "session.expires_in: out of range"),
            (
                #"{"access_token":"a","refresh_token":"r","expires_in":1,"expires_at":4611686018427387904}"#,
                "session.expires_at: out of range"
            ),
            (#"{"access_token":"a","expires_in":1}"#, "session.refresh_token: expected a string"),
            (#"{"access_token":"a","expires_in":1,"refresh_token":"r"}"#, "user: expected an object"),
            (#"{"user":{"id":"x","created_at":"2026-01-01T00:00:00Z"}}"#, "user.id: expected a UUID"),
            (#"{"user":{"id":"0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"}}"#, "user.created_at: expected a timestamp"),
        ])
    func problems(_ body: String, _ text: String) throws {
        let json = try JSONReader.read(body)
        #expect(throws: WireProblem(text)) { try AuthAnswer(json: json) }
    }

    static let id = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"
}
