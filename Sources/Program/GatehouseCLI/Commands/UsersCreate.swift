import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire
import PasswordHashing

struct CreateUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Creates an account.",
        discussion: """
            Prints the account's ID. Without a password, the user cannot sign in until a password is set.

            EXAMPLES:
              gatehouse users create --email ada@example.com --password-prompt
              gatehouse users create --phone +491701234567 --confirm
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "The account's email.") var email: String?
    @Option(help: PhoneArgument.help, transform: PhoneArgument.number) var phone: String?
    @Flag(help: "Read the password from the first line of standard input.") var passwordStdin = false
    @Flag(help: "Prompt for the password.") var passwordPrompt = false
    @Flag(help: "Mark the email and the phone number as confirmed.") var confirm = false

    func validate() throws {
        if passwordStdin, passwordPrompt {
            throw ValidationError("--password-stdin and --password-prompt cannot be combined.")
        }
        if email == nil, phone == nil { throw ValidationError("Specify --email or --phone.") }
        if let email, EmailAddress(email) == nil {
            throw ValidationError("\(email.printable) is not an email address.")
        }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        var attributes = AdminAttributes()
        attributes.email = email.flatMap { EmailAddress($0) }
        attributes.phone = phone.flatMap { PhoneNumber(String($0.dropFirst())) }
        (attributes.confirmsEmail, attributes.confirmsPhone) = (confirm && email != nil, confirm && phone != nil)
        if let password = try await password() {
            attributes.passwordHash = try await hash(password, opened.settings)
        }
        switch try await opened.accounts.admin.create(attributes, at: System.now()) {
        case .done(let account): try Output.line(account.user.id.text)
        case .emailTaken: throw CommandFailure("An account with this email already exists.")
        case .phoneTaken: throw CommandFailure("An account with this phone number already exists.")
        case .idTaken, .unknownUser, .refusedRole, .metadataTooLong:
            throw CommandFailure("The account was not created.")
        }
    }

    private func password() async throws -> Secret? {
        if passwordStdin {
            guard let line = readLine() else { throw CommandFailure("Standard input contains no password.") }
            return Secret(line)
        }
        guard passwordPrompt else { return nil }
        guard Terminal.canAsk else { throw CommandFailure("Standard input is not a terminal. Pass --password-stdin.") }
        let terminal = await Terminal.watched { Output.part("\n") }
        let first = try await terminal.secret("Password: ")
        guard first.matches(try await terminal.secret("Again: ")) else {
            throw CommandFailure("The passwords do not match.")
        }
        return first
    }

    private func hash(_ password: Secret, _ settings: ServerSettings) async throws -> Secret {
        let policy = settings.auth.passwordPolicy
        do {
            try policy.check(password, of: email)
        } catch {
            throw CommandFailure(policy.message(for: error))
        }
        let hasher = PasswordHasher(settings: settings.hashCost, threads: 1, randomBytes: System.randomBytes)
        do {
            let hash = try await hasher.hash(password)
            await hasher.shutdown()
            return hash
        } catch {
            await hasher.shutdown()
            throw CommandFailure("The password could not be hashed (\(error)).")
        }
    }
}
