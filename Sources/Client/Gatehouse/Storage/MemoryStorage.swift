/// A store in memory, for tests, previews, and tools. Several clients can share it.
public actor MemoryStorage: SecureStorage {
    private let values: Locked<[String: [UInt8]]>
    private let gate = SerialGate()

    /// Creates a store with an earlier process's content.
    public init(_ values: [String: [UInt8]] = [:]) { self.values = Locked(values) }

    /// The whole content.
    public var contents: [String: [UInt8]] { values.withLock { $0 } }

    public func read(_ key: String) -> StoredValue { values.withLock { $0[key].map(StoredValue.value) ?? .absent } }
    public nonisolated func readNow(_ key: String) -> StoredValue? {
        values.withLock { $0[key].map(StoredValue.value) ?? .absent }
    }
    public func write(_ bytes: [UInt8], for key: String) { values.withLock { $0[key] = bytes } }
    public func remove(_ key: String) { values.withLock { $0[key] = nil } }

    /// Waits for earlier callers, in order of arrival.
    public nonisolated func withLock<Value: Sendable>(
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await gate.run(body)
    }
}

/// One operation at a time, in order of arrival; an actor would interleave them at each `await`.
package actor SerialGate {
    private var isTaken = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    package init() {}

    private func enter() async {
        guard isTaken else {
            isTaken = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }

    package nonisolated func run<Value: Sendable>(_ body: @Sendable () async throws -> Value) async rethrows -> Value {
        await enter()
        do {
            let value = try await body()
            await leave()
            return value
        } catch {
            await leave()
            throw error
        }
    }
}
