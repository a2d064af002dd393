import CPostgres
import SQLDatabase

/// One connection of ``SharedCommits``, and the thread that waits for it.
struct SharedCommitThread {
    private let commits: SharedCommits
    private var session: PostgresSession?
    /// Whether the batch has not gone through at once.
    private var isDelayed = false

    init(_ commits: SharedCommits) { self.commits = commits }

    mutating func run() {
        while var batch = commits.first() {
            while !batch.isEmpty {
                // Whoever changes the same rows waits for each other in one order, here and on other nodes.
                carryOut(batch.sorted { $0.row < $1.row })
                batch = commits.next(after: batch, wasDelayed: isDelayed)
                isDelayed = false
            }
        }
    }

    /// - Parameter batch: Those of one row stand together.
    /// - Returns: False when it is of one row, which somebody holds.
    @discardableResult
    mutating func carryOut(_ batch: [Change]) -> Bool {
        var left = withoutCancelled(batch)
        var tries = 0
        while !left.isEmpty {
            tries += 1
            do throws(Setback) {
                try attempt(left)
                return true
            } catch {
                delay()
                switch error {
                case .refused(let refusal) where refusal.isHeld: return carryOutRows(left)
                // A server that has come to follow another one leads nowhere; a new connection may find the other one.
                case .refused(let refusal) where refusal.mayWorkAgain || (refusal.isReadOnly && tries == 1): break
                case .noConnection: break
                // One of them is at fault, and the server has undone them all: each by itself.
                case .refused where left.count > 1, .unsendable where left.count > 1:
                    carryOutEach(left, after: error.told)
                    return true
                case .unknown, .refused, .unsendable:
                    refuse(left, error.told)
                    return true
                }
                left = wait(left, after: tries, error.told)
            }
        }
        return true
    }

    private mutating func delay() {
        if isDelayed { return }
        isDelayed = true
        commits.delay()
    }

    /// One row after the other, because the server does not say which one is held. After a second such row the others
    /// wait no more: all of them go where nobody waits behind them.
    ///
    /// - Returns: False when there is one row only.
    private mutating func carryOutRows(_ batch: [Change]) -> Bool {
        let isOneRow = batch.allSatisfy { $0.row == batch[0].row }
        var (rest, heldRows) = (batch[...], isOneRow ? 2 : 0)
        while let next = rest.first, heldRows < 2 {
            let row = rest.prefix { $0.row == next.row }
            rest = rest.dropFirst(row.count)
            if !carryOut(Array(row)) { heldRows += 1 }
        }
        refuse(Array(rest), RowIsHeld())
        return !isOneRow
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
        let answers: [(Int, SharedRows)]
        do {
            answers = try session.carryOut(batch, by: deadline)
        } catch let refusal as ServerRefusal where !refusal.endsSession {
            if refusal.needsNewSession || refusal.isReadOnly { self.session = nil }
            throw .refused(refusal)
        } catch let violation as ConstraintViolation {
            throw .unsendable(violation)
        } catch {
            self.session = nil
            let detail = "the connection was lost while committing: whether it took effect is not known"
            throw .unknown(DatabaseFailure(code: SQLState.commitUnknown, detail: detail, kind: .unknownOutcome))
        }
        for _ in 0..<2 { commits.observe(.statement) }
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
