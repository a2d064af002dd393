import Foundation

struct TimedAnswer: Sendable {
    var answer: AuthSessionAnswer
    /// When the request was sent: the token lives at least as long from then.
    var sentAt: Duration
    /// The wall clock when the request was sent. After a slow response, a restored token expires early, which is safe.
    var sentDate: Date
    var serverDate: Date?
    /// The key whose proof the request had.
    var key: StoredKey?
}

struct KeptSession: Sendable {
    var session: AuthSession
    var generation: String
    var lineage: String
    /// The access token's expiry in uptime.
    var goodUntil: Duration?
    var givenAt: Duration?
    /// The server's clock minus the device's.
    var serverAhead: TimeInterval
    /// nil for a session of a client without keys.
    var key: StoredKey?

    /// Zero once expired.
    func remaining(at uptime: Duration) -> Duration {
        guard let goodUntil, goodUntil > uptime, !session.accessToken.isEmpty else { return .zero }
        return goodUntil - uptime
    }

    /// Valid for `leeway`, or half its lifetime if less: otherwise short-lived tokens would always be refreshed.
    func isFresh(at uptime: Duration, leeway: Duration) -> Bool {
        remaining(at: uptime) > min(leeway, .seconds(session.expiresIn / 2))
    }
}

extension KeptSession {
    /// Uses the smaller of `expires_in` and the time from `Date` to `expires_at`, not the device's clock.
    init(_ timed: TimedAnswer, generation: String, lineage: String) {
        let answer = timed.answer
        let serverNow = timed.serverDate ?? timed.sentDate
        var lifetime = answer.expiresIn
        if let expiresAt = answer.expiresAt, let date = timed.serverDate {
            let byDate = expiresAt - date.timeIntervalSince1970
            if byDate > 0 { lifetime = min(lifetime, byDate) }
        }
        session = AuthSession(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken, tokenType: answer.tokenType,
            expiresIn: answer.expiresIn,
            expiresAt: answer.expiresAt ?? (serverNow.timeIntervalSince1970 + answer.expiresIn).rounded(.down),
            user: answer.user)
        self.generation = generation
        self.lineage = lineage
        goodUntil = timed.sentAt + .seconds(lifetime)
        givenAt = timed.sentAt
        serverAhead = serverNow.timeIntervalSince(timed.sentDate)
        key = timed.key?.bound(by: answer.accessToken)
    }

    /// Another process's uptime is meaningless, so this uses the wall clock, corrected by its error at receipt, if
    /// plausible.
    init(_ stored: StoredSession, now: Date, uptime: Duration) {
        session = AuthSession(
            accessToken: stored.access?.token ?? "", refreshToken: stored.refreshToken,
            tokenType: stored.access?.type ?? "bearer", expiresIn: stored.access?.expiresIn ?? 0,
            expiresAt: stored.access?.expiresAt ?? 0, user: stored.user)
        generation = stored.generation
        lineage = stored.lineage
        key = stored.key
        givenAt = nil
        serverAhead = stored.access?.serverAhead ?? 0
        guard let access = stored.access else { return }
        let remaining = access.expiresAt - (now.timeIntervalSince1970 + access.serverAhead)
        // Up to a minute more is rounding; beyond that, the clock was set.
        if remaining > 0, remaining <= access.expiresIn + 60 { goodUntil = uptime + .seconds(remaining) }
    }

    var stored: StoredSession {
        let access = StoredAccess(
            token: session.accessToken, type: session.tokenType, expiresIn: session.expiresIn,
            expiresAt: session.expiresAt, serverAhead: serverAhead)
        return StoredSession(
            generation: generation, lineage: lineage, refreshToken: session.refreshToken, user: session.user,
            access: session.accessToken.isEmpty ? nil : access, key: key)
    }
}
