import GatehouseWire

/// Raw values are metric labels.
package enum HashAlgorithm: String, CaseIterable, Sendable {
    case argon2id, argon2i, bcrypt
    case firebaseScrypt = "fbscrypt"
}

package struct HashingObservation: Hashable, Sendable {
    package let algorithm: HashAlgorithm
    /// On the thread, without waiting.
    package let duration: Duration
    /// When this job ended.
    package let queueDepth: Int
}

/// Of one job, in this order.
package enum HashingStep: Sendable {
    /// On a hashing thread.
    case started
    /// A refusal may come before `started`.
    case ended(HashingRefusal?)
}

/// Called in the caller's task when its job begins to wait.
///
/// - Returns: nil to ignore the job.
package typealias HashingWatch = @Sendable (HashAlgorithm) -> (@Sendable (HashingStep) -> Void)?

/// Reveals nothing about the password.
package enum HashingRefusal: Error, Hashable, Sendable {
    /// `retryAfter` is in whole seconds, at least one.
    case busy(retryAfter: Duration)
    /// The caller's task, before a thread was free.
    case cancelled
    case shutDown
    /// For example for lack of memory.
    case failed(HashAlgorithm)
}

package enum PasswordCheck: Hashable, Sendable {
    /// Also for an unknown account or an unreadable hash.
    case wrong
    /// If `needsUpgrade` is true, the caller should store a new hash while it has the password.
    case right(needsUpgrade: Bool)

    package var isMatch: Bool { self != .wrong }
    package var needsUpgrade: Bool { self == .right(needsUpgrade: true) }
}
