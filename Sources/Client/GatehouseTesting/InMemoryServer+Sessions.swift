import Foundation
import Gatehouse

extension InMemoryServer {
    /// - Parameter opener: The identity; nil for a password.
    mutating func open(_ id: UUID, by opener: UUID? = nil, at now: Date) throws(AuthClientError) -> Opened {
        let number = number()
        (sessions[number], openers[number]) = (id, opener)
        devices[number] = SessionInfo(id: Fixtures.id(number), createdAt: now, userAgent: Fixtures.userAgent)
        bind(number)
        return try refresh(number, at: now)
    }

    /// - Throws: `refresh_token_not_found` for an ended session.
    mutating func refresh(_ session: Int, at now: Date) throws(AuthClientError) -> Opened {
        guard let id = sessions[session], let account = account(id) else {
            throw Fault.refused(400, endCodes[session] ?? .refreshTokenNotFound, sessionEnd: ends[session])
        }
        let number = number()
        devices[session]?.refreshedAt = now
        let opened = AuthSession(
            accessToken: accessToken(number, of: session), refreshToken: "refresh-\(number)", expiresIn: Self.lifetime,
            expiresAt: now.timeIntervalSince1970 + Self.lifetime, user: account.user)
        callers[opened.accessToken] = Caller(id: session, user: id)
        refreshes[opened.refreshToken] = session
        return Opened(session: opened, id: session)
    }

    func accessToken(_ number: Int, of session: Int) -> String {
        let level = protection.raised[session] == nil ? "aal1" : "aal2"
        var claims: AuthJSONObject = ["aal": .string(level), "session_id": .string(Fixtures.id(session).wire)]
        claims["session_kind"] = devices[session]?.kind.map { .string($0.rawValue) }
        claims["cnf"] = keys[session].map { ["jkt": .string($0)] }
        return "e30.\(Base64URL.text(Array(AuthJSON.object(claims).text.utf8))).\(number)"
    }

    /// The user's sessions, the caller's first.
    func sessionList(of caller: Caller) -> [SessionInfo] {
        let all = sessions.filter { $0.value == caller.user }.keys.compactMap { number in
            var device = devices[number]
            device?.isCurrent = number == caller.id
            return device
        }
        return all.sorted { first, second in
            if first.isCurrent != second.isCurrent { return first.isCurrent }
            return (first.lastUsedAt, first.id.wire) > (second.lastUsedAt, second.id.wire)
        }
    }

    mutating func revoke(_ id: UUID?, by caller: Caller) throws(AuthClientError) {
        guard let number = devices.first(where: { $0.value.id == id })?.key, sessions[number] == caller.user else {
            throw Fault.refused(404, .notFound)
        }
        (sessions[number], ends[number]) = (nil, .signedOut)
    }

    mutating func end(_ reason: SessionEndReason, _ isConcerned: ((key: Int, value: UUID)) -> Bool) {
        for session in sessions.filter({ isConcerned($0) }).keys { (sessions[session], ends[session]) = (nil, reason) }
    }
}
