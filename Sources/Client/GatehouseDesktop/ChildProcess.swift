import Dispatch
import Foundation
import Gatehouse

struct ChildExit: Hashable, Sendable {
    /// nil if a signal ended the program.
    var code: Int32?
    var output: [UInt8]
    var errors: [UInt8]
}

enum ChildProblem: Error, Hashable {
    /// Contains `errno`.
    case notStarted(Int32)
    case tookTooLong
    /// Killed at ``ChildProcess/largestOutput``.
    case saidTooMuch
}

/// Runs a program with a time limit, without a shell.
///
/// At the limit, its process group gets SIGTERM and, half a second later, SIGKILL. A separate thread always reaps the
/// program.
struct ChildProcess: Sendable {
    /// An absolute path.
    let path: String
    let arguments: [String]
    let environment: [String: String]

    static let largestOutput = 65_536
    private static let grace = 50

    /// Ignores cancellation: the program completes what it began, such as storing a session.
    ///
    /// - Parameter input: At most 8,192 bytes, which fit in every system's socket buffer.
    /// - Throws: ``ChildProblem``.
    func run(input: [UInt8] = [], limit: Duration, clock: ClientClock) async throws -> ChildExit {
        let stop = try StopSignal()
        let timer = Task {
            // Cancelled: the program has exited.
            do { try await clock.sleep(limit) } catch { return }
            stop.fire()
        }
        defer { timer.cancel() }
        // With its own thread, so children do not wait for each other.
        return try await DispatchQueue(label: "gatehouse.child").run { try self.runBlocking(input, stop) }
    }

    private func runBlocking(_ input: [UInt8], _ stop: StopSignal) throws -> ChildExit {
        var pipes = try ChildPipes(input: input)
        defer { pipes.close() }
        let child = try spawn(input: pipes.input, output: pipes.output.theirs, errors: pipes.errors.theirs)
        pipes.closeTheirs()
        var isReaped = false
        defer { if !isReaped { Self.end(child) } }
        while true {
            // For a program that exits while its child keeps the pipes open.
            try pipes.wait(stop, milliseconds: pipes.isDone ? 2 : 50)
            let hasEnded = Self.hasEnded(child)
            try pipes.read()
            guard hasEnded else { continue }
            isReaped = true
            return ChildExit(code: Self.reap(child), output: pipes.output.bytes, errors: pipes.errors.bytes)
        }
    }

    /// Does not reap the program, so that its process id is not reused.
    private static func hasEnded(_ child: pid_t) -> Bool {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return errno != EINTR }
        return information.si_signo != 0
    }

    /// - Returns: nil after a signal, or if this process ignores its children.
    static func reap(_ child: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            let reaped = waitpid(child, &status, 0)
            if reaped < 0, errno == EINTR { continue }
            return reaped == child && status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
        }
    }

    /// Kills the process group.
    private static func end(_ child: pid_t) {
        kill(-child, SIGTERM)
        for _ in 0..<grace where !hasEnded(child) { poll(nil, 0, 10) }
        // Before its leader is reaped, the group's id cannot be reused.
        kill(-child, SIGKILL)
        _ = reap(child)
    }
}

private struct ChildPipes {
    struct Reader {
        var ours: Int32
        var theirs: Int32
        var bytes: [UInt8] = []

        init() throws {
            guard let pair = makeSocketPair() else { throw SecretFolder.problem() }
            (ours, theirs) = pair
        }

        mutating func read() throws {
            var chunk = [UInt8](repeating: 0, count: 8_192)
            while ours >= 0 {
                let count = recv(ours, &chunk, chunk.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN || errno == EWOULDBLOCK { return }
                guard count > 0 else { return shut(&ours) }
                bytes += chunk[..<count]
                guard bytes.count <= ChildProcess.largestOutput else { throw ChildProblem.saidTooMuch }
            }
        }
    }

    /// Contains the complete input.
    var input: Int32
    var output: Reader
    var errors: Reader

    var isDone: Bool { output.ours < 0 && errors.ours < 0 }

    init(input bytes: [UInt8]) throws {
        guard let pair = makeSocketPair() else { throw SecretFolder.problem() }
        defer { Foundation.close(pair.1) }
        var made: [Int32] = [pair.0]
        do {
            // Before the child starts, the write cannot fail for lack of a reader.
            let sent = bytes.withUnsafeBytes { $0.isEmpty ? 0 : sendQuietly($0, to: pair.1) }
            guard sent == bytes.count else { throw SecretFolder.problem(ENOBUFS) }
            output = try Reader()
            made += [output.ours, output.theirs]
            errors = try Reader()
            input = pair.0
        } catch {
            for descriptor in made { Foundation.close(descriptor) }
            throw error
        }
    }

    /// - Throws: ``ChildProblem/tookTooLong`` if `stop` was fired.
    func wait(_ stop: StopSignal, milliseconds: Int32) throws {
        var polled = [stop.descriptor, output.ours, errors.ours].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        poll(&polled, nfds_t(polled.count), milliseconds)
        if polled[0].revents != 0 { throw ChildProblem.tookTooLong }
    }

    mutating func read() throws {
        try output.read()
        try errors.read()
    }

    mutating func closeTheirs() {
        shut(&input)
        shut(&output.theirs)
        shut(&errors.theirs)
    }

    mutating func close() {
        closeTheirs()
        shut(&output.ours)
        shut(&errors.ours)
    }
}

private func shut(_ descriptor: inout Int32) {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
}
