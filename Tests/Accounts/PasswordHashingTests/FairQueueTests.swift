import GatehouseWire
import Synchronization
import Testing

@testable import PasswordHashing

@Suite("Fairness of the hashing queue", .timeLimit(.minutes(5)))
struct FairQueueTests {
    private func source(_ block: UInt64, _ address: UInt64) -> HashingSource {
        HashingSource(block: block, address: address)
    }

    private func emptied(_ queue: inout FairQueue<String>) -> [String] {
        var all: [String] = []
        while let next = queue.popFirst() { all.append(next) }
        return all
    }

    @Test("Blocks take turns, then their addresses, then requests in order of arrival")
    func turns() {
        var queue = FairQueue<String>()
        for number in 1...4 { queue.append("flood \(number)", from: source(1, 1)) }
        queue.append("neighbour", from: source(1, 2))
        queue.append("other", from: source(2, 9))
        queue.append("third", from: source(3, 9))
        #expect(emptied(&queue) == ["flood 1", "other", "third", "neighbour", "flood 2", "flood 3", "flood 4"])
        queue.append("later", from: source(1, 1))
        #expect(emptied(&queue) == ["later"])
    }

    @Test("A full queue makes room at the cost of the largest caller, and never for a larger one")
    func shares() {
        var queue = FairQueue<String>()
        for number in 1...3 { queue.append("flood \(number)", from: source(1, 1)) }
        queue.append("neighbour", from: source(1, 2))
        #expect(queue.giveUp(for: source(1, 1)) == nil)
        #expect(queue.giveUp(for: source(2, 1)) == "flood 3")
        queue.append("other", from: source(2, 1))
        // Three of one block and one of another: the block loses one, from its longest line.
        #expect(queue.giveUp(for: source(2, 1)) == "flood 2")
        queue.append("other 2", from: source(2, 1))
        #expect(queue.giveUp(for: source(2, 1)) == nil)
        #expect(queue.giveUp(for: source(1, 2)) == nil)
        #expect(queue.giveUp(for: source(3, 1)) != nil)
        #expect(FairQueue<String>().popsNothing)
    }

    @Test("A departing caller leaves no trace, and the turns of the others stay")
    func removal() {
        var queue = FairQueue<String>()
        for name in ["a1", "a2"] { queue.append(name, from: source(1, 1)) }
        queue.append("b", from: source(2, 1))
        #expect(queue.remove(from: source(1, 1)) { $0 == "a1" } == "a1")
        #expect(queue.remove(from: source(1, 1)) { $0 == "a1" } == nil)
        #expect(queue.remove(from: source(2, 1)) { $0 == "b" } == "b")
        #expect(emptied(&queue) == ["a2"])
    }

    @Test("During a flood from one address that fills the queue, each of 72 others is hashed in the next turn")
    func flood() async throws {
        let gate = Gate()
        try await TestHasher.run(waitingPerThread: 128, gate: gate) { hasher, _ in
            let password = Secret("correct horse")
            let running = Task { _ = try await hasher.hash(password) }
            await until { gate.arrivals == 1 }
            let refused = Refused()
            let flood = (0..<128).map { _ in
                Task {
                    do {
                        _ = try await hasher.matches(password, nil, for: source(1, 1))
                    } catch {
                        refused.one()
                    }
                }
            }
            await until { hasher.queueDepth == 128 }
            await #expect(throws: HashingRefusal.self) { try await hasher.matches(password, nil, for: source(1, 1)) }

            let others = (0..<72).map { number in
                Task { try await hasher.matches(password, Known.argon2i, for: source(2 + UInt64(number), 1)) }
            }
            // One request of the flood leaves for each.
            await until { refused.count == 72 }
            gate.open()
            for task in others { #expect(try await task.value == .wrong) }
            for task in flood { await task.value }
            #expect(refused.count == 72)
            try await running.value
        }
    }

    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }
}

private final class Refused: Sendable {
    private let state = Mutex(0)
    var count: Int { state.withLock { $0 } }
    func one() { state.withLock { $0 += 1 } }
}

extension FairQueue {
    fileprivate var popsNothing: Bool {
        var copy = self
        return copy.popFirst() == nil
    }
}
