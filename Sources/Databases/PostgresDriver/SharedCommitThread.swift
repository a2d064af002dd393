import CPostgres
import SQLDatabase

struct SharedCommitThread {
    private let commits: SharedCommits
    private var line: Line
    private var isDelayed = false

    init(_ commits: SharedCommits) { (self.commits, line) = (commits, Line(commits.plan)) }

    mutating func run() {
        while var batch = commits.first() {
            while !batch.isEmpty {
                // In the same order everywhere, so that transactions on the same rows do not deadlock.
                carryOut(batch.sorted { $0.row < $1.row })
                batch = commits.next(after: batch, wasDelayed: isDelayed)
                isDelayed = false
            }
        }
    }

    /// - Parameter batch: Changes of the same row are adjacent.
    /// - Returns: false if all changes concern one row, which is locked.
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
                case .refused(let refusal) where refusal.reason == .locked: return carryOutRows(left)
                case .refused(let refusal) where refusal.reason != .interrupted && line.mayWorkAgain(refusal): break
                case .noConnection: break
                // Each change alone would meet the same server.
                case .refused(let refusal) where refusal.isReadOnly:
                    left.refuse(error.told)
                    return true
                // One change failed and the server rolled back all, so they run one by one.
                case .refused where left.count > 1, .unsendable where left.count > 1:
                    carryOutEach(left, after: error.told)
                    return true
                case .unknown, .refused, .unsendable:
                    left.refuse(error.told)
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

    /// The server does not report which row is locked. After a second locked row, the rest moves to the pool, where it
    /// delays no other changes.
    ///
    /// - Returns: false if there is only one row.
    private mutating func carryOutRows(_ batch: [Change]) -> Bool {
        let isOneRow = batch.allSatisfy { $0.row == batch[0].row }
        var (rest, heldRows) = (batch[...], isOneRow ? 2 : 0)
        while let next = rest.first, heldRows < 2 {
            let row = rest.prefix { $0.row == next.row }
            rest = rest.dropFirst(row.count)
            if !carryOut(Array(row)) { heldRows += 1 }
        }
        rest.refuse(RowIsHeld())
        return !isOneRow
    }

    private mutating func carryOutEach(_ batch: [Change], after reason: any Error) {
        for change in batch {
            if change.deadline > commits.plan.uptime() { carryOut([change]) } else { change.refuse(reason) }
        }
    }

    private enum Setback: Error {
        /// Nothing happened.
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
        do { session = try line.ready() } catch { throw .noConnection(error) }
        let start = commits.plan.uptime()
        let deadline = batch.reduce(start) { max($0, $1.deadline) }
        let answers: [(Int, SharedRows)]
        do {
            answers = try session.carryOut(batch, by: deadline)
        } catch let refusal as ServerRefusal where !refusal.endsSession {
            line.close(after: refusal)
            throw .refused(refusal)
        } catch let failure as DatabaseFailure {
            throw .unsendable(failure)
        } catch {
            line.close()
            throw .unknown(.commitUnknown)
        }
        for _ in 0..<2 { commits.observe(.statement) }
        commits.observe(.commit(callers: batch.count, commits.plan.uptime() - start))
        for (change, answer) in zip(batch, answers) { change.answer(.success(answer)) }
    }

    /// - Returns: The changes whose deadline has not passed after the pause.
    private mutating func wait(_ batch: [Change], after tries: Int, _ reason: any Error) -> [Change] {
        if commits.isClosed {
            batch.refuse(DatabaseFailure.closed)
            return []
        }
        commits.refuseLate(because: reason)
        let pause = line.pause(after: tries)
        let end = commits.plan.uptime() + pause
        batch.filter { $0.deadline <= end }.refuse(reason)
        line.wait(pause)
        return withoutCancelled(batch.filter { $0.deadline > end })
    }

    /// Call only while nothing has happened to them.
    private func withoutCancelled(_ batch: [Change]) -> [Change] {
        let cancelled = commits.cancelled
        if cancelled.isEmpty { return batch }
        batch.filter { cancelled.contains($0.id) }.refuse(CancellationError())
        return batch.filter { !cancelled.contains($0.id) }
    }
}
