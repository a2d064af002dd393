import Foundation

/// The result of a read.
public enum StoredValue: Hashable, Sendable {
    /// The last completed write.
    case value([UInt8])
    /// The store is readable and has no value.
    case absent
    /// The store is unreadable for now.
    case unavailable(StoreProblem)
}

/// Why a store is unavailable, or could not write.
///
/// ```swift
/// let locked = StoreProblem("keychain -25308", cause: .locked)
/// let unknown: StoreProblem = "the disk has an error"
/// ```
public struct StoreProblem: Error, Hashable, Sendable, ExpressibleByStringLiteral {
    /// Causes that differ for the user.
    public enum Cause: Hashable, Sendable {
        /// The device or keyring is locked; unlocking it helps.
        case locked
        /// The system refuses access, for example for lack of an entitlement. A retry does not help.
        case notPermitted
        /// Anything else. A retry may help.
        case other
    }

    /// The cause.
    public var cause: Cause
    /// For logs; contains no secret.
    public var detail: String

    /// Creates a problem. `detail` must not contain a secret.
    public init(_ detail: String, cause: Cause = .other) {
        self.detail = detail
        self.cause = cause
    }

    /// A problem of cause ``Cause/other``.
    public init(stringLiteral detail: String) { self.init(detail) }
}

extension StoreProblem {
    package init(_ error: any Error) {
        switch error {
        case let problem as StoreProblem: self = problem
        case AuthClientError.storeUnavailable(let problem), AuthClientError.storeFailed(let problem): self = problem
        default: self.init(system: error)
        }
    }

    private init(system error: any Error) {
        let known = error as NSError
        // Apple's NSOSStatusErrorDomain.
        if known.domain == "NSOSStatusErrorDomain", let status = Int32(exactly: known.code) {
            self.init(keychainStatus: status)
            return
        }
        let isRefusal = known.domain == NSPOSIXErrorDomain && [EACCES, EPERM, EROFS].contains { $0 == known.code }
        self.init(error.shortText, cause: isRefusal ? .notPermitted : .other)
    }

    /// From Security's item functions.
    init(keychainStatus status: Int32) {
        let cause: Cause =
            switch status {
            // errSecInteractionNotAllowed, errSecDataNotAvailable.
            case -25_308, -25_316: .locked
            // errSecMissingEntitlement, errSecNoAccessForItem, errSecRestrictedAPI.
            case -34_018, -25_243, -34_020: .notPermitted
            default: .other
            }
        self.init("keychain \(status)", cause: cause)
    }
}

/// Stores the session between launches. Apps usually pass
/// ``SystemStorage/make(name:environment:clock:accessibility:notice:)``.
///
/// ``read(_:)`` has three results, because a locked keychain must not look like a sign-out. Keys are ASCII letters,
/// digits, `.` and `-`. Values are a few kilobytes, depending on the user's metadata.
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
    /// Returns a key's value. A failure is ``StoredValue/unavailable(_:)``, never ``StoredValue/absent``.
    func read(_ key: String) async -> StoredValue

    /// As ``read(_:)``, for an app's first frame on the main thread; nil, as by default, if it would take over a
    /// millisecond.
    func readNow(_ key: String) -> StoredValue?

    /// Replaces a value, atomically and durably. An error leaves the old value.
    func write(_ bytes: [UInt8], for key: String) async throws

    /// Deletes a value, if there is one. An error leaves the value.
    func remove(_ key: String) async throws

    /// Runs `body` under an exclusive lock, between processes and clients.
    ///
    /// The client holds it during a refresh, including its request, and never twice in one task. By default there is no
    /// lock, which suits a single client.
    ///
    /// - Throws: Errors of `body`, or without running it another error if the lock is unavailable.
    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension SecureStorage {
    public func readNow(_: String) -> StoredValue? { nil }

    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
    }
}
