import CPostgres
import SQLDatabase

/// One connection of ``SharedCommits``, and the thread that waits for it.
struct SharedCommitThread {
    private let commits: SharedCommits
    private var session: PostgresSession?

    init(_ commits: SharedCommits) { self.commits = commits }

    mutating func run() {
        while let batch = commits.next() {
            if batch.isEmpty { continue }
            // Whoever changes the same rows waits for each other in one order, here and on other nodes.
            carryOut(batch.sorted { $0.statement.lastText < $1.statement.lastText })
            commits.end(batch)
        }
    }

    mutating func carryOut(_ batch: [Change]) {
        var left = withoutCancelled(batch)
        var (tries, hasMetHeldRow) = (0, false)
        while !left.isEmpty {
            tries += 1
            do throws(Setback) {
                try attempt(left)
                return
            } catch {
                switch error {
                case .unknown(let failure): return refuse(left, failure)
                case .refused(let refusal) where refusal.isHeld:
                    left = refuseHeld(in: left, refusal, isFirst: !hasMetHeldRow)
                    hasMetHeldRow = true
                    continue
                // One of them is at fault, and the server has undone them all: each by itself.
                case .refused where left.count > 1, .unsendable where left.count > 1:
                    return carryOutEach(left, after: error.told)
                // A server that has come to follow another one leads nowhere; a new connection may find the other one.
                case .refused(let refusal) where !refusal.mayWorkAgain && !(refusal.isReadOnly && tries == 1):
                    return refuse(left, Transaction.told(refusal))
                case .unsendable(let violation): return refuse(left, violation)
                case .refused, .noConnection: break
                }
                left = wait(left, after: tries, error.told)
            }
        }
    }

    /// Refuses whoever met the row that somebody holds, and those that would meet it next. A second such row costs the
    /// others no third wait: all of them go where nobody waits behind them.
    ///
    /// - Returns: The others.
    private func refuseHeld(in batch: [Change], _ refusal: ServerRefusal, isFirst: Bool) -> [Change] {
        let row = batch[min(refusal.position, batch.count - 1)].statement.lastText
        refuse(batch.filter { !isFirst || $0.statement.lastText == row }, RowIsHeld())
        return isFirst ? withoutCancelled(batch.filter { $0.statement.lastText != row }) : []
    }

    private mutating func carryOutEach(_ batch: [Change], after reason: any Error) {
        for change in batch {
            if change.deadline > commits.plan.uptime() { carryOut([change]) } else { refuse([change], reason) }
        }
    }

    /// Why a batch was not answered.
    private enum Setback: Error {
        /// Nothing has happened.
        case noConnection(any Error)
        case refused(ServerRefusal)
        case unsendable(any Error)
        case unknown(DatabaseFailure)

        var told: any Error {
            switch self {
            case .noConnection(let error): Transaction.told(error)
            case .refused(let refusal): Transaction.told(refusal)
            case .unsendable(let error): error
            case .unknown(let failure): failure
            }
        }
    }

    private mutating func attempt(_ batch: [Change]) throws(Setback) {
        let session: PostgresSession
        do { session = try ready() } catch { throw .noConnection(error) }
        let start = commits.plan.uptime()
        let deadline = batch.reduce(start) { max($0, $1.deadline) }
        let answers: [(Int, PostgresResult)]
        do {
            answers = try session.carryOut(batch, by: deadline)
        } catch let refusal as ServerRefusal where !refusal.endsSession {
            if refusal.needsNewSession || refusal.isReadOnly { self.session = nil }
            throw .refused(refusal)
        } catch let violation as ConstraintViolation {
            // The server never got to the end of what it may have been sent.
            self.session = nil
            throw .unsendable(violation)
        } catch {
            self.session = nil
            let detail = "the connection was lost while committing: whether it took effect is not known"
            throw .unknown(DatabaseFailure(code: SQLState.commitUnknown, detail: detail, kind: .unknownOutcome))
        }
        for _ in 0..<(2 * batch.count) { commits.observe(.statement) }
        commits.observe(.commit(callers: batch.count, commits.plan.uptime() - start))
        for (change, answer) in zip(batch, answers) { change.answer(.success(answer)) }
    }

    /// - Returns: Those whose time is not over after a pause.
    private mutating func wait(_ batch: [Change], after tries: Int, _ reason: any Error) -> [Change] {
        if commits.isClosed {
            refuse(batch, WorkerPool.closed)
            return []
        }
        commits.refuseLate(because: reason)
        let pause = Duration.pause(after: tries, chance: commits.settings.chance())
        let end = commits.plan.uptime() + pause
        refuse(batch.filter { $0.deadline <= end }, reason)
        _ = postgres_wait(-1, 0, -1, pause.pollMilliseconds)
        return withoutCancelled(batch.filter { $0.deadline > end })
    }

    /// Lets go of those whose callers have left; called while nothing has happened to them.
    private func withoutCancelled(_ batch: [Change]) -> [Change] {
        let cancelled = commits.cancelled
        if cancelled.isEmpty { return batch }
        refuse(batch.filter { cancelled.contains($0.id) }, CancellationError())
        return batch.filter { !cancelled.contains($0.id) }
    }

    private func refuse(_ batch: [Change], _ reason: any Error) {
        for change in batch { change.answer(.failure(reason)) }
    }

    /// The connection, made anew when it has ended while it rested.
    private mutating func ready() throws -> PostgresSession {
        if let session, !session.hasEnded { return session }
        session = nil
        let made = try PostgresSession(commits.plan)
        session = made
        return made
    }
}

extension SQL {
    /// What tells the rows apart that it changes, see ``Database/change(_:thenRead:_:)``.
    fileprivate var lastText: String {
        for case .text(let text) in values.reversed() { return text }
        return ""
    }
}
