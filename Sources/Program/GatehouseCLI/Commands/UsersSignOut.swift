import AccountDomain
import AccountStore
import ArgumentParser
import GatehouseWire

struct SignOutUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Revokes the sessions of one account or of all accounts.",
        discussion: """
            Use --all after restoring a backup, which makes used tokens and revoked sessions valid again. It also voids \
            emailed codes and links (including invitations), pending email changes and sign-ins in progress. The \
            gateway accepts access tokens until they expire, for at most an hour.

            EXAMPLES:
              gatehouse users sign-out ada@example.com
              gatehouse users sign-out --all
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String?
    @Flag(help: "Revoke the sessions of all accounts.") var all = false
    @Flag(help: "Do not ask for confirmation.") var yes = false

    func validate() throws {
        guard (account != nil) != all else { throw ValidationError("Specify an account or --all.") }
    }

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        guard let account else { return try await signOutEverybody(accounts) }
        guard let user = try await find(account, in: accounts)?.user else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        try await accounts.signOut(
            user.id, name: user.name, session: nil, scope: .global, at: System.now())
        try Output.line(user.id.text)
    }

    private func signOutEverybody(_ accounts: Accounts) async throws {
        guard yes || confirmed() else { throw CommandFailure("No session was revoked.") }
        var total = 0
        while case let count = try await accounts.sessions.endSomeSessions(at: System.now()), count > 0 {
            total += count
        }
        var last: UserID?
        repeat { last = try await accounts.sessions.endAddressChanges(after: last, at: System.now()) } while last != nil
        try Output.line("\(total) sessions revoked")
    }

    private func confirmed() -> Bool {
        guard System.hasTerminal else {
            Output.note("Standard input is not a terminal. Pass --yes to confirm.")
            return false
        }
        Output.part("Sign out all users? [y/N] ")
        return readLine()?.lowercased() == "y"
    }
}
