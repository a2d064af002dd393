import Foundation

/// A session answer with the moments that its lifetime is counted from.
struct TimedAnswer: Sendable {
    var answer: AuthSessionAnswer
    /// Uptime when the request left: the token was made later, so it lives at least as long as is counted.
    var sentAt: Duration
    /// The device's wall clock when the request left. With an answer that took its time the server's clock seems
    /// to be further ahead than it is, and a restored token to end sooner: the safe side.
    var sentDate: Date
    /// The answer's `Date` header.
    var serverDate: Date?
}

/// The session in memory.
struct KeptSession: Sendable {
    var session: Session
    var generation: String
    var lineage: String
    /// Uptime at which the access token ends; nil when there is none, or nobody knows.
    var goodUntil: Duration?
    /// Uptime at which the token was given, as far as this process saw it.
    var givenAt: Duration?
    /// Seconds to add to the device's wall clock to have the server's.
    var serverAhead: TimeInterval

    /// - Returns: How long the access token can still be used; zero when it cannot.
    func remaining(at uptime: Duration) -> Duration {
        guard let goodUntil, goodUntil > uptime, !session.accessToken.isEmpty else { return .zero }
        return goodUntil - uptime
    }

    /// Callers get a token that is good for `leeway` or half its lifetime, whichever is less: a server that gives
    /// very short tokens must not be asked at every call.
    func isFresh(at uptime: Duration, leeway: Duration) -> Bool {
        remaining(at: uptime) > min(leeway, .seconds(session.expiresIn / 2))
    }
}

extension KeptSession {
    /// The lifetime is what is less: `expires_in`, or the time from the answer's `Date` to `expires_at`. The device's
    /// clock has no part in it.
    init(_ timed: TimedAnswer, generation: String, lineage: String) {
        let answer = timed.answer
        let serverNow = timed.serverDate ?? timed.sentDate
        var lifetime = answer.expiresIn
        if let expiresAt = answer.expiresAt, let date = timed.serverDate {
            let byDate = expiresAt - date.timeIntervalSince1970
            if byDate > 0 { lifetime = min(lifetime, byDate) }
        }
        session = Session(
            accessToken: answer.accessToken, refreshToken: answer.refreshToken, tokenType: answer.tokenType,
            expiresIn: answer.expiresIn,
            expiresAt: answer.expiresAt ?? (serverNow.timeIntervalSince1970 + answer.expiresIn).rounded(.down),
            user: answer.user)
        self.generation = generation
        self.lineage = lineage
        goodUntil = timed.sentAt + .seconds(lifetime)
        givenAt = timed.sentAt
        serverAhead = serverNow.timeIntervalSince(timed.sentDate)
    }

    /// What a store gave back. The uptime of another process says nothing here, so the device's clock, corrected by
    /// how wrong it was when the token came, has to do; it is believed only when the result is possible.
    init(_ stored: StoredSession, now: Date, uptime: Duration) {
        session = Session(
            accessToken: stored.access?.token ?? "", refreshToken: stored.refreshToken,
            tokenType: stored.access?.type ?? "bearer", expiresIn: stored.access?.expiresIn ?? 0,
            expiresAt: stored.access?.expiresAt ?? 0, user: stored.user)
        generation = stored.generation
        lineage = stored.lineage
        givenAt = nil
        serverAhead = stored.access?.serverAhead ?? 0
        guard let access = stored.access else { return }
        let remaining = access.expiresAt - (now.timeIntervalSince1970 + access.serverAhead)
        // A minute more than the whole lifetime is rounding; a year more is a clock that was set.
        if remaining > 0, remaining <= access.expiresIn + 60 { goodUntil = uptime + .seconds(remaining) }
    }

    var stored: StoredSession {
        let access = StoredAccess(
            token: session.accessToken, type: session.tokenType, expiresIn: session.expiresIn,
            expiresAt: session.expiresAt, serverAhead: serverAhead)
        return StoredSession(
            generation: generation, lineage: lineage, refreshToken: session.refreshToken, user: session.user,
            access: session.accessToken.isEmpty ? nil : access)
    }
}
