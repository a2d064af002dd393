import AccountDomain
import GatehouseWire
import SQLDatabase

/// A transaction's changes to accounts, in order. Exists only with webhooks.
final class EventJournal {
    enum Note {
        case created(UserID)
        case updated(UserID)
        case deleted(UserID)
        case started(Session, Device)
        case ended(SessionID, of: UserID, reason: String)
        case linked(Identity)
        case unlinked(Identity)
    }

    private(set) var notes: [Note] = []
    /// The newest note's.
    private(set) var time = Instant(microseconds: 0)

    func add(_ note: Note, at now: Instant) {
        notes.append(note)
        time = max(time, now)
    }
}

final class EventConnection: Connection {
    /// Named differently from ``Connection/journal``, which reads it.
    let events = EventJournal()
    private let base: any Connection

    init(_ base: any Connection) { self.base = base }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        try base.rows(statement, decode)
    }

    @discardableResult func run(_ statement: SQL) throws -> Int { try base.run(statement) }

    func plan(_ statement: SQL) throws -> [String] { try base.plan(statement) }
}

extension Connection {
    /// nil without webhooks, to save the work.
    var journal: EventJournal? { (self as? EventConnection)?.events }

    func removeIdentity(_ identity: Identity, at now: Instant) throws {
        journal?.add(.unlinked(identity), at: now)
        try run("DELETE FROM identities WHERE id = \(identity.id)")
    }

    func noteEnds(of condition: SQL, at now: Instant) throws {
        guard let journal else { return }
        let ended = try rows(
            """
            SELECT id, user_id, reason FROM ended_sessions WHERE id IN (SELECT id FROM sessions WHERE \(condition))
            """
        ) { row -> (SessionID, UserID, String) in (row.id(), row.id(), row.text()) }
        for (session, user, reason) in ended { journal.add(.ended(session, of: user, reason: reason), at: now) }
    }

    /// Call before the change is stored. A sign-in alone is no change.
    func noteUpdate(of user: User) throws {
        guard let journal else { return }
        let lookup: SQL = "SELECT \(columns: Accounts.userColumns) FROM users WHERE id = \(user.id)"
        guard let before = try row(lookup, { $0.user() }) else { return }
        if before.times.deletedAt == nil, user.times.deletedAt != nil {
            journal.add(.deleted(user.id), at: user.times.updatedAt)
        } else if !before.looksLike(user) {
            journal.add(.updated(user.id), at: user.times.updatedAt)
        }
    }
}

extension User {
    fileprivate func looksLike(_ other: User) -> Bool {
        email == other.email && phone == other.phone && role == other.role && audience == other.audience
            && newEmail == other.newEmail && newPhone == other.newPhone && isAnonymous == other.isAnonymous
            && userMetadata == other.userMetadata && appMetadata == other.appMetadata
            && passwordHash?.reveal() == other.passwordHash?.reveal()
            && times.emailConfirmedAt == other.times.emailConfirmedAt
            && times.phoneConfirmedAt == other.times.phoneConfirmedAt && times.bannedUntil == other.times.bannedUntil
    }
}
