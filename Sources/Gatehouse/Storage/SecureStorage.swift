/// The result of reading from a store.
public enum StoredValue: Hashable, Sendable {
    /// The bytes of the last completed write.
    case value([UInt8])
    /// The store was readable, and there is no value.
    case absent
    /// The store is not readable now: locked, unreachable or refused. The text is for logs and must not contain a
    /// secret.
    case unavailable(reason: String)
}

/// Stores the session between launches: a keychain, a secret service, a file of mode 0600, or memory. Apps usually pass
/// ``SystemStorage/make(name:environment:clock:serviceLimit:notice:)``.
///
/// ``read(_:)`` distinguishes three results, because a locked keychain must never look like a signed-out user. Keys
/// consist of ASCII letters, digits, `.` and `-`. Values are a few kilobytes; they grow with the user's metadata.
///
/// ```swift
/// actor DictionaryStorage: SecureStorage {
///     private var values: [String: [UInt8]] = [:]
///     func read(_ key: String) -> StoredValue { values[key].map(StoredValue.value) ?? .absent }
///     func write(_ bytes: [UInt8], for key: String) { values[key] = bytes }
///     func remove(_ key: String) { values[key] = nil }
/// }
/// ```
public protocol SecureStorage: Sendable {
    /// Returns the value of a key. A failure is ``StoredValue/unavailable(reason:)``, never ``StoredValue/absent``.
    func read(_ key: String) async -> StoredValue

    /// Replaces the value of a key atomically. The value is durable when the call returns.
    ///
    /// - Throws: Any error. The old value is then unchanged.
    func write(_ bytes: [UInt8], for key: String) async throws

    /// Deletes the value of a key, if there is one.
    ///
    /// - Throws: Any error. The value then still exists.
    func remove(_ key: String) async throws

    /// Runs `body` while holding an exclusive lock on the store, between processes and between clients in this process.
    ///
    /// The client holds the lock during a refresh, including its network call, and never takes it twice in one task.
    /// The default implementation runs `body` without a lock, which is correct if only one client uses the store.
    ///
    /// - Throws: Errors of `body`, or another error if the lock is not available; `body` did not run then.
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension SecureStorage {
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
    }
}
