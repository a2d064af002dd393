import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire

struct UnlockUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock", abstract: "Resets an account's limits of failed sign-ins, on every server.",
        discussion: "EXAMPLES:\n  gatehouse users unlock ada@example.com")

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String

    func run() async throws {
        let opened = try await OpenedAccounts(options, using: .locks)
        let user = try await found(account, in: opened.accounts)
        try await makeLocks(opened.settings, opened.database, opened.accounts).unlock(user, at: System.now())
        try Output.line(user.id.text)
    }
}

struct BanUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ban", abstract: "Bans an account.",
        discussion: """
            The user cannot sign in or use existing sessions until the ban ends. Only operators see the reason.

            EXAMPLES:
              gatehouse users ban ada@example.com --for 24h --reason "Spam in comments"
              gatehouse users ban ada@example.com --until 2026-12-24T18:00:00Z
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Option(name: .customLong("for"), help: ArgumentHelp("The duration, such as 24h.", valueName: "duration"))
    var duration: String?
    @Option(help: ArgumentHelp("The end, such as 2026-12-24T18:00:00Z.", valueName: "time")) var until: String?
    @Option(help: "Why, for operators.") var reason: String?

    func validate() throws {
        guard (duration == nil) != (until == nil) else { throw ValidationError("Specify --for or --until.") }
        if let duration, Duration(go: duration) == nil {
            throw ValidationError("--for must be a duration such as 24h.")
        }
        if let until, Instant(until) == nil {
            throw ValidationError("--until must be a time such as 2026-12-24T18:00:00Z.")
        }
        if let reason, reason.utf8.count > BanNote.longestReason {
            throw ValidationError("--reason must be at most \(BanNote.longestReason) bytes.")
        }
    }

    func run() async throws {
        let now = System.now()
        let end = until.flatMap { Instant($0) } ?? now + (duration.flatMap { Duration(go: $0) } ?? .zero)
        guard end > now else { throw CommandFailure("The end of the ban is in the past.") }
        var attributes = AdminAttributes()
        (attributes.ban, attributes.banReason) = (.lasting(end - now), reason)
        try await change(account, attributes, options, at: now)
    }
}

struct UnbanUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unban", abstract: "Lifts an account's ban.",
        discussion: "EXAMPLES:\n  gatehouse users unban ada@example.com")

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String

    func run() async throws {
        var attributes = AdminAttributes()
        attributes.ban = .lifted
        try await change(account, attributes, options, at: System.now())
    }
}

struct EditUser: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit", abstract: "Changes an account's email, phone number, role or metadata.",
        discussion: """
            A changed address takes effect immediately; the former one is notified. Metadata is merged at the top level, \
            and null removes a member.

            EXAMPLES:
              gatehouse users edit ada@example.com --email ada@example.org --confirm
              gatehouse users edit ada@example.com --user-metadata '{"full_name": "Ada Stone"}'
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The account's ID or email.") var account: String
    @Option(help: "The new email.") var email: String?
    @Option(help: PhoneArgument.help, transform: PhoneArgument.number) var phone: String?
    @Option(help: "The new role.") var role: String?
    @Option(help: ArgumentHelp("A JSON object.", valueName: "json")) var userMetadata: String?
    @Option(help: ArgumentHelp("A JSON object.", valueName: "json")) var appMetadata: String?
    @Flag(help: "Mark the email and the phone number as confirmed.") var confirm = false

    func validate() throws {
        if let email, EmailAddress(email) == nil {
            throw ValidationError("\(email.printable) is not an email address.")
        }
        for text in [userMetadata, appMetadata] { _ = try text.map(Self.object) }
        guard confirm || [email, phone, role, userMetadata, appMetadata].contains(where: { $0 != nil }) else {
            throw ValidationError("Specify at least one change.")
        }
    }

    func run() async throws {
        var attributes = AdminAttributes()
        attributes.email = email.flatMap { EmailAddress($0) }
        attributes.phone = phone.flatMap { PhoneNumber(String($0.dropFirst())) }
        attributes.role = role
        attributes.userMetadata = try userMetadata.map(Self.object)
        attributes.appMetadata = try appMetadata.map(Self.object)
        (attributes.confirmsEmail, attributes.confirmsPhone) = (confirm, confirm)
        try await change(account, attributes, options, at: System.now())
    }

    private static func object(_ text: String) throws -> AuthJSONObject {
        // Ignored: the message says what is expected.
        guard let object = (try? JSONReader.read(text))?.objectValue else {
            throw ValidationError("Metadata must be a JSON object, such as '{\"plan\": \"team\"}'.")
        }
        return object
    }
}

extension Set<Setting> {
    static var locks: Self { sessionEnds.union([.limits, .rateFailedSignIns]) }
}

private func found(_ name: String, in accounts: Accounts) async throws -> User {
    guard let user = try await find(name, in: accounts)?.user, user.times.deletedAt == nil else {
        throw CommandFailure("No account is \(name.printable). List them with `gatehouse users list`.")
    }
    return user
}

private func change(
    _ name: String, _ attributes: AdminAttributes, _ options: DataOptions, at now: Instant
) async throws {
    let accounts = try await OpenedAccounts(options).accounts
    let user = try await found(name, in: accounts)
    switch try await accounts.admin.update(user.id, attributes, at: now) {
    case .done(let account): try Output.line(account.user.id.text)
    case .emailTaken: throw CommandFailure("An account with this email already exists.")
    case .phoneTaken: throw CommandFailure("An account with this phone number already exists.")
    case .metadataTooLong: throw CommandFailure("The metadata is too long for an access token.")
    case .idTaken, .unknownUser, .refusedRole: throw CommandFailure("The account was not changed.")
    }
}
