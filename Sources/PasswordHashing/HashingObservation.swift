import GatehouseWire

/// The raw values are labels of a metric.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case argon2id, argon2i, bcrypt
    case firebaseScrypt = "fbscrypt"
}

/// One finished computation, for metrics.
package struct HashingObservation: Hashable, Sendable {
    package let algorithm: HashAlgorithm
    /// Time on the thread, without the wait before it.
    package let duration: Duration
    /// Jobs still waiting for a thread when this one was done.
    package let queueDepth: Int
}

/// Why a password was neither hashed nor compared. None of these says anything about the password.
package enum HashingRefusal: Error, Hashable, Sendable {
    /// As many wait as may wait. `retryAfter` is in whole seconds, at least one.
    case busy(retryAfter: Duration)
    /// The caller's task was cancelled before a thread was free.
    case cancelled
    /// The server is going down.
    case shutDown
    /// The machine could not compute, as when memory was refused.
    case failed(HashAlgorithm)
}

/// What came of comparing a password with a stored hash.
package enum PasswordCheck: Hashable, Sendable {
    /// Also for a person who does not exist and for a hash that cannot be read.
    case wrong
    /// With `needsUpgrade` the caller stores a new hash, now that it has the password.
    case right(needsUpgrade: Bool)

    package var isMatch: Bool { self != .wrong }
    package var needsUpgrade: Bool { self == .right(needsUpgrade: true) }
}
