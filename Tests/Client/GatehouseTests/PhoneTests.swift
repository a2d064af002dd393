import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Telephone numbers")
struct PhoneTests {
    private static let user: AuthJSON = [
        "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "created_at": "2026-01-01T00:00:00Z", "phone": "4912345678",
    ]
    private static let session: AuthJSON = [
        "access_token": "access", "refresh_token": "refresh", "expires_in": 3_600, "user": user,
    ]

    @Test(
        "The message's id is returned if the server has it",
        arguments: [
            (["message_id": "SM1"], "SM1"), ([:], nil), (["message_id": 1], nil), ([], nil),
        ] as [(AuthJSON, String?)])
    func messageID(_ answer: AuthJSON, _ id: String?) async throws {
        let client = try ScriptedAnswers([ScriptedAnswers.json(answer), ScriptedAnswers.json(answer)]).client()
        #expect(try await client.signInWithOTP(phone: "+4912345678").messageID == id)
        #expect(try await client.resend(phone: "+4912345678", type: .sms).messageID == id)
    }

    @Test("A sign-up by number waits for the code, or signs in")
    func signUp() async throws {
        let client = try ScriptedAnswers([ScriptedAnswers.json(Self.user), ScriptedAnswers.json(Self.session)]).client()
        let waiting = try await client.signUp(phone: "+4912345678", password: "correct horse")
        #expect(waiting.session == nil && waiting.user?.phone == "4912345678")
        #expect(await client.currentSession == nil)
        let signedIn = try await client.signUp(phone: "+4912345678", password: "correct horse")
        #expect(signedIn.session?.user.phone == "4912345678")
        #expect(await client.currentSession?.accessToken == "access")
    }

    @Test(
        "The code of the signed-in user's own number is sent with the session, which sets nothing aside",
        arguments: [("+4912345678", "access"), ("4912345678", "access"), ("+4912345679", "key")])
    func owner(_ phone: String, _ bearer: String) async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.json(Self.session), ScriptedAnswers.json(Self.session)])
        let client = try answers.client()
        try await client.signIn(phone: "+4912345678", password: "correct horse")
        try await client.verifyOTP(phone: phone, token: "123456", type: .sms)
        #expect(answers.bearers == ["key", bearer])
    }

    @Test("A new factor has the number that the app sent")
    func factor() async throws {
        let answer: AuthJSON = [
            "id": "a1b2c3d4-0000-4000-8000-000000000001", "type": "phone", "friendly_name": "", "phone": "+4912345678",
        ]
        let client = try await ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(answer)]).signedIn()
        let factor = try await client.mfa.enroll(params: .phone(phone: "+4912345678"))
        #expect(factor.type == .phone && factor.phone == "+4912345678" && factor.totp == nil)
    }
}
