import Gatehouse
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Codes of mails in the terminal client")
struct MailedCodeTests {
    private static let server = "https://accounts.example.com"

    @Test(
        "A code is read in the digits of any script, with spaces and hyphens",
        arguments: [
            ("042917", "042917"), (" 042 917 ", "042917"), ("042-917", "042917"), ("٠٤٢٩١٧", "042917"),
            ("1234567890", "1234567890"),
        ])
    func read(text: String, digits: String) {
        #expect(MailedCode(text)?.digits == digits)
    }

    @Test("Anything else is no code", arguments: ["", "12345", "12345678901", "04291x", "½42917", "http://x"])
    func refused(text: String) {
        #expect(MailedCode(text) == nil)
    }

    @Test(
        "A refusal names its cause",
        arguments: [
            (
                403, "otp_expired",
                "That code is wrong or has expired. The last three emailed codes are valid; five wrong attempts void them.",
                ProgramExit.notSignedIn
            ),
            (
                429, "over_email_send_rate_limit",
                "An email was sent a moment ago. Wait before you request another. (in 42 s)", .refused
            ),
            (422, "email_provider_disabled", "This server does not send emails.", .refused),
        ])
    func causes(status: Int, code: String, message: String, exit: ProgramExit) {
        let refusal = AuthRefusal(
            status: status, code: AuthErrorCode(rawValue: code), message: "said", retryAfter: .seconds(42))
        let failure = ClientFailure(mail: AuthClientError.refused(refusal), at: Self.server)
        #expect(failure.code == code)
        #expect(failure.message == message)
        #expect(failure.exit == exit)
    }
}
