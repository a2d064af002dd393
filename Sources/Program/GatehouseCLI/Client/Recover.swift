import ArgumentParser
import Gatehouse
import GatehouseModel
import GatehouseWire

struct Recover: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Sets a new password with an emailed code, and signs in.",
        discussion: """
            Prompts for omitted values. Passwords are never arguments and are not shown. With --code-stdin, standard \
            input has the code, then the second-factor code with --factor-stdin, then the new password, one per line. \
            The new password signs out all other devices.

            EXAMPLES:
              gatehouse recover --email ada@example.com
              gatehouse recover --email ada@example.com --send-only
              printf '%s\\n%s\\n' "$CODE" "$PASSWORD" | gatehouse recover \\
                --email ada@example.com --code-stdin
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @OptionGroup var code: CodeOptions
    @OptionGroup var factor: FactorOptions
    @Option(help: "The account's email.") var email: String?

    /// The command ends after so many refused passwords.
    private static let tries = 5

    func perform(_ client: Client) async throws {
        try code.requireWay()
        let old = await client.auth.currentSession
        let email = try await client.validAddress(given: email)
        if !code.codeStdin {
            try await client.mail(to: email) { try await client.auth.resetPasswordForEmail(email) }
            if code.sendOnly { return try client.answer(.mailed(client.target)) }
        }
        let user = try await client.complete(client.redeem(code, .recovery, of: email), factor, replacing: old)
        do {
            try await setPassword(client)
        } catch {
            client.noteStorage()
            await client.endReplaced(old)
            throw Self.unchanged(ClientFailure(error, .email, at: client.target.text))
        }
        try await client.tell(.recovered(user, server: client.target.text), replacing: old)
    }

    private func setPassword(_ client: Client) async throws {
        var left = Self.tries
        while true {
            left -= 1
            do {
                let password = try await password(client)
                _ = try await client.auth.update(user: AuthUserAttributes(password: password.reveal()))
                return
            } catch {
                let failure = ClientFailure(error, .email, at: client.target.text)
                guard !code.codeStdin, left > 0, Self.isAboutPassword(failure) else { throw failure }
                client.note(failure.message)
            }
        }
    }

    private func password(_ client: Client) async throws -> Secret {
        guard !code.codeStdin else { return try await client.terminal.secretLine("new password") }
        let password = try await client.terminal.secret("New password: ")
        guard password.matches(try await client.terminal.secret("New password again: ")) else {
            throw ClientFailure.passwordMismatch
        }
        return password
    }

    private static func isAboutPassword(_ failure: ClientFailure) -> Bool {
        [AuthErrorCode.weakPassword.rawValue, AuthErrorCode.samePassword.rawValue, ClientFailure.passwordMismatch.code]
            .contains(failure.code)
    }

    /// The code has been used.
    private static func unchanged(_ failure: ClientFailure) -> ClientFailure {
        var failure = failure
        let note = "You are signed in, but your password is unchanged. Run `gatehouse recover` again."
        failure.remedy = [failure.remedy, note].compactMap(\.self).joined(separator: " ")
        return failure
    }
}
