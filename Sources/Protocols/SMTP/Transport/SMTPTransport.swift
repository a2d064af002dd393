import CurlTransfers
import Foundation
import GatehouseWire
import Synchronization

/// Each connection has its own thread, and is closed after half a minute without an email (RFC 5321).
package final class SMTPTransport: Sendable {
    /// Callers.
    private static let maximumWaiting = 1_024
    private static let idleMilliseconds: Int32 = 30_000

    private struct State {
        var waiting: [SMTPJob] = []
        var idle: [SMTPLane] = []
        var count = 0
    }

    private let server: SMTPServer
    private let state = Mutex(State())

    /// Opens no connection yet.
    package init(_ server: SMTPServer) { self.server = server }

    /// Sends an email. A cancelled caller gets the true outcome, at most a second later.
    ///
    /// The limit is ``SMTPServer/timeLimit`` without the wait for a connection; twice that if the server has closed a
    /// kept connection.
    ///
    /// - Parameter message: From ``MailMessage/bytes(boundary:)``.
    /// - Returns: The server's reply: it is now responsible for the email.
    /// - Throws: ``SMTPFailure``.
    package func send(
        _ message: [UInt8], from: MailAddress, to: MailAddress
    ) async throws(SMTPFailure) -> SMTPReply {
        try await run(SMTPJob(SMTPJob.Mail(bytes: message, from: from, to: to)))
    }

    /// Connects and authenticates.
    ///
    /// - Throws: ``SMTPFailure``, also if there is a password and the server asks for none.
    package func check() async throws(SMTPFailure) { _ = try await run(SMTPJob(nil)) }

    private func run(_ job: SMTPJob) async throws(SMTPFailure) -> SMTPReply {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { caller in
                job.wait(caller)
                give(job)
            }
        } onCancel: {
            job.cancel()
            let waits = state.withLock { state in
                let count = state.waiting.count
                state.waiting.removeAll { $0 === job }
                return state.waiting.count < count
            }
            if waits { job.end(.failure(.cancelled)) }
        }
        return try outcome.get()
    }

    private func give(_ job: SMTPJob) {
        do throws(SMTPFailure) {
            let refusal = { (cause: String) in SMTPFailure.temporary(SMTPTrouble(stage: .connection, cause: cause)) }
            try state.withLock { state throws(SMTPFailure) in
                if let lane = state.idle.popLast() {
                    lane.give(job)
                } else if state.count < server.connections {
                    let lane: SMTPLane
                    do throws(CurlFailure) { lane = try SMTPLane(job) } catch { throw refusal(error.cause) }
                    state.count += 1
                    Thread.detachNewThread { self.run(lane) }
                } else if job.isCancelled {
                    throw .cancelled
                } else if state.waiting.count < Self.maximumWaiting {
                    state.waiting.append(job)
                } else {
                    throw refusal("too many mails wait for a connection")
                }
            }
        } catch {
            job.end(.failure(error))
        }
    }

    private func run(_ lane: SMTPLane) {
        lane.run(SMTPConnection(server, lane.multi), next: next)
    }

    /// nil if there are no more.
    private func next(_ lane: SMTPLane) -> SMTPJob? {
        let waiting: SMTPJob? = state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.idle.append(lane)
            return nil
        }
        if let waiting { return waiting }
        // Twice: the first wait may end with a late cancellation of the last job.
        for _ in 0..<2 {
            lane.multi.wait(milliseconds: Self.idleMilliseconds)
            if let job = lane.take() { return job }
        }
        return state.withLock { state in
            if let job = lane.take() { return job }
            state.idle.removeAll { $0 === lane }
            state.count -= 1
            return nil
        }
    }
}

final class SMTPLane: Sendable {
    let multi: CurlMulti
    private let given: Mutex<SMTPJob?>

    /// - Throws: ``CurlFailure`` without libcurl, memory or files.
    init(_ job: SMTPJob) throws(CurlFailure) {
        multi = try CurlMulti()
        given = Mutex(job)
    }

    func give(_ job: SMTPJob) {
        given.withLock { $0 = job }
        multi.wake()
    }

    func take() -> SMTPJob? {
        given.withLock { given in
            defer { given = nil }
            return given
        }
    }

    func run(_ connection: SMTPConnection, next: (SMTPLane) -> SMTPJob?) {
        var job = take()
        while let present = job {
            present.begin(wake: multi.wake)
            present.end(connection.outcome(of: present))
            job = next(self)
        }
        connection.end()
        multi.end()
    }
}
