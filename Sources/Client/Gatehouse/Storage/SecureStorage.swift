import Foundation

/// The result of reading from a store.
public enum StoredValue: Hashable, Sendable {
    /// The bytes of the last completed write.
    case value([UInt8])
    /// The store was readable, and there is no value.
    case absent
    /// The store is not readable now.
    case unavailable(StoreProblem)
}

/// Why a store does not answer, or could not write.
///
/// ```swift
/// let locked = StoreProblem("keychain -25308", cause: .locked)
/// let unknown: StoreProblem = "the disk has an error"
/// ```
public struct StoreProblem: Error, Hashable, Sendable, ExpressibleByStringLiteral {
    /// The kinds of problems that differ for the user.
    public enum Cause: Hashable, Sendable {
        /// The device or the keyring is locked. The store answers when the user unlocks it.
        case locked
        /// The system does not let the app use the store, for example because of a missing entitlement. Another attempt
        /// does not help.
        case notPermitted
        /// Any other cause. The store may answer later.
        case other
    }

    /// The kind of the problem.
    public var cause: Cause
    /// A description for logs. Contains no secret.
    public var detail: String

    /// - Parameter detail: Must not contain a secret.
    public init(_ detail: String, cause: Cause = .other) {
        self.detail = detail
        self.cause = cause
    }

    /// A problem of unknown cause.
    public init(stringLiteral detail: String) { self.init(detail) }
}

extension StoreProblem {
    /// The problem in an error of a store or of the system.
    package init(_ error: any Error) {
        switch error {
        case let problem as StoreProblem: self = problem
        case AuthClientError.storeUnavailable(let problem), AuthClientError.storeFailed(let problem): self = problem
        default: self.init(system: error)
        }
    }

    private init(system error: any Error) {
        let known = error as NSError
        // The name in Apple's NSOSStatusErrorDomain.
        if known.domain == "NSOSStatusErrorDomain", let status = Int32(exactly: known.code) {
            self.init(keychainStatus: status)
            return
        }
        let isRefusal = known.domain == NSPOSIXErrorDomain && [EACCES, EPERM, EROFS].contains { $0 == known.code }
        self.init(error.shortText, cause: isRefusal ? .notPermitted : .other)
    }

    /// - Parameter status: A result code of Security's functions for items.
    init(keychainStatus status: Int32) {
        let cause: Cause =
            switch status {
            // errSecInteractionNotAllowed, errSecDataNotAvailable: the device is locked.
            case -25_308, -25_316: .locked
            // errSecMissingEntitlement, errSecNoAccessForItem, errSecRestrictedAPI.
            case -34_018, -25_243, -34_020: .notPermitted
            default: .other
            }
        self.init("keychain \(status)", cause: cause)
    }
}

/// Stores the session between launches: a keychain, a secret service, a file of mode 0600, or memory. Apps usually pass
/// ``SystemStorage/make(name:environment:clock:accessibility:notice:)``.
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
    /// Returns the value of a key. A failure is ``StoredValue/unavailable(_:)``, never ``StoredValue/absent``.
    func read(_ key: String) async -> StoredValue

    /// Returns what ``read(_:)`` would return, if the store can answer within about a millisecond; otherwise nil, as
    /// the default implementation does.
    ///
    /// An app calls it once, on its main thread, so that its first frame shows whether a user is signed in.
    func readNow(_ key: String) -> StoredValue?

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
    public func readNow(_: String) -> StoredValue? { nil }

    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
    }
}
