package import GatehouseWire

/// How long sessions live, and how forgiving they are.
package struct SessionPolicy: Sendable {
    /// From sign-in to the end, whatever happens; nil = without limit.
    package var timebox: Duration?
    /// From the last refresh to the end: the lifetime of a refresh token (requirement D5).
    package var inactivity: Duration?
    /// How long after a rotation an older token still gets the current one (requirement D6).
    package var reuseInterval: Duration
    /// Whether a stolen token ends the session; without it, it is only refused.
    package var revokesOnReuse: Bool
    /// Whether a token that comes later than ``reuseInterval`` ends the session although it is only one behind, once the
    /// access token of its successor has been used.
    package var isStrict: Bool
    /// How long after a sign-in its session may change the ways into the account, and delete it; nil = as long as it
    /// lasts (ASVS 5.0 V6.2.3, V7.5.1).
    package var freshSignIn: Duration?

    package init(
        timebox: Duration? = nil, inactivity: Duration? = .seconds(30 * 86_400), reuseInterval: Duration = .seconds(10),
        revokesOnReuse: Bool = true, isStrict: Bool = false, freshSignIn: Duration? = nil
    ) {
        self.timebox = timebox
        self.inactivity = inactivity
        self.reuseInterval = reuseInterval
        self.revokesOnReuse = revokesOnReuse
        self.isStrict = isStrict
        self.freshSignIn = freshSignIn
    }

    /// Whether the person has signed in so lately that nothing else has to prove who they are. Anonymous people have
    /// nothing to sign in with, and nobody's data to lose.
    ///
    /// - Parameter session: nil when the token names none.
    package func isFresh(_ session: Session?, of user: User, at now: Instant) -> Bool {
        guard let freshSignIn, !user.isAnonymous else { return true }
        guard let session else { return false }
        return now < session.createdAt + freshSignIn
    }

    package func hasEnded(_ session: Session, at now: Instant) -> Bool {
        session.createdAt < earliestStart(at: now) || (session.refreshedAt ?? session.createdAt) < earliestUse(at: now)
    }

    /// Sessions that began before this have ended.
    package func earliestStart(at now: Instant) -> Instant { Self.instant(timebox, before: now) }

    /// Sessions that were last used before this have ended.
    package func earliestUse(at now: Instant) -> Instant { Self.instant(inactivity, before: now) }

    /// Not before the year 1, which every database can keep.
    private static func instant(_ limit: Duration?, before now: Instant) -> Instant {
        let first = Instant(seconds: -62_135_596_800)
        guard let limit, limit < now - first else { return first }
        return now - limit
    }
}

/// What becomes of a refresh token that somebody presents (RFC 9700 §4.14.2).
package enum RefreshVerdict: String, Sendable {
    /// The current token: its successor takes over.
    case rotate
    /// Its successor was given out, but the answer may have been lost: the current token again.
    case reissue
    /// The same, later than callers that ran side by side: a lost answer, or somebody in step with the owner who always
    /// has the token before. The two look alike, so it is written down.
    case reissueLate = "reissue_late"
    /// Two or more behind, and too late for callers that ran side by side: somebody else has it.
    case revoke
    /// The session is over.
    case expired
    /// A counter that was never given out, which only a restored backup or a forger can have.
    case ahead

    /// - Parameters:
    ///   - counter: The presented token's counter.
    ///   - successorWasUsed: Whether an access token that came with the session's current token has been used. Asked
    ///     for by strict policies alone.
    package init(
        counter: Int64, session: Session, policy: SessionPolicy, now: Instant, successorWasUsed: Bool = false
    ) {
        let behind = session.counter - counter
        let isSideBySide = session.refreshedAt.map { now <= $0 + policy.reuseInterval } ?? false
        self =
            if policy.hasEnded(session, at: now) {
                .expired
            } else if behind < 0 {
                .ahead
            } else if behind == 0 {
                .rotate
            } else if behind == 1 {
                // Without a time limit: nobody has refreshed with the successor, so at most its answer was lost.
                isSideBySide ? .reissue : policy.isStrict && successorWasUsed ? .revoke : .reissueLate
            } else if isSideBySide {
                .reissue
            } else {
                .revoke
            }
    }
}
