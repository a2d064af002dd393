import ArgumentParser
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire

struct SignUp: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "signup", abstract: "Creates an account and signs in, unless the email must be confirmed first.",
        discussion: """
            Prompts for omitted values. Passwords are never arguments and are not shown.

            EXAMPLES:
              gatehouse signup
              gatehouse signup --email ada@example.com --password-stdin < password.txt
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Option(help: "The new account's email.") var email: String?
    @Option(help: ArgumentHelp("The profile's first name, shortened to 40 characters.", valueName: "name"))
    var firstName: String?
    @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false

    func perform(_ client: Client) async throws {
        let old = await client.auth.currentSession
        guard let user = try await signUp(client) else {
            return try client.answer(.checkMail(client.target))
        }
        try await client.tell(.signedIn(user, server: client.target.text), replacing: old)
    }

    /// - Returns: nil if the address must be confirmed before the first sign-in.
    private func signUp(_ client: Client) async throws -> AuthUser? {
        var form = EmailAuthForm(mode: .signUp)
        form.email = try await client.address(given: email)
        try form.requireAddress()
        form.name = try await name(client)
        let password = try await password(client)
        let name = form.keptName ?? ""
        do {
            let response = try await client.auth.signUp(
                email: form.trimmedEmail, password: password.reveal(),
                data: name.isEmpty ? nil : ["first_name": .string(name)])
            return response.session?.user
        } catch {
            throw ClientFailure(error, .email, at: client.target.text)
        }
    }

    /// Empty if none is given; scripts may omit the name.
    private func name(_ client: Client) async throws -> String {
        if let firstName { return firstName }
        return Terminal.canAsk && !passwordStdin ? try await client.terminal.line("First name: ") : ""
    }

    private func password(_ client: Client) async throws -> Secret {
        let password = try await client.password(fromInput: passwordStdin)
        guard !passwordStdin else { return password }
        guard password.matches(try await client.terminal.secret("Password again: ")) else {
            throw ClientFailure.passwordMismatch
        }
        return password
    }
}
