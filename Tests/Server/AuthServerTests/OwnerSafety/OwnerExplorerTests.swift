import AuthServer
import Foundation
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// Random requests by an owner and by other people. After each, the owner must be able to sign in with everything that
/// the owner had, and no one else may.
///
/// `GATEHOUSE_OWNER_SEQUENCES` is the number of sequences, `GATEHOUSE_OWNER_SEED` the first one's: a failure names its
/// number, and that one alone repeats it.
@Suite("Owners keep their accounts, whatever others do")
struct OwnerExplorerTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Servers whose sequences run side by side.
    private static let servers = 4
    /// Then another server follows, to keep the database small.
    private static let sequencesOfServer = 2_000

    @Test("No sequence of requests costs the owner anything", .timeLimit(.minutes(60 * 12)))
    func sequences() async throws {
        let count = Self.number("GATEHOUSE_OWNER_SEQUENCES") ?? 800
        let first = Self.number("GATEHOUSE_OWNER_SEED") ?? 0
        let broken = await Self.explore(first..<first + count)
        for problem in broken.prefix(3) { Issue.record("\(problem.text)") }
        guard broken.isEmpty, Self.number("GATEHOUSE_OWNER_SEQUENCES") != nil else { return }
        print("figure: \(count) sequences (\(first) to \(first + count - 1)), every promise held")
    }

    /// One database is enough for a test of the explorer.
    @Test("Every planted fault is found", .enabled(if: TestDatabase.usual == .sqlite), arguments: PlantedFault.allCases)
    func planted(_ fault: PlantedFault) async throws {
        let broken = await Self.explore(fault.first..<fault.first + 1_600, fault: fault, stopsAtFirst: true)
        #expect(!broken.isEmpty, "\(fault) was not found")
        guard let found = broken.first, Self.number("GATEHOUSE_OWNER_SEQUENCES") != nil else { return }
        print("figure: \(fault) found in sequence \(found.number)")
    }

    /// What broke in one sequence.
    private struct Broken: Sendable {
        let number: Int
        let text: String

        init(_ number: Int, _ problem: any Error, _ history: [String] = []) {
            self.number = number
            text = (["sequence \(number): \(problem)"] + history).joined(separator: "\n  ")
        }
    }

    private static func explore(
        _ numbers: Range<Int>, fault: PlantedFault? = nil, stopsAtFirst: Bool = false
    ) async -> [Broken] {
        await withTaskGroup(of: [Broken].self) { group in
            for part in 0..<servers {
                group.addTask {
                    await explore(numbers.filter { $0 % servers == part }, confirms: part % 2 == 0, fault, stopsAtFirst)
                }
            }
            var all: [Broken] = []
            for await broken in group {
                all += broken
                if stopsAtFirst, !broken.isEmpty { group.cancelAll() }
            }
            return all
        }
    }

    private static func explore(
        _ numbers: [Int], confirms: Bool, _ fault: PlantedFault?, _ stopsAtFirst: Bool
    ) async -> [Broken] {
        var broken: [Broken] = []
        for start in stride(from: 0, to: numbers.count, by: sequencesOfServer) where !Task.isCancelled {
            let part = Array(numbers[start..<min(start + sequencesOfServer, numbers.count)])
            do {
                broken += try await exploreOnOneServer(part, confirms: confirms, fault, stopsAtFirst)
            } catch {
                broken.append(Broken(part[0], error))
            }
            if stopsAtFirst, !broken.isEmpty { break }
        }
        return broken
    }

    private static func exploreOnOneServer(
        _ numbers: [Int], confirms: Bool, _ fault: PlantedFault?, _ stopsAtFirst: Bool
    ) async throws -> [Broken] {
        var broken: [Broken] = []
        var rates = AuthRates()
        // Only guesses are limited: the sequences share a server.
        (rates.mails, rates.anonymousUsers, rates.otp, rates.verify) = (1_000_000, 1_000_000, 1_000_000, 1_000_000)
        (rates.token, rates.factors, rates.passkey, rates.failedSignIns) = (1_000_000, 1_000_000, 1_000_000, 4)
        (rates.oauthToken, rates.authorize) = (1_000_000, 1_000_000)
        try await TestServer.with(limits: rates) { settings in
            settings.mail = MailRules()
            settings.confirmsAutomatically = !confirms
            settings.oauth = AgentActors.rules
            PasskeyClient.settings()(&settings)
        } _: { server in
            let actors = try await AgentActors(server)
            for number in numbers where !Task.isCancelled {
                var world = OwnerWorld(server, number: number, confirms: confirms, fault: fault, actors: actors)
                do {
                    try await world.begin()
                    if world.actors != nil { try await world.ownerApproves(actors) }
                    for _ in 0..<world.dice.roll(6) {
                        try await world.stepOfAgents()
                        try await world.step()
                    }
                    try await world.check()
                } catch let problem as BrokenPromise {
                    broken.append(Broken(number, problem))
                } catch {
                    broken.append(Broken(number, error, world.history))
                }
                if stopsAtFirst, !broken.isEmpty { return }
                // Limits of guesses refill.
                server.clock.advance(by: .seconds(7_200))
            }
        }
        return broken
    }
}

extension HTTPField.Name {
    static let sessionEndReason = Self("x-gatehouse-session-end")!
}
