import Dispatch
import Foundation

/// How a program ended.
struct ChildExit: Hashable, Sendable {
    /// What it gave to `exit`; nil when a signal ended it.
    var code: Int32?
    var output: [UInt8]
    var errors: [UInt8]
}

/// Why there is no ``ChildExit``.
enum ChildProblem: Error, Hashable {
    /// It could not be started; the system's number.
    case notStarted(Int32)
    /// It did not end in time, and was ended.
    case tookTooLong
    /// It wrote more than ``ChildProcess/largestOutput``, and was ended.
    case saidTooMuch
}

/// A program beside this one: its input is given, its output kept, its time limited. No shell is between.
///
/// It runs in a process group of its own. At the limit the group is asked to end (SIGTERM) and, half a second later,
/// ended (SIGKILL), so that nothing that it started stays behind; it is always reaped. One thread of its own waits for
/// it, none of the tasks' pool.
struct ChildProcess: Sendable {
    /// Absolute.
    let path: String
    let arguments: [String]
    let environment: [String: String]

    static let largestOutput = 65_536
    private static let grace = 50

    /// Does not end when the task is cancelled: what a child has begun, such as keeping a session, it ends.
    ///
    /// - Parameter input: At most 8,192 bytes: what a socket holds on every system.
    /// - Throws: ``ChildProblem``.
    func run(input: [UInt8] = [], limit: Duration, clock: ClientClock) async throws -> ChildExit {
        let stop = try StopSignal()
        let timer = Task {
            // A cancelled sleep: the child has ended.
            do { try await clock.sleep(limit) } catch { return }
            stop.fire()
        }
        defer { timer.cancel() }
        // A queue of its own has a thread of its own: other children's waits do not hold this one up.
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
            // Closed ends are said at once. The time is for a child that ends while its own child keeps them open.
            try pipes.wait(stop, milliseconds: pipes.isDone ? 2 : 50)
            let hasEnded = Self.hasEnded(child)
            try pipes.read()
            guard hasEnded else { continue }
            isReaped = true
            return ChildExit(code: Self.reap(child), output: pipes.output.bytes, errors: pipes.errors.bytes)
        }
    }

    /// Whether it has ended; it is not reaped by asking, so that its number stays its own.
    private static func hasEnded(_ child: pid_t) -> Bool {
        var information = siginfo_t()
        guard waitid(P_PID, id_t(child), &information, WEXITED | WNOHANG | WNOWAIT) == 0 else { return errno != EINTR }
        return information.si_signo != 0
    }

    /// - Returns: nil when a signal ended it, or when this program wants to hear of no child.
    static func reap(_ child: pid_t) -> Int32? {
        var status: Int32 = 0
        while true {
            let reaped = waitpid(child, &status, 0)
            if reaped < 0, errno == EINTR { continue }
            return reaped == child && status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
        }
    }

    /// Ends the child and all in its group.
    private static func end(_ child: pid_t) {
        kill(-child, SIGTERM)
        for _ in 0..<grace where !hasEnded(child) { poll(nil, 0, 10) }
        // The dead leader keeps the group's number until it is reaped: nobody else can be hit.
        kill(-child, SIGKILL)
        _ = reap(child)
    }
}

/// What connects a child with this process.
private struct ChildPipes {
    /// The end that this process reads, and what it has read.
    struct Reader {
        var ours: Int32
        var theirs: Int32
        var bytes: [UInt8] = []

        init() throws {
            guard let pair = makeSocketPair() else { throw SecretFolder.problem() }
            (ours, theirs) = pair
        }

        /// Reads what is there; closes its end when the child has closed the other.
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

    /// The child's end, with everything in it that it will read.
    var input: Int32
    var output: Reader
    var errors: Reader

    var isDone: Bool { output.ours < 0 && errors.ours < 0 }

    init(input bytes: [UInt8]) throws {
        guard let pair = makeSocketPair() else { throw SecretFolder.problem() }
        defer { Foundation.close(pair.1) }
        var made: [Int32] = [pair.0]
        do {
            // Written before there is a child: nobody can be waited for, and no reader can be lost.
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

    /// - Throws: ``ChildProblem/tookTooLong`` when `stop` was fired.
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
