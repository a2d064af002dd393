import AccountDomain
import AccountStore
import ArgumentParser
import GatehouseWire

struct Users: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users", abstract: "Lists, creates, changes, deletes, imports and exports accounts.",
        subcommands: [
            ListUsers.self, CreateUser.self, InviteUser.self, EditUser.self, BanUser.self, UnbanUser.self,
            UnlockUser.self, DeleteUser.self, SignOutUsers.self, ImportUsers.self, ExportUsers.self,
        ])
}

struct ListUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists accounts, newest first.",
        discussion: """
            --filter searches as the console does.

            EXAMPLES:
              gatehouse users list --filter ada
              gatehouse users list --filter "Ada Lovelace"
            """)

    @OptionGroup var options: DataOptions
    @Flag(help: "Print one JSON object per line, without password hashes.") var json = false
    @Option(
        help: ArgumentHelp(
            "Only accounts with this email, name, phone number or ID, or its beginning.", valueName: "text"))
    var filter: String?

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        var table = TextTable(["ID", "EMAIL", "CREATED", "CONFIRMED", "LAST SIGN-IN", "STATE"])
        try await each(of: accounts) { account in
            if json { try Output.line(withoutHash(account).escaped) } else { table.add(row(account.user)) }
        }
        if !json { try Output.send(table.text) }
    }

    private func each(of accounts: Accounts, _ body: (Account) throws -> Void) async throws {
        guard let filter else {
            var last: User?
            repeat {
                let page = try await accounts.admin.newest(after: last, limit: 1_000)
                for account in page { try body(account) }
                last = page.last?.user
            } while last != nil
            return
        }
        var (search, next): (AccountSearch, String?) = (AccountSearch(), nil)
        search.text = filter
        repeat {
            let page = try await accounts.admin.search(search, after: next, limit: 100, at: System.now())
            if page.isIncomplete, next == nil {
                Output.note("Names of some accounts are not indexed yet. `gatehouse serve` indexes them.")
            }
            if page.isCut { Output.note("More accounts have this number or ID. Add digits to find them.") }
            for found in page.accounts {
                if let account = try await accounts.admin.account(found.id) { try body(account) }
            }
            next = page.next
        } while next != nil
    }

    func validate() throws {
        if let filter, filter.utf8.count > AccountSearch.longestText || filter.utf8.contains(0) {
            throw ValidationError("--filter has at most \(AccountSearch.longestText) bytes.")
        }
    }

    private func withoutHash(_ account: Account) -> String {
        var account = account
        account.user.passwordHash = nil
        return AccountLine.text(account)
    }

    private func row(_ user: User) -> [String] {
        let state =
            user.times.deletedAt != nil
            ? "deleted" : user.isBanned(at: System.now()) ? "banned" : user.isAnonymous ? "anonymous" : "-"
        return [
            user.id.text, user.email ?? user.phone ?? "-", "\(user.times.createdAt)",
            user.confirmedAt.map { "\($0)" } ?? "-", user.times.lastSignInAt.map { "\($0)" } ?? "-", state,
        ]
    }
}

struct DeleteUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes an account and its data.",
        discussion: "EXAMPLES:\n  gatehouse users delete ada@example.com")

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @Flag(help: "Erase the account but keep its ID, for references to it.") var soft = false

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        guard let found = try await find(account, in: accounts) else {
            throw CommandFailure("No account is \(account). List them with `gatehouse users list`.")
        }
        let id = found.user.id
        guard yes || confirmed(found.user) else { throw CommandFailure("Nothing was deleted.") }
        let now = System.now()
        let done =
            soft ? try await accounts.softDelete(id, at: now) : try await accounts.delete(id, actor: nil, at: now)
        guard done else { throw CommandFailure("The account was already deleted.") }
        try Output.line(id.text)
    }

    private func confirmed(_ user: User) -> Bool {
        guard System.hasTerminal else {
            Output.note("Standard input is not a terminal. Pass --yes to confirm.")
            return false
        }
        Output.part("Delete \(user.email?.printable ?? user.id.text) with its profile and sessions? [y/N] ")
        return readLine()?.lowercased() == "y"
    }
}

/// - Parameter name: An id or email address.
func find(_ name: String, in accounts: Accounts) async throws -> Account? {
    if let id = UserID(name) { return try await accounts.admin.account(id) }
    guard let email = EmailAddress(name) else {
        throw CommandFailure(
            "\(name) is neither an account ID nor an email. List accounts with `gatehouse users list`.")
    }
    return try await accounts.signIns.account(email: email)
}
