import CPostgres
import SQLDatabase

/// The thread of ``PipelinedReads``.
struct PipelineThread {
    private struct Asked {
        let lookup: Lookup
        let newNames: [String]
    }

    private let reads: PipelinedReads
    private var session: PostgresSession?
    private var waiting: [Lookup] = []
    /// Sent reads, in the order in which the server answers.
    private var asked: [Asked] = []
    private var firstAsked = 0
    private var pending = PendingAnswer()
    /// When the server began the first read in ``asked``, as far as the client can tell.
    private var begun: Duration = .zero
    private var failedTries = 0

    init(_ reads: PipelinedReads) { self.reads = reads }

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

    /// Waits for a caller, and notices if the server closes the connection meanwhile.
    private mutating func rest() {
        let found = postgres_wait(session?.descriptor ?? -1, 0, reads.wake.descriptor, -1)
        if found & Int32(postgres_readable) != 0, session?.hasEnded == true { session = nil }
    }

    private mutating func work() throws {
        let session = try ready()
        try ask(on: session)
        // Nothing could be sent.
        if inFlight == 0 { return }
        let unsent = PQflush(session.handle.pointer)
        if unsent < 0 { throw session.lost() }
        let left = answerDeadline - uptime
        if left <= .zero { throw LostConnection(detail: "the server does not answer") }
        let found = postgres_wait(
            session.descriptor, unsent == 1 ? 1 : 0, reads.wake.descriptor, left.pollMilliseconds)
        guard found & Int32(postgres_readable) != 0 else { return }
        if PQconsumeInput(session.handle.pointer) != 1 { throw session.lost() }
        while inFlight > 0, let isComplete = try session.receive(into: &pending) {
            if isComplete { try answerFirst(on: session) }
        }
    }

    /// When the server must have answered the first waiting read, and with it all of them.
    private var answerDeadline: Duration {
        let limit = begun + reads.plan.statementLimit + .seconds(2)
        // The reads are in the order of their deadlines. Cancelled ones have none.
        guard let deadline = asked[firstAsked...].lazy.compactMap(\.lookup.deadline).first else { return limit }
        return min(limit, max(deadline, begun + PostgresSession.grace))
    }

    private mutating func ready() throws -> PostgresSession {
        if let session { return session }
        let made = try PostgresSession(reads.plan)
        session = made
        failedTries = 0
        return made
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
                lookup.answer(.failure(failure))
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
            guard let result = try answer.value() else { throw session.lost() }
            first.lookup.answer(.success((result, took)))
        } catch let refusal as ServerRefusal {
            session.forget(first.newNames)
            let isLate = first.lookup.deadline.map { $0 <= now } ?? true
            // On this connection only a time limit stops a statement. The caller repeats it on a pooled connection.
            if isLate || refusal.isStopped || !refusal.mayWorkAgain {
                return first.lookup.answer(.failure(refusal.told))
            }
            waiting.insert(first.lookup, at: 0)
            // The previous read with the same text failed, and with it the preparation.
            if refusal.isUnprepared { return session.forget(first.lookup.statement) }
            throw LostConnection(detail: "the server ended the session (\(refusal.state))")
        }
    }

    /// Fails reads whose deadline has passed on a working connection. The first unanswered read also decides when the
    /// connection counts as lost (``answerDeadline``); without a connection, ``recover(from:)`` supplies the reason.
    private mutating func refuseLate() {
        guard session != nil else { return }
        let now = uptime
        let isLate: (Lookup) -> Bool = { lookup in lookup.deadline.map { $0 <= now } ?? false }
        let reason = DatabaseFailure.tooManyCallers("no answer came in time")
        let late = waiting.prefix(while: isLate)
        for lookup in late { lookup.answer(.failure(reason)) }
        waiting.removeFirst(late.count)
        let behind = asked.indices[firstAsked...].dropFirst()
        guard let next = asked[behind].lazy.compactMap(\.lookup.deadline).first, next <= now else { return }
        for index in behind where isLate(asked[index].lookup) { drop(index, reason) }
    }

    /// The server still runs it. Its answer is dropped when it arrives.
    private mutating func drop(_ index: Int, _ reason: any Error) {
        let lookup = asked[index].lookup
        lookup.answer(.failure(reason))
        let dropped = Lookup(id: lookup.id, statement: lookup.statement, deadline: nil) { _ in }
        asked[index] = Asked(lookup: dropped, newNames: asked[index].newNames)
    }

    /// Reads are safe to repeat, so all unanswered ones are sent again on a new connection.
    private mutating func recover(from error: any Error) {
        session = nil
        waiting = asked[firstAsked...].map(\.lookup) + waiting
        (asked, firstAsked, pending) = ([], 0, PendingAnswer())
        let reason = Transaction.told(error)
        let now = uptime
        let isLate: (Lookup) -> Bool = { lookup in lookup.deadline.map { $0 <= now } ?? true }
        for lookup in waiting where isLate(lookup) { lookup.answer(.failure(reason)) }
        waiting.removeAll(where: isLate)
        failedTries += 1
        if failedTries > 1 {
            let pause = Duration.pause(after: failedTries, chance: reads.chance())
            _ = postgres_wait(-1, 0, -1, pause.pollMilliseconds)
        }
    }

    private mutating func cancel(_ ids: [UInt64]) {
        if ids.isEmpty { return }
        let ids = Set(ids)
        for lookup in waiting where ids.contains(lookup.id) { lookup.answer(.failure(CancellationError())) }
        waiting.removeAll { ids.contains($0.id) }
        for index in asked.indices[firstAsked...] where ids.contains(asked[index].lookup.id) {
            drop(index, CancellationError())
        }
    }

    private mutating func refuseAll(_ reason: any Error) {
        for lookup in asked[firstAsked...].map(\.lookup) + waiting { lookup.answer(.failure(reason)) }
    }
}
