import AccountDomain
import AccountStore
import ArgumentParser
import GatehouseWire

struct Mails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Lists emails, and retries or discards queued ones.",
        discussion: "An email's content is erased when it is sent. Its status is kept for a week.",
        subcommands: [ListMails.self, RetryMails.self, DropMails.self])
}

struct ListMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists emails, newest first.",
        discussion: "EXAMPLES:\n  gatehouse mail list --limit 20")

    @OptionGroup var options: DataOptions
    @Option(help: ArgumentHelp("The maximum number of emails.", valueName: "n")) var limit = 100
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be positive.") }
    }

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        var table = TextTable(["ID", "KIND", "CREATED", "STATE", "ATTEMPTS", "REASON"])
        for mail in try await accounts.mailQueue.mails(limit: limit) {
            if json { try Output.line(line(mail)) } else { table.add(row(mail)) }
        }
        if !json { try Output.send(table.text) }
    }

    private func row(_ mail: MailStatus) -> [String] {
        [mail.id, mail.kind, "\(mail.createdAt)", mail.state, "\(mail.attempts)", mail.reason ?? "-"]
    }

    private func line(_ mail: MailStatus) -> String {
        let members: [String: AuthJSON?] = [
            "id": .string(mail.id), "kind": .string(mail.kind), "created_at": .string("\(mail.createdAt)"),
            "state": .string(mail.state), "attempts": .integer(Int64(mail.attempts)),
            "reason": mail.reason.map(AuthJSON.string), "ended_at": mail.endedAt.map { .string("\($0)") },
        ]
        return AuthJSON.object(AuthJSONObject(members.compactMapValues(\.self))).text
    }
}

struct MailChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("The email's ID, from `gatehouse mail list`.", valueName: "id")) var mail: String?
    @Flag(help: "All queued emails.") var all = false

    func validate() throws {
        guard (mail != nil) != all else { throw ValidationError("Specify an email's ID or --all.") }
    }

    func id() throws -> String? {
        guard let mail else { return nil }
        guard let id = Identifier<MailStatus>(mail) else {
            throw CommandFailure("\(mail) is not an email ID. List them with `gatehouse mail list`.")
        }
        return id.text
    }
}

struct RetryMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Retries failed emails immediately.",
        discussion: "EXAMPLES:\n  gatehouse mail retry --all")

    @OptionGroup var options: DataOptions
    @OptionGroup var choice: MailChoice

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        let count = try await accounts.mailQueue.retryMails(choice.id(), at: System.now())
        guard count > 0 || choice.all else {
            throw CommandFailure("No queued email has this ID. List them with `gatehouse mail list`.")
        }
        try Output.line("\(count) emails will be retried")
    }
}

struct DropMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Discards queued emails without sending them.",
        discussion: "EXAMPLES:\n  gatehouse mail drop 9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11")

    @OptionGroup var options: DataOptions
    @OptionGroup var choice: MailChoice

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        let count = try await accounts.mailQueue.dropMails(choice.id(), at: System.now())
        guard count > 0 || choice.all else {
            throw CommandFailure("No queued email has this ID. List them with `gatehouse mail list`.")
        }
        try Output.line("\(count) emails discarded")
    }
}
