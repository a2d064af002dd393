import AccountDomain
import AccountStore
import ArgumentParser
import GatehouseWire

struct Mails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Lists the server's mails, and retries or drops those that wait.",
        discussion: "A sent mail is erased; its status stays for a week.",
        subcommands: [ListMails.self, RetryMails.self, DropMails.self])
}

struct ListMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists mails, newest first.")

    @OptionGroup var options: DataOptions
    @Option(help: "The maximum number of mails.") var limit = 100
    @Flag(help: "One JSON object per line.") var json = false

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
        let members: [String: AnyJSON?] = [
            "id": .string(mail.id), "kind": .string(mail.kind), "created_at": .string("\(mail.createdAt)"),
            "state": .string(mail.state), "attempts": .integer(Int64(mail.attempts)),
            "reason": mail.reason.map(AnyJSON.string), "ended_at": mail.endedAt.map { .string("\($0)") },
        ]
        return AnyJSON.object(JSONObject(members.compactMapValues(\.self))).text
    }
}

/// The mails that a command concerns.
struct MailChoice: ParsableArguments {
    @Argument(help: "The id of the mail.") var mail: String?
    @Flag(help: "All mails that wait.") var all = false

    func validate() throws {
        guard (mail != nil) != all else { throw ValidationError("Specify a mail or --all.") }
    }

    /// - Throws: ``CommandFailure`` for text that is no id.
    func id() throws -> String? {
        guard let mail else { return nil }
        guard let id = Identifier<MailStatus>(mail) else { throw CommandFailure("\(mail) is not an id.") }
        return id.text
    }
}

struct RetryMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Makes the server retry failed mails immediately.")

    @OptionGroup var options: DataOptions
    @OptionGroup var choice: MailChoice

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        let count = try await accounts.mailQueue.retryMails(choice.id(), at: System.now())
        guard count > 0 || choice.all else { throw CommandFailure("No such mail waits for another attempt.") }
        try Output.line("\(count) mails will be tried")
    }
}

struct DropMails: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Erases mails that wait, without sending them.")

    @OptionGroup var options: DataOptions
    @OptionGroup var choice: MailChoice

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .database).accounts
        let count = try await accounts.mailQueue.dropMails(choice.id(), at: System.now())
        guard count > 0 || choice.all else { throw CommandFailure("No such mail waits.") }
        try Output.line("\(count) mails dropped")
    }
}
