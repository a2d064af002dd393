import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire

struct InviteUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Emails an invitation, which creates the account or repeats an earlier one.",
        discussion: """
            The running server sends it. Prints the account's ID.

            EXAMPLES:
              gatehouse users invite ada@example.com --name "Ada Stone"
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The email to invite.") var email: String
    @Option(help: "The user's full name, for a new account.") var name: String?

    func validate() throws {
        guard EmailAddress(email) != nil else {
            throw ValidationError("\(email.printable) is not an email address.")
        }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        guard let mail = opened.settings.auth.mail, let address = EmailAddress(email) else {
            throw CommandFailure("This server does not send emails. Set up SMTP, then try again.")
        }
        let request = opened.settings.auth.invitation(mail)
        var order = LinkOrder(.invite, address, request, from: Device(userAgent: nil, address: nil))
        if let name { order.data = ["full_name": .string(name)] }
        switch try await opened.accounts.mails.invite(order, at: System.now()) {
        case .done(let account, _, _): try Output.line(account.user.id.text)
        case .emailTaken, .unknownUser: throw CommandFailure("An account with this email is confirmed already.")
        case .metadataTooLong: throw CommandFailure("The name is too long for an access token.")
        }
    }
}
