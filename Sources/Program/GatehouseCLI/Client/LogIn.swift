import ArgumentParser
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseWire

struct LogIn: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Signs in.",
        discussion: """
            Prompts for omitted values. Passwords are never arguments and are not shown. The previous session with this \
            server stays active until the new sign-in succeeds.

            --provider signs in with the browser. If your email already has an account, enter its password to link the \
            two. --magic-link emails you a code to enter, and creates an account if there is none. --phone texts you one, \
            or with --password-stdin signs in with your number and password. An account with a second factor also asks for its code. A password that was set aside needs an emailed code once: enter it \
            when asked, or pass both with --password-stdin and --code-stdin, the code on the second line.

            EXAMPLES:
              gatehouse login
              gatehouse login --provider google
              gatehouse login --magic-link --email ada@example.com
              gatehouse login --phone +491701234567
              gatehouse login --email ada@example.com --password-stdin < password.txt
              gatehouse login --url https://accounts.example.com
            """)

    @OptionGroup(title: "Connection Options") var options: ClientOptions
    @Option(help: "The account's email.") var email: String?
    @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
    @Flag(help: "Sign in with an emailed code.") var magicLink = false
    @Option(help: PhoneArgument.help, transform: PhoneArgument.number) var phone: String?
    @OptionGroup var code: CodeOptions
    @OptionGroup var factor: FactorOptions
    @Option(help: "Sign in with a provider such as google or github, in the browser.") var provider: WebProvider?
    @Flag(help: "Print the URL instead of opening a browser.") var noBrowser = false
    @Option(
        help: ArgumentHelp("The local port that the browser returns to (default: any free port).", valueName: "port"))
    var callbackPort: UInt16?

    func validate() throws {
        if provider != nil, email != nil || passwordStdin {
            throw ValidationError("--provider cannot be combined with --email and --password-stdin.")
        }
        if magicLink, passwordStdin || provider != nil {
            throw ValidationError("--magic-link cannot be combined with --password-stdin and --provider.")
        }
        if phone != nil, email != nil || magicLink || provider != nil {
            throw ValidationError("--phone cannot be combined with --email, --magic-link and --provider.")
        }
        if passwordStdin, code.sendOnly {
            throw ValidationError("--send-only cannot be combined with --password-stdin.")
        }
        if !magicLink, phone == nil, code.codeStdin && !passwordStdin || code.sendOnly {
            throw ValidationError(
                "--send-only requires --magic-link or --phone; so does --code-stdin without --password-stdin.")
        }
        if provider == nil, noBrowser || callbackPort != nil {
            throw ValidationError("--no-browser and --callback-port require --provider.")
        }
    }

    func perform(_ client: Client) async throws {
        let old = await client.auth.currentSession
        let user: AuthUser
        if let provider {
            let browser = BrowserSignIn(
                provider: provider, opensBrowser: !noBrowser, port: callbackPort ?? 0, factor: factor)
            user = try await browser.signIn(client)
        } else if magicLink {
            guard let found = try await signInByMail(client) else {
                return try client.answer(.mailed(client.target))
            }
            user = found
        } else if let phone, !passwordStdin {
            guard let found = try await client.signInByText(phone, code) else {
                return try client.answer(.texted(client.target))
            }
            user = found
        } else if let phone {
            user = try await client.signInByPhone(phone, code)
        } else {
            user = try await signIn(client)
        }
        let complete = try await client.complete(user, factor, replacing: old)
        try await client.tell(.signedIn(complete, server: client.target.text), replacing: old)
    }

    /// - Returns: nil if only an email was requested.
    private func signInByMail(_ client: Client) async throws -> AuthUser? {
        try code.requireWay()
        let email = try await client.validAddress(given: email)
        if !code.codeStdin {
            try await client.mail(to: email) { try await client.auth.signInWithOTP(email: email) }
            if code.sendOnly { return nil }
        }
        return try await client.redeem(code, .email, of: email)
    }

    private func signIn(_ client: Client) async throws -> AuthUser {
        let email = try await client.validAddress(given: email)
        let password = try await client.password(fromInput: passwordStdin)
        if code.codeStdin { return try await client.redeem(code, .email, of: email, restoring: password) }
        do {
            return try await client.auth.signIn(email: email, password: password.reveal()).user
        } catch {
            var failure = ClientFailure(error, .email, at: client.target.text)
            if failure.code == AuthErrorCode.credentialSetAside.rawValue {
                guard Terminal.canAsk else {
                    failure.remedy = "Pass --password-stdin and --code-stdin, with the emailed code on the second line."
                    throw failure
                }
                client.note(failure.message)
                return try await client.redeem(code, .email, of: email, restoring: password)
            }
            if failure.code == AuthErrorCode.emailNotConfirmed.rawValue {
                failure.remedy = "Run `gatehouse verify` with the emailed code."
            }
            throw failure
        }
    }
}

extension EmailAuthForm {
    /// - Throws: ``ClientFailure`` with the screen's message.
    func requireAddress() throws(ClientFailure) {
        guard !isValid(.email, password: "", confirmation: "") else { return }
        throw ClientFailure("invalid_email", "Please enter a valid email address.", exit: .usage)
    }
}

extension Client {
    func address(given: String?) async throws -> String {
        if let given { return given }
        return try await ask("Email: ", insteadOf: "--email")
    }

    /// - Throws: ``ClientFailure`` for an address that no account can have.
    func validAddress(given: String?) async throws -> String {
        var form = EmailAuthForm(mode: .signIn)
        form.email = try await address(given: given)
        try form.requireAddress()
        return form.trimmedEmail
    }

    /// - Throws: ``ClientFailure`` if standard input is not a terminal.
    func password(fromInput: Bool) async throws -> Secret {
        if fromInput { return try await terminal.secretLine() }
        guard Terminal.canAsk else {
            throw ClientFailure.usage("Standard input is not a terminal. Pass --password-stdin.")
        }
        return try await terminal.secret("Password: ")
    }

    func endReplaced(_ old: AuthSession?) async {
        guard let old else { return }
        do {
            try await auth.end(old)
        } catch AuthClientError.refused {
            // The session had already ended.
        } catch {
            note("The previous session is still active on the server. List it with `gatehouse sessions`.")
        }
    }
}
