package import GatehouseWire

package struct FactorRules: Sendable {
    package var enrolling: Set<Factor.Kind> = [.totp]
    /// Kinds that are accepted. Recovery codes need another factor of such a kind.
    package var verifying: Set<Factor.Kind> = [.totp]
    /// Per account, verified or not.
    package var mostEnrolled = 10
    package var mostVerified = 10
    package var challengeLifetime: Duration = .seconds(300)
    /// The lifetime of an unverified factor without a challenge.
    package var unansweredStay: Duration = .seconds(300)
    package var recoveryCodes = RecoveryCodeRules()
    /// How long an administrator's removal waits for the owner's objection; nil removes immediately.
    package var removalDelay: Duration?
    /// For authenticator apps, unless the client names one.
    package var issuer = ""

    package init() {}

    /// The lifetime of any unverified factor, and of an expired challenge.
    package static let unverifiedStay: Duration = .seconds(86_400)

    package func admitsAnother(to factors: [Factor]) -> Bool {
        factors.count < mostEnrolled && factors.count(where: \.isVerified) < mostVerified
    }

    /// Whether only recovery codes would be left.
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
        // Six digits can be guessed: 10 attempts in the first quarter of an hour, then ever fewer.
        case .totp, .webAuthn, .phone: FactorLock(attempts: 10, duration: .seconds(900), doubles: true)
        }
    }
}

package struct RecoveryCodeRules: Sendable {
    package var count = 10
    package var length = 16
    package var attempts = 5
    package var lockout: Duration = .seconds(900)

    package init() {}

    package static let counts = 4...16
    package static let lengths = 13...32
    package static let attemptCounts = 3...15
    package static let lockouts = 60...86_400
}

/// Limits one factor's wrong codes. The account's other factors stay usable.
package struct FactorLock: Sendable {
    package let attempts: Int
    package let duration: Duration
    /// Whether each lock without a success in between doubles, up to a day.
    package let doubles: Bool

    private static let longest: Duration = .seconds(86_400)

    /// - Parameter failures: Since the last success, including this one.
    /// - Returns: nil if this failure starts no lock.
    package func end(after failures: Int, at now: Instant) -> Instant? {
        guard failures > 0, failures.isMultiple(of: attempts) else { return nil }
        return now + lasting(failures)
    }

    /// Ignores a lock that ends later than the rules allow: a wrong clock set it.
    ///
    /// - Parameter failures: Since the last success.
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
