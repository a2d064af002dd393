import AccountStore
import ArgumentParser
import GatehouseWire

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Fills a database with made-up people, to measure at the size that you expect.",
        discussion: """
            Their addresses end in @\(SeededPeople.domain), where no mail can go (RFC 2606). Whoever has a password has \
            the same one, which everybody can read here: not for a database that serves real people. What it is good \
            for, and what was measured with it: Docs/scale.md.
            """,
        subcommands: [BenchSeed.self, BenchUnseed.self, BenchTokens.self])
}

struct BenchSeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Adds made-up people with identities, profiles, sessions and log entries.",
        discussion: """
            The same people for the same seed. A run that was interrupted is started again: who is there is skipped. \
            Of each twenty, fourteen sign in by password, four through Google, two through Apple. Times are counted \
            back from today.
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "How many there are to be, those of earlier runs with the same seed included.") var users: Int
    @Option(help: "Other people for another number.") var seed: UInt64 = 1
    @Flag(help: "Also into a database that has other accounts.") var intoExisting = false

    func validate() throws {
        guard (1...1_000_000_000).contains(users) else { throw ValidationError("--users is 1 to 1000000000.") }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let work = Seeding(accounts: opened.accounts, users: users, seed: seed)
        let done = try await explaining {
            try await opened.accounts.exclusivelySeeding {
                if !intoExisting { try await refuseOthers(opened.accounts) }
                return try await work.run()
            }
        }
        guard let done else { throw CommandFailure("Somebody else is adding or removing made-up people right now.") }
        Output.note(done)
        Output.note("Fourteen of twenty sign in by the password: \(SeededPeople.password.reveal())")
    }

    private func refuseOthers(_ accounts: Accounts) async throws {
        guard try await accounts.countSeeded(stopsAtOther: true).hasOthers else { return }
        throw CommandFailure(
            "The database has accounts that are not made up. With --into-existing made-up people, whose password "
                + "everybody knows, are added to them.")
    }
}

struct BenchUnseed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseed", abstract: "Removes all made-up people again, and what the log says of them.",
        discussion: "A run that was interrupted is started again. The space is the database's to give back (VACUUM).")

    @OptionGroup var options: DataOptions

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        let done = try await explaining {
            try await accounts.exclusivelySeeding {
                let people = try await remove("people") { try await accounts.removeSeeded(after: $0) }
                let entries = try await remove("log entries") { try await accounts.removeSeededLog(after: $0) }
                return "\(Progress.grouped(people)) people and \(Progress.grouped(entries)) log entries removed"
            }
        }
        guard let done else { throw CommandFailure("Somebody else is adding or removing made-up people right now.") }
        Output.note(done)
    }

    private func remove(
        _ noun: String, _ step: (String?) async throws -> (last: String?, removed: Int)
    ) async throws -> Int {
        var progress = ProgressLine(noun: noun)
        var (last, removed): (String?, Int) = (nil, 0)
        repeat {
            let part = try await step(last)
            (last, removed) = (part.last, removed + part.removed)
            progress.show(fraction: nil, count: removed)
        } while last != nil
        progress.erase()
        return removed
    }
}

struct BenchTokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Prints refresh tokens of made-up people, for a load generator.",
        discussion: """
            One to a line: the current ones of sessions from all over the table, then the successors of all, and so on. \
            Whoever sends them in this order need not read the answers. Never those of other accounts.
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "Of how many sessions.") var count = 1_000
    @Option(help: "How many of each session: the current one and those that follow it.") var generations = 1

    func validate() throws {
        guard (1...1_000_000).contains(count) else { throw ValidationError("--count is 1 to 1000000.") }
        guard (1...Self.limit / count).contains(generations) else {
            throw ValidationError("--generations is at least 1, and with --count at most \(Self.limit) tokens.")
        }
    }

    private static let limit = 10_000_000

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        let tokens = try await explaining { try await accounts.seededTokens(count, generations: generations) }
        guard !tokens.isEmpty else { throw CommandFailure("There are no made-up people: `gatehouse bench seed`.") }
        try Output.send(tokens.map { $0.reveal() + "\n" }.joined())
    }
}
