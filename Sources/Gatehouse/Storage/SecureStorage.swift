/// What a store answers to a read.
public enum StoredValue: Hashable, Sendable {
    case value([UInt8])
    /// The store looked, and there is nothing.
    case absent
    /// The store cannot look now: locked, out of reach, refused. The text is for a log; it must hold no secret.
    case unavailable(reason: String)
}

/// Where the session is kept between two starts: a keychain, a secret service, a file of mode 0600, memory.
///
/// The three answers of ``read(_:)`` are the whole point: a locked keychain must never look like a signed-out
/// person. Keys are ASCII letters, digits, `.` and `-`.
public protocol SecureStorage: Sendable {
    func read(_ key: String) async -> StoredValue

    /// Replaces the value of one key, wholly or not at all; durable when it returns.
    ///
    /// - Throws: Any error; the old value is then still there.
    func write(_ bytes: [UInt8], for key: String) async throws

    /// Removes the value of one key; nothing to remove is no error.
    ///
    /// - Throws: Any error; the value is then still there.
    func remove(_ key: String) async throws

    /// Runs `body` while no other process (and no other client of this one) runs one on the same store.
    ///
    /// It is held during a refresh, network call included, and never taken twice by one task. The default runs
    /// `body` at once, which is right when one client alone uses the store.
    ///
    /// - Throws: What `body` throws, or an error of its own when the lock cannot be had; `body` did not run then.
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension SecureStorage {
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
    }
}
