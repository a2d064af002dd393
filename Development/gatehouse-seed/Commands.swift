import AccountStore
import ArgumentParser
import Foundation
import GatehouseWire
import Seeding

struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Adds fictitious accounts with identities, profiles, sessions and log entries.",
        discussion: """
            The same seed gives the same accounts. To continue an interrupted run, repeat it: existing accounts are \
            skipped. Of every twenty accounts, fourteen sign in with a password, four with Google, two with Apple. All \
            times are in the past.
            """)

    @Option(help: "The total number, including accounts of earlier runs with the same seed.") var users: Int
    @Option(help: "Different numbers give different accounts.") var seed: UInt64 = 1
    @Flag(help: "Allow a database that contains other accounts.") var intoExisting = false

    func validate() throws {
        guard (1...1_000_000_000).contains(users) else { throw ValidationError("--users must be 1 to 1000000000.") }
    }

    func run() async throws {
        let accounts = try Accounts.opened()
        let work = Batches(accounts: accounts, users: users, seed: seed)
        try await accounts.seeding {
            if !intoExisting { try await refuseOthers(accounts) }
            return try await work.run()
        }
        Program.note("Fourteen of twenty accounts have the password: \(SeededPeople.password.reveal())")
    }

    private func refuseOthers(_ accounts: Accounts) async throws {
        guard try await accounts.seeds.countSeeded(stopsAtOther: true).hasOthers else { return }
        throw SeedingFailure(
            description: "The database contains other accounts. Pass --into-existing to add fictitious accounts "
                + "nevertheless; their password is public.")
    }
}

struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Removes all fictitious accounts and their audit log entries.",
        discussion: "Repeat an interrupted run. Only the database's VACUUM returns the space to the system.")

    func run() async throws {
        let accounts = try Accounts.opened()
        try await accounts.seeding {
            let people = try await remove { try await accounts.seeds.removeSeeded(after: $0) }
            let entries = try await remove { try await accounts.seeds.removeSeededLog(after: $0) }
            return "\(people) accounts and \(entries) log entries removed"
        }
    }

    private func remove(_ step: (String?) async throws -> (last: String?, removed: Int)) async throws -> Int {
        var (last, removed): (String?, Int) = (nil, 0)
        repeat {
            let part = try await step(last)
            (last, removed) = (part.last, removed + part.removed)
        } while last != nil
        return removed
    }
}

struct Tokens: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints refresh tokens of fictitious accounts, for a load generator.",
        discussion: """
            One per line: the current tokens of sessions from the whole table, then the successors of all, and so on. \
            Used in this order, they need no tokens from the responses. Excludes other accounts.
            """)

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
        let tokens = try await Accounts.opened().seeds.seededTokens(count, generations: generations)
        guard !tokens.isEmpty else {
            throw SeedingFailure(description: "No fictitious accounts. Run `gatehouse-seed add`.")
        }
        try FileHandle.standardOutput.write(contentsOf: Data(tokens.map { $0.reveal() + "\n" }.joined().utf8))
    }
}
