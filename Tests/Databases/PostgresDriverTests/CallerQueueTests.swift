import SQLDatabase
import Testing

@testable import PostgresDriver

@Suite("Callers that wait for a connection")
struct CallerQueueTests {
    private struct Waiting: Caller {
        let id: UInt64
        var deadline: Duration = .seconds(10)
        var isPatient = false

        func refuse(_ reason: any Error) {}
    }

    private func queue(_ callers: [Waiting], limit: Int = 5_000) -> CallerQueue<Waiting> {
        var queue = CallerQueue<Waiting>(limit: limit)
        for caller in callers { #expect(queue.add(caller) == nil) }
        return queue
    }

    @Test("are taken in the order of arrival, alone and together")
    func order() {
        var waiting = queue((0..<3_000).map { Waiting(id: $0) })
        #expect((0..<1_500).allSatisfy { waiting.take(1).map(\.id) == [$0] })
        #expect(waiting.take(2).map(\.id) == [1_500, 1_501])
        #expect(waiting.take(10) { $1.id - $0.id < 3 }.map(\.id) == [1_502, 1_503, 1_504])
        #expect(waiting.add(Waiting(id: 9_000)) == nil)
        #expect(waiting.count == 1_496)
        #expect(waiting.takeAll().map(\.id) == Array(1_505..<3_000) + [9_000])
        #expect(waiting.take(1).isEmpty)
    }

    @Test("are removed after their deadline, also behind ones that wait longer")
    func late() {
        let callers = [
            Waiting(id: 1, deadline: .seconds(5)), Waiting(id: 2, deadline: .seconds(100), isPatient: true),
            Waiting(id: 3, deadline: .seconds(6)), Waiting(id: 4, deadline: .seconds(9)),
            Waiting(id: 5, deadline: .seconds(7)),
        ]
        var waiting = queue(callers)
        #expect(waiting.takeLate(at: .seconds(4)).isEmpty)
        #expect(waiting.takeLate(at: .seconds(8)).map(\.id) == [1, 3])
        #expect(waiting.takeAllLate(at: .seconds(8)).map(\.id) == [5])
        #expect(waiting.takeAll().map(\.id) == [2, 4])
    }

    @Test("are removed by their number, wherever they wait")
    func removed() {
        var waiting = queue((0..<10).map { Waiting(id: $0) })
        #expect(waiting.take(3).count == 3)
        #expect([0, 3, 7, 7, 99].map { waiting.remove($0)?.id } == [nil, 3, 7, nil, nil])
        #expect(waiting.takeAllLate(at: .seconds(1)).isEmpty)
        #expect(waiting.takeAll().map(\.id) == [4, 5, 6, 8, 9])
    }

    @Test("are refused beyond the limit, which counts callers elsewhere too, and after the end")
    func refused() {
        var waiting = queue([Waiting(id: 1), Waiting(id: 2)], limit: 3)
        #expect(waiting.add(Waiting(id: 3), beside: 1)?.reason == .tooManyCallers)
        #expect(waiting.add(Waiting(id: 4)) == nil)
        #expect(waiting.add(Waiting(id: 5))?.reason == .tooManyCallers)
        #expect(waiting.close().map(\.id) == [1, 2, 4])
        #expect(waiting.add(Waiting(id: 6)) == .closed)
        #expect(waiting.count == 0)
    }
}
