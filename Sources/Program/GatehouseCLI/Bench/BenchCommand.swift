import AccountStore
import ArgumentParser
import GatehouseWire

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Fills a database with fictitious accounts, for measurements at scale.",
        discussion: """
            Their addresses end in @\(SeededPeople.domain), to which no mail can be delivered (RFC 2606). All \
            passwords are the same and public, so never use this with a database of real accounts. Docs/scale.md has \
            uses and measurements.
            """,
        subcommands: [BenchSeed.self, BenchUnseed.self, BenchTokens.self])
}

struct BenchSeed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Adds fictitious accounts with identities, profiles, sessions and log entries.",
        discussion: """
            The same seed gives the same accounts. To continue an interrupted run, repeat it: existing accounts are \
            skipped. Of every twenty accounts, fourteen sign in with a password, four with Google, two with Apple. All \
            times are in the past.
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "The total number, including accounts of earlier runs with the same seed.") var users: Int
    @Option(help: "Different numbers give different accounts.") var seed: UInt64 = 1
    @Flag(help: "Allow a database that contains other accounts.") var intoExisting = false

    func validate() throws {
        guard (1...1_000_000_000).contains(users) else { throw ValidationError("--users must be 1 to 1000000000.") }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let work = Seeding(accounts: opened.accounts.silent, users: users, seed: seed)
        let done = try await explaining {
            try await opened.accounts.seeds.exclusivelySeeding {
                if !intoExisting { try await refuseOthers(opened.accounts) }
                return try await work.run()
            }
        }
        guard let done else { throw CommandFailure("Another `gatehouse bench` is running. Try again later.") }
        Output.note(done)
        Output.note("Fourteen of twenty accounts have the password: \(SeededPeople.password.reveal())")
    }

    private func refuseOthers(_ accounts: Accounts) async throws {
        guard try await accounts.seeds.countSeeded(stopsAtOther: true).hasOthers else { return }
        throw CommandFailure(
            "The database contains other accounts. Pass --into-existing to add fictitious accounts nevertheless; "
                + "their password is public.")
    }
}

struct BenchUnseed: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unseed", abstract: "Removes all fictitious accounts and their audit log entries.",
        discussion: "Repeat an interrupted run. Only the database's VACUUM returns the space to the system.")

    @OptionGroup var options: DataOptions

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        let done = try await explaining {
            try await accounts.seeds.exclusivelySeeding {
                let people = try await remove("people") { try await accounts.seeds.removeSeeded(after: $0) }
                let entries = try await remove("log entries") { try await accounts.seeds.removeSeededLog(after: $0) }
                return "\(Progress.grouped(people)) accounts and \(Progress.grouped(entries)) log entries removed"
            }
        }
        guard let done else { throw CommandFailure("Another `gatehouse bench` is running. Try again later.") }
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
        commandName: "tokens", abstract: "Prints refresh tokens of fictitious accounts, for a load generator.",
        discussion: """
            One per line: the current tokens of sessions from the whole table, then the successors of all, and so on. \
            Used in this order, they need no tokens from the responses. Excludes other accounts.
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "The number of sessions.") var count = 1_000
    @Option(help: "The number of tokens per session: the current one and its successors.") var generations = 1

    func validate() throws {
        guard (1...1_000_000).contains(count) else { throw ValidationError("--count must be 1 to 1000000.") }
        guard (1...Self.limit / count).contains(generations) else {
            throw ValidationError("--generations must be at least 1, and times --count at most \(Self.limit).")
        }
    }

    private static let limit = 10_000_000

    func run() async throws {
        let accounts = try await OpenedAccounts(options).accounts
        let tokens = try await explaining { try await accounts.seeds.seededTokens(count, generations: generations) }
        guard !tokens.isEmpty else { throw CommandFailure("No fictitious accounts. Run `gatehouse bench seed`.") }
        try Output.send(tokens.map { $0.reveal() + "\n" }.joined())
    }
}
