package import GatehouseWire

package struct SessionPolicy: Sendable {
    /// From sign-in; nil for no limit.
    package var timebox: Duration?
    /// From the last refresh; nil for no limit.
    package var inactivity: Duration?
    /// How long after a rotation an older token yields the current one (Docs/decisions/0004-refresh-tokens.md).
    package var reuseInterval: Duration
    /// Whether token reuse ends the session, instead of only refusing the token.
    package var revokesOnReuse: Bool
    /// Whether a token one generation behind and later than ``reuseInterval`` ends the session, if its successor's
    /// access token has been used.
    package var isStrict: Bool
    /// How long after sign-in or a second factor a session may make a ``SensitiveChange`` that needs a recent proof;
    /// nil for no limit (ASVS 5.0 V6.2.3, V7.5.1).
    package var freshSignIn: Duration?
    /// How long a session without its user's second factor lasts from sign-in; nil for as long as others.
    package var lowLevel: Duration?

    package init(
        timebox: Duration? = nil, inactivity: Duration? = .seconds(30 * 86_400), reuseInterval: Duration = .seconds(10),
        revokesOnReuse: Bool = true, isStrict: Bool = false, freshSignIn: Duration? = nil,
        lowLevel: Duration? = nil
    ) {
        self.timebox = timebox
        self.inactivity = inactivity
        self.reuseInterval = reuseInterval
        self.revokesOnReuse = revokesOnReuse
        self.isStrict = isStrict
        self.freshSignIn = freshSignIn
        self.lowLevel = lowLevel
    }

    /// Whether the last sign-in or second factor is recent enough. Always true for anonymous users, who have no sign-in
    /// method.
    ///
    /// - Parameter session: nil if the token names none.
    package func isFresh(_ session: Session?, of user: User, at now: Instant) -> Bool {
        if user.isAnonymous { return true }
        let proofs = session.map { [$0.createdAt] + $0.entries.times } ?? []
        return isFresh(proofs.filter { !NodeClocks.isAhead($0, at: now) }.max(), at: now)
    }

    /// A proof from a clock that was ahead is not recent.
    ///
    /// - Parameter proof: nil if unknown.
    package func isFresh(_ proof: Instant?, at now: Instant) -> Bool {
        guard let freshSignIn else { return true }
        return proof.map { !NodeClocks.isAhead($0, at: now) && now < $0 + freshSignIn } ?? false
    }

    /// When the session ends for lack of the user's second factor.
    package func lowEnd(of session: Session, of user: User) -> Instant? {
        guard let lowLevel, user.hasSecondFactor, session.assuranceLevel < .aal2 else { return nil }
        return session.createdAt + lowLevel
    }

    /// Checks ``timebox``, ``inactivity`` and the session's own limit.
    package func hasEnded(_ session: Session, at now: Instant) -> Bool {
        session.endsAt.map { $0 < now } ?? false || session.createdAt < earliestStart(at: now)
            || (session.refreshedAt ?? session.createdAt) < earliestUse(at: now)
    }

    /// The earliest limit.
    package func end(of session: Session) -> (reason: SessionEnd.Reason, at: Instant)? {
        let byAge = timebox.map { (reason: SessionEnd.Reason.lifetime, at: session.createdAt + $0) }
        let byUse = inactivity.map { limit in
            (reason: SessionEnd.Reason.inactivity, at: (session.refreshedAt ?? session.createdAt) + limit)
        }
        let byOwn = session.endsAt.map { (reason: SessionEnd.Reason.lifetime, at: $0) }
        return [byAge, byUse, byOwn].compactMap(\.self).min { $0.at < $1.at }
    }

    /// Earlier sessions have ended.
    package func earliestStart(at now: Instant) -> Instant { Self.instant(timebox, before: now) }

    /// Sessions last refreshed earlier have ended.
    package func earliestUse(at now: Instant) -> Instant { Self.instant(inactivity, before: now) }

    /// Earlier sessions without their user's second factor have ended.
    package func earliestLowStart(at now: Instant) -> Instant { Self.instant(lowLevel, before: now) }

    /// Clamped to the year 1, which every database can store.
    private static func instant(_ limit: Duration?, before now: Instant) -> Instant {
        let first = Instant(seconds: -62_135_596_800)
        guard let limit, limit < now - first else { return first }
        return now - limit
    }
}
