import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

/// A generator determined by its seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

@Suite("Random schedules")
struct ScheduleTests {
    private static let faults: [TestNetwork.Fault] = [
        .none, .none, .isDown, .losesAnswers, .losesAnswers, .answers(status: 503, headers: [:]), .captivePortal,
    ]

    private static let entries = ["refresh-token", "access-token", "nothing"]

    @Test(
        "Lost responses, failing writes, crashes and two processes on one store sign nobody out",
        arguments: [UInt64](1...24))
    func nobodyIsSignedOut(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            let first = try await world.signUp()
            var clients = [world.client, try world.anotherProcess()]
            var running: [Task<Void, Never>] = []
            for _ in 0..<60 {
                let client = clients[Int.random(in: 0..<2, using: &random)]
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4: running.append(Task { await Self.ask(client, first) })
                case 4: world.network.meet(Self.faults.randomElement(using: &random) ?? .none)
                case 5: world.server.clock.advance(by: .seconds([1, 20, 3_601].randomElement(using: &random) ?? 1))
                case 6: await storage.refuse(Self.entries.randomElement(using: &random) ?? "")
                case 7: clients[Int.random(in: 0..<2, using: &random)] = try world.anotherProcess()
                case 8: running.append(Task { _ = try? await client.user() })  // Its failure is part of the game.
                default: for _ in 0..<Int.random(in: 0..<50, using: &random) { await Task.yield() }
                }
            }
            await storage.refuse()
            world.network.clear()
            for task in running { await task.value }
            for client in clients {
                world.expireToken()
                #expect(try await client.session.user.id == first.user.id, "seed \(seed)")
            }
        }
    }

    private static func ask(_ client: GatehouseClient, _ first: AuthSession) async {
        do {
            let session = try await client.session
            #expect(session.user.id == first.user.id)
        } catch AuthClientError.signedOut(let reason) {
            Issue.record("signed out: \(reason)")
        } catch {
            // Offline or a full disk: the session stays.
        }
    }

    @Test(
        "A sign-out or a switch of account wins over any pending work",
        arguments: [UInt64](1...24))
    func lastWord(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            let client = world.client
            try await world.signUp()
            let bob = try await world.server.signUp("bob@example.com")
            var running: [Task<Void, Never>] = []
            for _ in 0..<6 {
                world.expireToken()
                for _ in 0..<3 { running.append(Task { _ = try? await client.session }) }  // It may be overtaken.
                for _ in 0..<Int.random(in: 0..<40, using: &random) { await Task.yield() }
                if Bool.random(using: &random) {
                    try await client.signOut()
                    #expect(await storage.contents.isEmpty, "seed \(seed)")
                    #expect(await client.state == .signedOut(.requested))
                } else {
                    let session = try await client.signIn(email: "bob@example.com", password: TestServer.password)
                    #expect(session.user.id.description.lowercased() == bob.userID)
                    #expect(await client.currentUser?.id == session.user.id, "seed \(seed)")
                    #expect(try await world.anotherProcess().currentUser?.id == session.user.id, "seed \(seed)")
                }
            }
            for task in running { await task.value }
        }
    }
}
