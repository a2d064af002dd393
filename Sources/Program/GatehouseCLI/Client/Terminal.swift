import Dispatch
import Foundation
import GatehouseWire
import Synchronization
import UnixSignals

/// Restores the echo however the program ends.
final class Terminal: Sendable {
    /// The settings before the echo was turned off; nil while it is on.
    private let shown = Mutex<termios?>(nil)
    private let cleanup = Mutex<(@Sendable () async -> Void)?>(nil)
    /// Reading blocks. On a task thread of a single core, it would keep signals from being handled.
    private let queue = DispatchQueue(label: "gatehouse.terminal")

    static var canAsk: Bool { isatty(0) == 1 }

    static func watched(_ endsInterrupted: @escaping @Sendable () -> Void) async -> Terminal {
        let terminal = Terminal()
        // From here on the task receives the signals. There was nothing to restore before.
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sigquit, .sigcont)
        Task {
            for await signal in signals {
                if signal == .sigcont {
                    // While the program was stopped, the shell turned the echo on.
                    terminal.hideAgain()
                    continue
                }
                terminal.restore()
                guard let cleanup = terminal.takeCleanup() else {
                    endsInterrupted()
                    _exit(128 + signal.rawValue)
                }
                // A second signal ends the program immediately.
                Task {
                    await cleanup()
                    endsInterrupted()
                    _exit(128 + signal.rawValue)
                }
            }
        }
        return terminal
    }

    func beforeInterruption(_ cleanup: (@Sendable () async -> Void)?) { self.cleanup.withLock { $0 = cleanup } }

    private func takeCleanup() -> (@Sendable () async -> Void)? {
        cleanup.withLock { cleanup in
            defer { cleanup = nil }
            return cleanup
        }
    }

    /// - Throws: ``ClientFailure/cancelled`` at the end of the input.
    func line(_ question: String) async throws -> String {
        Output.part(question)
        guard let line = try await readLine() else {
            Output.part("\n")
            throw ClientFailure.cancelled
        }
        return line.trimmingCharacters(in: .whitespaces)
    }

    /// Does not echo the input.
    func secret(_ question: String) async throws -> Secret {
        hide()
        // Only once the echo is off, to hide text typed immediately.
        Output.part(question)
        defer {
            restore()
            Output.part("\n")
        }
        guard let line = try await readLine() else { throw ClientFailure.cancelled }
        return Secret(line)
    }

    /// For scripts. Hides the input at a terminal.
    ///
    /// - Throws: ``ClientFailure`` if there is none.
    func secretLine(_ name: String = "password") async throws -> Secret {
        hide()
        defer { restore() }
        guard let line = try await readLine(), !line.isEmpty else {
            throw ClientFailure.usage("Standard input contains no \(name).")
        }
        return Secret(line)
    }

    private func hide() {
        shown.withLock { shown in
            var settings = termios()
            guard shown == nil, tcgetattr(0, &settings) == 0 else { return }
            shown = settings
            Self.setEcho(off: settings)
        }
    }

    private func hideAgain() { shown.withLock { shown in shown.map { Self.setEcho(off: $0) } } }

    private func restore() {
        shown.withLock { shown in
            guard var settings = shown else { return }
            tcsetattr(0, TCSAFLUSH, &settings)
            shown = nil
        }
    }

    private static func setEcho(off settings: termios) {
        var hidden = settings
        hidden.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSAFLUSH, &hidden)
    }

    private func readLine() async throws -> String? {
        try await withCheckedThrowingContinuation { waiter in
            queue.async { waiter.resume(with: Result { try Self.readLine() }) }
        }
    }

    private static let longestLine = 4_096

    /// Single bytes: later lines stay available to other readers.
    private static func readLine() throws -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(0, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if line.isEmpty { return nil }
                break
            }
            if byte == UInt8(ascii: "\n") { break }
            line.append(byte)
            guard line.count <= longestLine else {
                throw ClientFailure.usage("A line of the input is longer than \(longestLine) bytes.")
            }
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard let text = String(validating: line, as: UTF8.self) else {
            throw ClientFailure.usage("The input is not UTF-8.")
        }
        return text
    }
}
