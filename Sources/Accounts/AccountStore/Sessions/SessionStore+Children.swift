package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct NewChildSession: Sendable {
    package let name: String
    package let kind: ChildSessionKind
    /// nil for as long as the parent.
    package let lifetime: Duration?

    package init(name: String, kind: ChildSessionKind, lifetime: Duration?) {
        (self.name, self.kind, self.lifetime) = (name, kind, lifetime)
    }
}

/// Only `opened` has changed anything.
package enum ChildSessionOpening: Sendable {
    case opened(IssuedSession)
    case tooMany
    /// The caller is a child session.
    case isChild
    case gone
    case sessionEnded
}

extension SessionStore {
    /// Opens a child of a session, with its own family of refresh tokens. The first refresh binds it to a key, if the
    /// request has a proof of one.
    ///
    /// - Parameters:
    ///   - level: The token's, which the child does not exceed.
    ///   - device: The parent's, until the first refresh.
    package func openChild(
        _ new: NewChildSession, of parent: SessionID, user: UserID, level: AssuranceLevel, from device: Device,
        at now: Instant
    ) async throws -> ChildSessionOpening {
        try await database.write { db in
            let changer = try accounts.changer(user, by: parent, at: now, in: db)
            guard case .good(let account) = changer else { return changer.isGone ? .gone : .sessionEnded }
            guard let found = try db.row(Self.lookup(parent), { $0.session() }) else { return .sessionEnded }
            if found.child != nil { return .isChild }
            let others = try db.rows(Self.childLookup(parent)) { $0.session() }
            guard others.count(where: { !policy.hasEnded($0, at: now) }) < ChildSession.mostOfParent else {
                return .tooMany
            }
            let child = ChildSession(parent: parent, kind: new.kind, name: new.name)
            var session = accounts.newSession(of: user, by: .anonymous, at: now)
            session.become(child, of: found, at: level, for: new.lifetime)
            try db.insert(session, from: device)
            let created = AuditEntry(
                .childSessionCreated, actor: user, actorName: account.user.name,
                traits: [
                    "session_id": .string(session.id.text), "parent_id": .string(parent.text),
                    "kind": .string(new.kind.rawValue),
                ])
            try accounts.record([created], at: now, in: db)
            return .opened(try issue(session, to: account))
        }
    }

    /// True if the session is a child and its parent has ended.
    package func hasLostParent(_ session: Session, of user: User, at now: Instant) async throws -> Bool {
        guard let child = session.child else { return false }
        let parent = try await database.row(Self.lookup(child.parent)) { $0.session() }
        return isOver(parent, of: user, at: now)
    }

    /// In the caller's transaction.
    func hasLostParent(_ session: Session, of user: User, at now: Instant, in db: any Connection) throws -> Bool {
        guard let child = session.child else { return false }
        return isOver(try db.row(Self.lookup(child.parent)) { $0.session() }, of: user, at: now)
    }

    private func isOver(_ parent: Session?, of user: User, at now: Instant) -> Bool {
        guard let parent else { return true }
        return policy.hasEnded(parent, at: now) || policy.lowEnd(of: parent, of: user).map { now > $0 } ?? false
    }

    /// - Returns: nil if the session has changed.
    func rotateChild(_ session: Session, from device: Device, at now: Instant) async throws -> Session? {
        var next = session
        (next.counter, next.refreshedAt) = (session.counter + 1, now)
        return try await database.write { [next] db in
            let changed = try db.run(
                """
                UPDATE sessions SET refresh_token_counter = \(next.counter), refreshed_at = \(now),
                    user_agent = \(device.userAgent), ip = \(device.address)
                WHERE id = \(session.id) AND refresh_token_counter = \(session.counter) AND key_thumbprint IS NULL
                    AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = sessions.user_id AND banned_until > \(now))
                """)
            return changed == 1 ? next : nil
        }
    }

    /// Ends the children of the condition's sessions that are not among these sessions.
    func endChildren(of condition: SQL, _ end: SessionEnd, at now: Instant, in db: any Connection) throws {
        let children: SQL = "parent_id IN (SELECT id FROM sessions WHERE \(condition)) AND (\(condition)) IS NOT TRUE"
        let found = try db.run(
            """
            INSERT INTO revocations (id, noted_at) SELECT id, \(now) FROM sessions WHERE \(children)
            ON CONFLICT (id) DO UPDATE SET noted_at = excluded.noted_at
            """)
        guard found > 0 else { return }
        try record(end.ofChildren, of: children, at: now, in: db)
        try db.run("DELETE FROM sessions WHERE \(children)")
    }

    static func childLookup(_ parent: SessionID) -> SQL {
        "SELECT \(columns: Accounts.sessionColumns) FROM sessions WHERE sessions.parent_id = \(parent)"
    }

    static func lookup(_ id: SessionID) -> SQL {
        "SELECT \(columns: Accounts.sessionColumns) FROM sessions WHERE sessions.id = \(id)"
    }
}

extension Connection {
    /// Children of a session that continues without its second factor do so too.
    func lowerChildren(of session: SessionID) throws {
        for var child in try rows(SessionStore.childLookup(session), { $0.session() })
        where child.assuranceLevel > .aal1 {
            child.entries.removeSecondFactors()
            child.factor = nil
            try store(child)
        }
    }
}

extension Row {
    mutating func childSessionIfPresent() -> ChildSession? {
        textIfPresent().map { ChildSession(parent: SessionID(trusted: $0), stored: .null) }
    }
}

extension ChildSession {
    mutating func read(_ stored: String?) {
        // Ignored: our own JSON, so it parses.
        guard let stored, let json = try? JSONReader.read(stored) else { return }
        self = ChildSession(parent: parent, stored: json)
    }
}
