import Gatehouse

struct DiskFull: Error {}

/// Refuses to write entries with this suffix.
actor StorageThatCannotSave: SecureStorage {
    let inner: MemoryStorage
    private var refused: [String] = []

    init(_ inner: MemoryStorage = MemoryStorage()) { self.inner = inner }

    func refuse(_ endings: String...) { refused = endings }

    func read(_ key: String) async -> StoredValue { await inner.read(key) }

    func write(_ bytes: [UInt8], for key: String) async throws {
        if refused.contains(where: { key.hasSuffix($0) }) { throw DiskFull() }
        await inner.write(bytes, for: key)
    }

    func remove(_ key: String) async throws {
        if refused.contains(where: { key.hasSuffix($0) }) { throw DiskFull() }
        await inner.remove(key)
    }

    nonisolated func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await inner.withLock(body)
    }
}

/// All reads and writes fail.
actor StorageThatIsLocked: SecureStorage {
    let inner: MemoryStorage
    private var isLocked: Bool
    private(set) var writesWhileLocked = 0

    init(_ inner: MemoryStorage = MemoryStorage(), isLocked: Bool = true) {
        self.inner = inner
        self.isLocked = isLocked
    }

    func lock() { isLocked = true }
    func unlock() { isLocked = false }

    func read(_ key: String) async -> StoredValue {
        isLocked ? .unavailable("locked") : await inner.read(key)
    }

    func write(_ bytes: [UInt8], for key: String) async throws {
        if isLocked { writesWhileLocked += 1 }
        await inner.write(bytes, for: key)
    }

    func remove(_ key: String) async throws { await inner.remove(key) }
}

/// Every event of `listener`, in order.
actor Listener {
    private(set) var events: [AuthEvent] = []
    private(set) var sessions: [AuthSession?] = []

    /// Returns after the first event.
    init(to client: GatehouseClient) async {
        let changes = client.authStateChanges
        Task { [weak self] in
            for await (event, session) in changes { await self?.hear(event, session) }
        }
        while events.isEmpty { await Task.yield() }
    }

    /// Listens from now on.
    init(early client: GatehouseClient) {
        let changes = client.authStateChanges
        Task { [weak self] in
            for await (event, session) in changes { await self?.hear(event, session) }
        }
    }

    private func hear(_ event: AuthEvent, _ session: AuthSession?) {
        events.append(event)
        sessions.append(session)
    }

    func waits(for count: Int) async { while events.count < count { await Task.yield() } }
}
