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

    package init(
        timebox: Duration? = nil, inactivity: Duration? = .seconds(30 * 86_400), reuseInterval: Duration = .seconds(10),
        revokesOnReuse: Bool = true
    ) {
        self.timebox = timebox
        self.inactivity = inactivity
        self.reuseInterval = reuseInterval
        self.revokesOnReuse = revokesOnReuse
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
    /// Two or more behind, and too late for callers that ran side by side: somebody else has it.
    case revoke
    /// The session is over.
    case expired
    /// A counter that was never given out, which only a restored backup or a forger can have.
    case ahead

    /// - Parameter counter: The presented token's counter.
    package init(counter: Int64, session: Session, policy: SessionPolicy, now: Instant) {
        let behind = session.counter - counter
        self =
            if policy.hasEnded(session, at: now) {
                .expired
            } else if behind < 0 {
                .ahead
            } else if behind == 0 {
                .rotate
            } else if behind == 1 {
                // Without a time limit: nobody has used the successor, so nobody has it but the one who lost it.
                .reissue
            } else if let refreshedAt = session.refreshedAt, now <= refreshedAt + policy.reuseInterval {
                .reissue
            } else {
                .revoke
            }
    }
}
