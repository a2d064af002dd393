import Foundation
import Gatehouse
import Testing

@Suite("Digits of other scripts")
struct DigitTests {
    /// Arabic-Indic, Persian, Devanagari, Thai, full width.
    private static let codes = ["٠٤٢٩١٧", "۰۴۲۹۱۷", "०४२९१७", "๐๔๒๙๑๗", "０４２９１７"]
    private static let id = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!

    /// The body of the last request.
    private func sent(_ call: (GatehouseClient) async throws -> Void) async throws -> String {
        let server = ScriptedAnswers([ScriptedAnswers.session])
        let client = try await server.signedIn()
        // Ignored: the request is checked.
        _ = try? await call(client)
        return try #require(server.requests.last)
    }

    @Test("A mailed code is sent in ASCII", arguments: codes)
    func mailed(code: String) async throws {
        let mail = try await sent { try await $0.verifyOTP(email: "٤@example.com", token: code, type: .email) }
        #expect(mail.contains(#""token":"042917""#) && mail.contains("٤@example.com"))
        let message = try await sent { try await $0.verifyOTP(phone: "1", token: code, type: .sms) }
        #expect(message.contains(#""token":"042917""#))
        let nonce = try await sent { try await $0.update(user: AuthUserAttributes(password: "٤٢", nonce: code)) }
        #expect(nonce.contains(#""nonce":"042917""#) && nonce.contains("٤٢"))
    }

    @Test("The code of a second factor is sent in ASCII", arguments: codes)
    func factor(code: String) async throws {
        let app = try await sent {
            try await $0.mfa.verify(params: FactorVerifyParams(factorId: Self.id, challengeId: Self.id, code: code))
        }
        #expect(app.contains(#""code":"042917""#))
        let recovery = try await sent { try await $0.mfa.recoveryCodes.verify(code: "ab-" + code) }
        #expect(recovery.contains(#""code":"ab-042917""#))
    }

    @Test("The code that answers the question of a link is sent in ASCII", arguments: codes)
    func link(code: String) async throws {
        let server = ScriptedAnswers([ScriptedAnswers.question, ScriptedAnswers.session])
        let client = try server.client()
        do {
            try await client.signInWithIdToken(
                credentials: IDTokenCredentials(provider: .google, idToken: "token"))
            Issue.record("no question")
        } catch AuthClientError.refused(let refusal) {
            let ticket = try #require(refusal.linkQuestion?.ticket)
            try await client.confirmLink(ticket, code: code)
        }
        #expect(server.requests.last?.contains(#""token":"042917""#) == true)
    }
}
