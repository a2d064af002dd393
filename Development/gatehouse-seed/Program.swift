import AccountStore
import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire
import Logging
import Seeding

@main
struct Program: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse-seed",
        abstract: "Fills a database with fictitious accounts, for measurements at scale.",
        discussion: """
            Their addresses end in @\(SeededPeople.domain), to which no mail can be delivered (RFC 2606). All \
            passwords are the same and public, so never use this with a database of real accounts. Reads the \
            environment variables of `gatehouse serve`. Docs/scale.md has uses and measurements.
            """,
        subcommands: [Add.self, Remove.self, Tokens.self])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(withError: error)
        }
        // Without exit handlers: OpenSSL's frees what threads of libpq still use.
        fflush(nil)
        _exit(0)
    }

    static func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}

struct SeedingFailure: Error, CustomStringConvertible {
    let description: String
}

extension Accounts {
    /// Its schema must be this build's.
    static func opened() throws -> Accounts {
        let settings = try ServerSettings(GivenSettings(environment: ProcessInfo.processInfo.environment))
        guard let secrets = settings.secrets else { throw SeedingFailure(description: "GATEHOUSE_SECRETS is missing.") }
        let start = ContinuousClock.now
        let uptime: @Sendable () -> Duration = { ContinuousClock.now - start }
        let world = World(
            now: { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) }, uptime: uptime,
            threadUptime: uptime, sleep: { try await Task.sleep(for: $0) },
            random: {
                var generator = SystemRandomNumberGenerator()
                return generator.next()
            },
            transport: OutgoingHTTP.overNetwork, resolve: NameResolution.addresses,
            logger: Logger(label: "gatehouse-seed") { _ in SwiftLogNoOpLogHandler() })
        return makeAccounts(settings, secrets, try openDatabase(settings.database, world), world)
    }

    /// Does nothing if another process seeds the same database.
    func seeding(_ work: @Sendable () async throws -> String) async throws {
        guard let done = try await seeds.exclusivelySeeding(work) else {
            throw SeedingFailure(description: "Another gatehouse-seed is running. Try again later.")
        }
        Program.note(done)
    }
}
