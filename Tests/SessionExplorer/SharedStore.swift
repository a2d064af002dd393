import Gatehouse
import GatehouseWire
import Synchronization

/// A crash ends the run silently; its later actions have no effect.
final class Incarnation: Sendable, CustomStringConvertible {
    let process: Int
    let number: Int
    private let ended = Mutex(false)

    init(process: Int, number: Int) { (self.process, self.number) = (process, number) }

    var description: String { "process \(process), run \(number)\(isDead ? " (dead)" : "")" }
    var isDead: Bool { ended.withLock { $0 } }
    func die() { ended.withLock { $0 = true } }
}

struct ProcessEnded: Error {}
struct StoreRefused: Error {}

/// The faults of a store.
enum StoreFault: CaseIterable, Sendable {
    case none
    /// A locked phone: no reads, no writes.
    case locked
    /// Hides an entry and would replace it.
    case unreadable
    case diskFull
    /// Only a session's second, smaller entry does not fit.
    case extraRefused
}

/// A change of the session's entry.
struct StoreChange: Sendable {
    let by: Incarnation
    /// The refresh tokens before and after.
    let before: String?
    let after: String?
}

/// Shared by all processes of a device, with a lock that its holder's crash releases.
final class SharedStore: Sendable {
    private struct State {
        var entries: [String: [UInt8]] = [:]
        var fault = StoreFault.none
        var holder: Incarnation?
        var waiting: [(Incarnation, CheckedContinuation<Bool, Never>)] = []
        /// Each is a task of a run, whose last result was "unavailable".
        var blind: Set<String> = []
    }

    private let state = Mutex(State())
    private let hear: @Sendable (StoreChange) -> Void
    private let overwroteBlindly: @Sendable (Incarnation) -> Void

    init(
        hear: @escaping @Sendable (StoreChange) -> Void, overwroteBlindly: @escaping @Sendable (Incarnation) -> Void
    ) {
        self.hear = hear
        self.overwroteBlindly = overwroteBlindly
    }

    func set(_ fault: StoreFault) { state.withLock { $0.fault = fault } }
    var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }
    var refreshToken: String? { state.withLock { Self.refreshToken($0.entries) } }

    private static func refreshToken(_ entries: [String: [UInt8]]) -> String? {
        guard let bytes = entries["gatehouse.refresh-token"] else { return nil }
        // Cannot fail: the client wrote every entry.
        return (try? JSONReader.read(bytes))?["refresh_token"]?.stringValue
    }

    /// A task may write what it has read, although another task of the same run cannot read it any more.
    private static func reader(of key: String, _ run: Incarnation) -> String {
        "\(run.process).\(run.number).\(key).\(withUnsafeCurrentTask { $0?.hashValue ?? 0 })"
    }

    fileprivate func read(_ key: String, _ run: Incarnation) -> StoredValue {
        state.withLock { state in
            let reader = Self.reader(of: key, run)
            if state.fault == .locked || state.fault == .unreadable {
                state.blind.insert(reader)
                return .unavailable("locked")
            }
            state.blind.remove(reader)
            return state.entries[key].map(StoredValue.value) ?? .absent
        }
    }

    fileprivate func write(_ bytes: [UInt8]?, _ key: String, _ run: Incarnation) throws {
        let (change, isBlind) = try state.withLock { state in
            switch state.fault {
            case .locked: throw StoreRefused()
            case .diskFull where bytes != nil: throw StoreRefused()
            case .extraRefused where bytes != nil && key.hasSuffix("access-token"): throw StoreRefused()
            default: break
            }
            let before = Self.refreshToken(state.entries)
            state.entries[key] = bytes
            let change = StoreChange(by: run, before: before, after: Self.refreshToken(state.entries))
            return (change, bytes != nil && state.blind.contains(Self.reader(of: key, run)))
        }
        if isBlind { overwroteBlindly(run) }
        if change.before != change.after { hear(change) }
    }

    fileprivate func enter(_ run: Incarnation) async -> Bool {
        await withCheckedContinuation { continuation in
            let isEntered = state.withLock { state in
                if state.holder == nil {
                    state.holder = run
                    return true
                }
                state.waiting.append((run, continuation))
                return false
            }
            if isEntered { continuation.resume(returning: true) }
        }
    }

    fileprivate func leave(_ run: Incarnation) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.holder === run else { return nil }
            return Self.passOn(&state)
        }
        next?.resume(returning: true)
    }

    private static func passOn(_ state: inout State) -> CheckedContinuation<Bool, Never>? {
        state.holder = nil
        guard !state.waiting.isEmpty else { return nil }
        let (run, continuation) = state.waiting.removeFirst()
        state.holder = run
        return continuation
    }

    /// The system releases the locks of the crashed process.
    func release(_ dead: Incarnation) {
        let (refused, next) = state.withLock { state in
            let refused = state.waiting.filter { $0.0 === dead }.map(\.1)
            state.waiting.removeAll { $0.0 === dead }
            return (refused, state.holder === dead ? Self.passOn(&state) : nil)
        }
        for waiting in refused { waiting.resume(returning: false) }
        next?.resume(returning: true)
    }
}

/// As seen by one run. Other steps run before and after each access.
struct ProcessStorage: SecureStorage {
    let store: SharedStore
    let run: Incarnation

    func read(_ key: String) async -> StoredValue {
        await Scheduler.shared.pause()
        return run.isDead ? .unavailable("ended") : store.read(key, run)
    }

    func write(_ bytes: [UInt8], for key: String) async throws { try await change(bytes, key) }
    func remove(_ key: String) async throws { try await change(nil, key) }

    private func change(_ bytes: [UInt8]?, _ key: String) async throws {
        await Scheduler.shared.pause()
        if run.isDead { throw ProcessEnded() }
        try store.write(bytes, key, run)
        await Scheduler.shared.pause()
        if run.isDead { throw ProcessEnded() }
    }

    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        guard !run.isDead, await store.enter(run) else { throw ProcessEnded() }
        defer { store.leave(run) }
        if run.isDead { throw ProcessEnded() }
        return try await body()
    }
}
