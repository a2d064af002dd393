package import GatehouseWire

/// RFC 9700 §4.14.2.
package enum RefreshVerdict: String, Sendable {
    /// The current token: issue its successor.
    case rotate
    /// The successor's response may have been lost: return the current token again.
    case reissue
    /// The same after ``SessionPolicy/reuseInterval``. An attacker who always holds the previous token looks the same,
    /// so the audit log records it.
    case reissueLate = "reissue_late"
    /// Two or more generations behind and too late for concurrent callers: the token was copied.
    case revoke
    case expired
    /// Never issued: a restored backup or a forgery.
    case ahead
    /// Issued before a second factor raised the session, and the response was lost: no later token has been used. The
    /// session continues at the token's level.
    case lowered
    /// Issued before a second factor raised the session, and presented right after a later token was used: a concurrent
    /// request of the same client. It does not get the new level.
    case outgrown

    /// - Parameters:
    ///   - counter: The presented token's.
    ///   - lowEnd: See ``SessionPolicy/lowEnd(of:of:)``.
    ///   - successorWasUsed: Whether an access token issued with the current refresh token has been used. Needed by
    ///     strict policies, and by tokens issued before a second factor.
    package init(
        counter: Int64, session: Session, policy: SessionPolicy, now: Instant, successorWasUsed: Bool = false,
        lowEnd: Instant? = nil
    ) {
        let behind = session.counter - counter
        let isSideBySide =
            session.refreshedAt.map { !NodeClocks.isAhead($0, at: now) && now <= $0 + policy.reuseInterval } ?? false
        self =
            if policy.hasEnded(session, at: now) || lowEnd.map({ now > $0 }) ?? false {
                .expired
            } else if behind < 0 {
                // A second factor's token whose response came after the session had continued below it.
                session.isLowered && counter <= session.levelCounter && !policy.isStrict
                    ? (isSideBySide ? .reissue : .reissueLate) : .ahead
            } else if session.assuranceLevel > .aal1, counter < session.levelCounter {
                session.counter == session.levelCounter && session.counterBelow(counter) != nil && !successorWasUsed
                    ? .lowered : isSideBySide ? .outgrown : .revoke
            } else if behind == 0 {
                .rotate
            } else if behind == 1 {
                // No time limit: no client has refreshed with the successor, so at most its response was lost. A child
                // session's first token travels to another process or device, which uses it once.
                isSideBySide
                    ? .reissue
                    : policy.isStrict && successorWasUsed || session.child != nil && counter == 0
                        ? .revoke : .reissueLate
            } else if isSideBySide {
                .reissue
            } else {
                .revoke
            }
    }
}

extension Session {
    /// See ``RefreshVerdict/lowered``.
    package var isLowered: Bool { assuranceLevel == .aal1 && levelCounter > counter }

    /// The successor of a token from right before the second factor, or of one whose own response was lost; nil for an
    /// older token.
    package func counterBelow(_ presented: Int64) -> Int64? {
        // The raise skipped one counter.
        let before = levelCounter - 2
        return presented == before ? before + 1 : presented == before - 1 ? before : nil
    }
}
