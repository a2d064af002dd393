import CPostgres
import SQLDatabase

struct PipelineThread {
    private struct Asked {
        let lookup: Lookup
        let newNames: [String]
        /// The caller was refused, but the server still runs it.
        var isDropped = false
    }

    private let reads: PipelinedReads
    private var line: Line
    private var waiting: [Lookup] = []
    /// In the order of the server's results.
    private var asked: [Asked] = []
    private var firstAsked = 0
    private var pending = PendingAnswer()
    /// As far as the client can tell.
    private var begun: Duration = .zero
    private var failedTries = 0

    init(_ reads: PipelinedReads) { (self.reads, line) = (reads, Line(reads.plan)) }

    private var uptime: Duration { reads.plan.uptime() }
    private var inFlight: Int { asked.count - firstAsked }
    /// More reads would only wait in the server's buffers instead of here.
    private static let depth = 256

    mutating func run() {
        while true {
            let (lookups, cancelled, isClosed) = reads.take(held: inFlight + waiting.count)
            waiting += lookups
            cancel(cancelled)
            refuseLate()
            if isClosed {
                return refuseAll(DatabaseFailure.closed)
            }
            if waiting.isEmpty, inFlight == 0 {
                rest()
                continue
            }
            do { try work() } catch { recover(from: error) }
        }
    }

    private mutating func rest() {
        let found = postgres_wait(line.session?.descriptor ?? -1, 0, reads.wake.descriptor, -1)
        if found & Int32(postgres_readable) != 0 { line.closeIfEnded() }
    }

    private mutating func work() throws {
        let session = try line.open()
        failedTries = 0
        try ask(on: session)
        if inFlight == 0 { return }
        let unsent = PQflush(session.handle.pointer)
        if unsent < 0 { throw session.lost() }
        // The reads are in the order of their deadlines.
        let deadline = asked[firstAsked...].first { !$0.isDropped }?.lookup.deadline
        // When the server must have answered the first read, and with it all of them.
        let last = session.answerDeadline(since: begun, reads.plan.statementLimit, by: deadline)
        guard try session.wait(writes: unsent == 1, wake: reads.wake.descriptor, until: last) else { return }
        while inFlight > 0, let isComplete = try session.receive(into: &pending) {
            if isComplete { try answerFirst(on: session) }
        }
    }

    private mutating func ask(on session: PostgresSession) throws {
        var sent = 0
        defer { waiting.removeFirst(sent) }
        for lookup in waiting where inFlight < Self.depth {
            sent += 1
            session.newNames = []
            do {
                try session.send(.statement(lookup.statement))
                try session.sync()
            } catch let failure as DatabaseFailure {
                lookup.refuse(failure)
                continue
            } catch {
                sent -= 1
                throw error
            }
            if inFlight == 0 { begun = uptime }
            asked.append(Asked(lookup: lookup, newNames: session.newNames))
        }
    }

    private mutating func answerFirst(on session: PostgresSession) throws {
        let (first, answer) = (asked[firstAsked], pending)
        firstAsked += 1
        if firstAsked == asked.count || firstAsked > 4 * Self.depth {
            asked.removeFirst(firstAsked)
            firstAsked = 0
        }
        pending = PendingAnswer()
        let now = uptime
        let took = now - begun
        begun = now
        do {
            try answer.check()
            guard let result = answer.result else { throw session.lost() }
            if !first.isDropped { first.lookup.answer(.success((result, took))) }
        } catch let refusal as ServerRefusal {
            session.forget(first.newNames)
            if first.isDropped { return }
            // Only a time limit stops a statement here. The caller repeats it on a pooled connection.
            if first.lookup.deadline <= now || refusal.reason == .interrupted || !refusal.mayWorkAgain {
                return first.lookup.refuse(refusal.told)
            }
            waiting.insert(first.lookup, at: 0)
            // The previous read with the same text failed, and with it the preparation.
            if refusal.isUnprepared { return session.forget(first.lookup.statement) }
            throw LostConnection(detail: "the server ended the session (\(refusal.state))")
        }
    }

    /// On a working connection, which counts as lost once the first read is overdue (``work()``). Without one,
    /// ``recover(from:)`` supplies the reason.
    private mutating func refuseLate() {
        guard line.session != nil else { return }
        let now = uptime
        let reason = DatabaseFailure.tooManyCallers("no answer came in time")
        let late = waiting.prefix { $0.deadline <= now }
        late.refuse(reason)
        waiting.removeFirst(late.count)
        let behind = asked.indices[firstAsked...].dropFirst()
        guard let next = asked[behind].first(where: { !$0.isDropped }), next.lookup.deadline <= now else { return }
        for index in behind where asked[index].lookup.deadline <= now { drop(index, reason) }
    }

    private mutating func drop(_ index: Int, _ reason: any Error) {
        if asked[index].isDropped { return }
        asked[index].isDropped = true
        asked[index].lookup.refuse(reason)
    }

    /// Reads are safe to repeat: resends all unanswered ones.
    private mutating func recover(from error: any Error) {
        line.close()
        waiting = asked[firstAsked...].filter { !$0.isDropped }.map(\.lookup) + waiting
        (asked, firstAsked, pending) = ([], 0, PendingAnswer())
        let now = uptime
        waiting.filter { $0.deadline <= now }.refuse(Transaction.told(error))
        waiting.removeAll { $0.deadline <= now }
        failedTries += 1
        if failedTries > 1 { line.wait(line.pause(after: failedTries)) }
    }

    private mutating func cancel(_ ids: [UInt64]) {
        if ids.isEmpty { return }
        let ids = Set(ids)
        waiting.filter { ids.contains($0.id) }.refuse(CancellationError())
        waiting.removeAll { ids.contains($0.id) }
        for index in asked.indices[firstAsked...] where ids.contains(asked[index].lookup.id) {
            drop(index, CancellationError())
        }
    }

    private mutating func refuseAll(_ reason: any Error) {
        (asked[firstAsked...].filter { !$0.isDropped }.map(\.lookup) + waiting).refuse(reason)
    }
}
