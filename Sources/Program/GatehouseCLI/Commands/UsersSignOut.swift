import AccountDomain
import AccountStore
import ArgumentParser
import GatehouseWire

struct SignOutUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Ends the sessions of one account or of all accounts.",
        discussion: """
            Use --all after restoring a backup, which makes spent tokens and ended sessions valid again. It also ends \
            mailed codes and links, invitations among them, changes of address that wait, and sign-ins that have \
            begun. The gateway accepts issued access tokens until they expire, for an hour at most.
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's id or email address.") var account: String?
    @Flag(help: "End the sessions of all accounts.") var all = false
    @Flag(help: "Do not ask.") var yes = false

    func validate() throws {
        guard (account != nil) != all else { throw ValidationError("Specify an account or --all.") }
    }

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        guard let account else { return try await signOutEverybody(accounts) }
        guard let user = try await find(account, in: accounts)?.user else {
            throw CommandFailure("There is no such account.")
        }
        try await accounts.signOut(
            user.id, name: user.email ?? "", session: nil, scope: .global, at: System.now())
        try Output.line(user.id.text)
    }

    private func signOutEverybody(_ accounts: Accounts) async throws {
        guard yes || confirmed() else { throw CommandFailure("No session was ended.") }
        var total = 0
        while case let count = try await accounts.sessions.endSomeSessions(at: System.now()), count > 0 {
            total += count
        }
        var last: UserID?
        repeat { last = try await accounts.sessions.endAddressChanges(after: last, at: System.now()) } while last != nil
        try Output.line("\(total) sessions ended")
    }

    private func confirmed() -> Bool {
        guard System.hasTerminal else {
            Output.note("Standard input is not a terminal; pass --yes to confirm.")
            return false
        }
        Output.part("Sign out all users? [y/N] ")
        return readLine()?.lowercased() == "y"
    }
}
