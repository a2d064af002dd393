package import GatehouseWire

/// The settings of second factors.
package struct FactorRules: Sendable {
    /// The kinds that users may add.
    package var enrolling: Set<Factor.Kind> = [.totp]
    /// The kinds whose answers count. Recovery codes need another factor of such a kind.
    package var verifying: Set<Factor.Kind> = [.totp]
    /// Of an account, verified or not.
    package var mostEnrolled = 10
    package var mostVerified = 10
    package var challengeLifetime: Duration = .seconds(300)
    /// How long a factor stays that was never verified and has no challenge.
    package var unansweredStay: Duration = .seconds(300)
    package var recoveryCodes = RecoveryCodeRules()
    /// How long an administrator's removal waits, so that the account's owner can object; nil removes immediately.
    package var removalDelay: Duration?
    /// For authenticator apps, unless the client names an issuer.
    package var issuer = ""

    package init() {}

    /// How long any factor stays that was never verified, and a challenge after its end.
    package static let unverifiedStay: Duration = .seconds(86_400)

    /// Whether the account may have another factor.
    package func admitsAnother(to factors: [Factor]) -> Bool {
        factors.count < mostEnrolled && factors.count(where: \.isVerified) < mostVerified
    }

    /// Whether recovery codes would stand alone without a factor: they are for the loss of others.
    ///
    /// - Parameter removed: The factor to leave out; nil for none.
    package func leavesCodesAlone(_ factors: [Factor], without removed: FactorID? = nil) -> Bool {
        !factors.contains {
            $0.isVerified && $0.kind != .recoveryCodes && $0.id != removed && verifying.contains($0.kind)
        }
    }

    package func lock(of kind: Factor.Kind) -> FactorLock {
        switch kind {
        case .recoveryCodes:
            FactorLock(attempts: recoveryCodes.attempts, duration: recoveryCodes.lockout, doubles: false)
        // Guessing at six digits: 10 attempts in the first quarter of an hour, then ever fewer.
        case .totp, .webAuthn: FactorLock(attempts: 10, duration: .seconds(900), doubles: true)
        }
    }
}

package struct RecoveryCodeRules: Sendable {
    package var count = 10
    /// Letters of a code.
    package var length = 16
    /// The wrong codes that lock the set.
    package var attempts = 5
    package var lockout: Duration = .seconds(900)

    package init() {}

    package static let counts = 4...16
    package static let lengths = 13...32
    package static let attemptCounts = 3...15
    /// Seconds.
    package static let lockouts = 60...86_400
}

/// The limit on wrong codes of one factor. Other factors of the account stay open.
package struct FactorLock: Sendable {
    /// The failures that lock the factor.
    package let attempts: Int
    package let duration: Duration
    /// Whether each lock without a success in between lasts twice as long as the one before, up to a day.
    package let doubles: Bool

    private static let longest: Duration = .seconds(86_400)

    /// - Parameter failures: With this one, since the last success.
    /// - Returns: When the lock ends that this failure begins; nil if it begins none.
    package func end(after failures: Int, at now: Instant) -> Instant? {
        guard failures > 0, failures.isMultiple(of: attempts) else { return nil }
        return now + lasting(failures)
    }

    /// Whether a lock is in force. One that ends later than the rules allow began while a clock was wrong, and is over.
    ///
    /// - Parameters:
    ///   - end: When the lock ends; nil for none.
    ///   - failures: Since the last success.
    package func isLocked(until end: Instant?, after failures: Int, at now: Instant) -> Bool {
        guard let end, now < end else { return false }
        return end <= now + lasting(failures) + NodeClocks.difference
    }

    private func lasting(_ failures: Int) -> Duration {
        guard doubles else { return duration }
        let lock = min(max(failures / attempts - 1, 0), 16)
        return min(duration * (1 << lock), Self.longest)
    }
}
