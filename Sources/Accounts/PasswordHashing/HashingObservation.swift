import GatehouseWire

/// A hash algorithm. The raw values are metric labels.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case argon2id, argon2i, bcrypt
    case firebaseScrypt = "fbscrypt"
}

/// A finished computation, for metrics.
package struct HashingObservation: Hashable, Sendable {
    package let algorithm: HashAlgorithm
    /// Time on the thread, without waiting.
    package let duration: Duration
    /// The number of jobs that were waiting when this one ended.
    package let queueDepth: Int
}

/// Why a password was neither hashed nor compared. Reveals nothing about the password.
package enum HashingRefusal: Error, Hashable, Sendable {
    /// The queue is full. `retryAfter` is in whole seconds, at least one.
    case busy(retryAfter: Duration)
    /// The caller's task was cancelled before a thread was free.
    case cancelled
    /// The server is shutting down.
    case shutDown
    /// The computation failed, for example because memory could not be allocated.
    case failed(HashAlgorithm)
}

/// The result of comparing a password with a stored hash.
package enum PasswordCheck: Hashable, Sendable {
    /// Also the result for an unknown account or an unreadable hash.
    case wrong
    /// If `needsUpgrade` is true, the caller should store a new hash while it has the password.
    case right(needsUpgrade: Bool)

    package var isMatch: Bool { self != .wrong }
    package var needsUpgrade: Bool { self == .right(needsUpgrade: true) }
}
