import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPServing

struct Operators: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operators", abstract: "Lists, adds and removes the operators of the console and the admin API.",
        discussion: """
            ROLES, each with the rights of the ones before it:
              auditor        reads
              support        also sends emails to users, unlocks them and signs them out
              administrator  also changes and deletes users who are not operators
              owner          also operators and signing keys
            """,
        subcommands: [ListOperators.self, AddOperator.self, RemoveOperator.self])
}

enum OperatorTitle: String, CaseIterable, ExpressibleByArgument {
    case auditor, support, administrator, owner

    /// The account's.
    fileprivate func role(_ settings: AuthSettings) throws -> String {
        switch self {
        case .auditor: return OperatorRole.auditor.rawValue
        case .support: return OperatorRole.support.rawValue
        case .administrator: return OperatorRole.administrator.rawValue
        case .owner:
            guard let role = settings.adminRoles.first else { throw CommandFailure("jwt_admin_roles has no role.") }
            return role
        }
    }

    fileprivate init(_ rights: OperatorRole?) {
        switch rights {
        case .auditor: self = .auditor
        case .support: self = .support
        case .administrator: self = .administrator
        case nil: self = .owner
        }
    }
}

struct ListOperators: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists operators, oldest first.")

    @OptionGroup var options: DataOptions

    func run() async throws {
        let opened = try await OpenedAccounts(options, using: .database)
        let found = try await opened.accounts.admin.administrators(roles: opened.settings.auth.operatorRoles)
        var table = TextTable(["ID", "EMAIL", "ROLE", "LAST SIGN-IN"])
        for user in found {
            table.add([
                user.id.text, user.email ?? user.phone ?? "-",
                OperatorTitle(OperatorRole(rawValue: user.role)).rawValue,
                user.times.lastSignInAt.map { "\($0)" } ?? "-",
            ])
        }
        try Output.send(table.text)
    }
}

struct AddOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Makes an account an operator, or changes an operator's role.",
        discussion: """
            Without an account with this email, creates one: its owner sets a password with "Forgot password?". Takes \
            effect at the next sign-in: sessions, codes and links from before end. If an administrator could have set the \
            account's password, have its owner set a new one.

            EXAMPLES:
              gatehouse operators add ada@example.com --role support
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Option(help: "The role.") var role: OperatorTitle

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let settings = opened.settings.auth
        var attributes = AdminAttributes()
        attributes.role = try role.role(settings)
        let outcome: AdminOutcome
        if let user = try await account(in: opened.accounts) {
            if settings.rights(of: user.role) == .own, role != .owner {
                try await opened.accounts.requireOtherOwner(than: user, settings)
            }
            attributes.roleNeedsNewSignIn = settings.raisesRights(attributes.role, over: user.role)
            outcome = try await opened.accounts.admin.update(user.id, attributes, at: System.now())
        } else {
            guard let email = EmailAddress(account) else {
                throw CommandFailure("No account is \(account.printable). List them with `gatehouse users list`.")
            }
            (attributes.email, attributes.confirmsEmail) = (email, true)
            outcome = try await opened.accounts.admin.create(attributes, at: System.now())
        }
        guard case .done(let done) = outcome else {
            throw CommandFailure("\(account.printable) was registered, deleted or changed meanwhile. Try again.")
        }
        try Output.line(done.user.id.text)
    }

    private func account(in accounts: Accounts) async throws -> User? {
        guard let user = try await find(account, in: accounts)?.user, user.times.deletedAt == nil else { return nil }
        guard user.times.emailProvenAt != nil || UserID(account) != nil else {
            throw CommandFailure(
                "\(account.printable) is not proven, so a stranger may have registered it: let its owner sign in with an "
                    + "emailed code first, or name the account's ID \(user.id.text).")
        }
        return user
    }
}

struct RemoveOperator: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Takes an operator's rights, from the next request. The account stays.",
        discussion: "EXAMPLES:\n  gatehouse operators remove ada@example.com")

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let settings = opened.settings.auth
        guard let user = try await find(account, in: opened.accounts)?.user, let rights = settings.rights(of: user.role)
        else { throw CommandFailure("No operator is \(account.printable). List them with `gatehouse operators list`.") }
        if rights == .own { try await opened.accounts.requireOtherOwner(than: user, settings) }
        var attributes = AdminAttributes()
        attributes.role = opened.settings.role
        guard case .done = try await opened.accounts.admin.update(user.id, attributes, at: System.now()) else {
            throw CommandFailure("\(account.printable) was deleted meanwhile.")
        }
        try Output.line(user.id.text)
    }
}

extension Accounts {
    fileprivate func requireOtherOwner(than user: User, _ settings: AuthSettings) async throws {
        let now = System.now()
        let owners = try await admin.administrators(roles: settings.adminRoles)
        guard owners.contains(where: { $0.id != user.id && !$0.isBanned(at: now) }) else {
            throw CommandFailure("This is the last owner. Add another with `gatehouse operators add`, then try again.")
        }
    }
}
