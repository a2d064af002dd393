import ArgumentParser
import Gatehouse
import GatehouseModel
import GatehouseWire

struct Verify: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Confirms a sign-up with the emailed code, and signs in.",
        discussion: """
            Prompts for omitted values.

            EXAMPLES:
              gatehouse verify --email ada@example.com
              gatehouse verify --email ada@example.com --resend
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @OptionGroup var code: CodeOptions
    @OptionGroup var factor: FactorOptions
    @Option(help: "The email used to sign up.") var email: String?
    @Flag(help: "Send the email again first.") var resend = false

    func validate() throws {
        if code.sendOnly, !resend { throw ValidationError("--send-only requires --resend.") }
        if code.codeStdin, resend { throw ValidationError("--code-stdin and --resend cannot be combined.") }
    }

    func perform(_ client: Client) async throws {
        if resend { try code.requireWay() }
        let old = await client.auth.currentSession
        let email = try await client.validAddress(given: email)
        if resend {
            try await client.mail(to: email) { try await client.auth.resend(email: email, type: .signup) }
            if code.sendOnly { return try client.answer(.mailed(client.target)) }
        }
        let user = try await client.complete(
            client.redeem(code, .signup, of: email), factor, replacing: old)
        try await client.tell(.signedIn(user, server: client.target.text), replacing: old)
    }
}
