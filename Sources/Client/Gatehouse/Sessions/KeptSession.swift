import Foundation

/// A session response with the times from which its lifetime is counted.
struct TimedAnswer: Sendable {
    var answer: AuthSessionAnswer
    /// The uptime when the request was sent. The server issued the token later, so its real lifetime is at least as
    /// long.
    var sentAt: Duration
    /// The device's wall clock when the request was sent. A slow response makes the server's clock seem further ahead,
    /// so that a restored token expires early, which is safe.
    var sentDate: Date
    /// The response's `Date` header.
    var serverDate: Date?
}

/// The session in memory.
struct KeptSession: Sendable {
    var session: AuthSession
    var generation: String
    var lineage: String
    /// The uptime at which the access token expires; nil if there is none or the expiry is unknown.
    var goodUntil: Duration?
    /// The uptime when this process received the token.
    var givenAt: Duration?
    /// The seconds by which the server's clock is ahead of the device's wall clock.
    var serverAhead: TimeInterval

    /// - Returns: How long the access token is still usable; zero if it is not.
    func remaining(at uptime: Duration) -> Duration {
        guard let goodUntil, goodUntil > uptime, !session.accessToken.isEmpty else { return .zero }
        return goodUntil - uptime
    }

    /// Whether the token is valid for `leeway` or half its lifetime, whichever is less. Without the second condition, a
    /// server with very short lifetimes would be called each time.
    func isFresh(at uptime: Duration, leeway: Duration) -> Bool {
        remaining(at: uptime) > min(leeway, .seconds(session.expiresIn / 2))
    }
}

extension KeptSession {
    /// Uses the smaller of `expires_in` and the time from the response's `Date` to `expires_at`. Independent of the
    /// device's clock.
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
    }

    /// Restores a session from the store. The uptime of another process is meaningless, so this uses the device's
    /// clock, corrected by its error when the token was received, and only if the result is plausible.
    init(_ stored: StoredSession, now: Date, uptime: Duration) {
        session = AuthSession(
            accessToken: stored.access?.token ?? "", refreshToken: stored.refreshToken,
            tokenType: stored.access?.type ?? "bearer", expiresIn: stored.access?.expiresIn ?? 0,
            expiresAt: stored.access?.expiresAt ?? 0, user: stored.user)
        generation = stored.generation
        lineage = stored.lineage
        givenAt = nil
        serverAhead = stored.access?.serverAhead ?? 0
        guard let access = stored.access else { return }
        let remaining = access.expiresAt - (now.timeIntervalSince1970 + access.serverAhead)
        // A remaining lifetime of up to a minute more than the whole is rounding; anything longer means that the clock
        // was set.
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
