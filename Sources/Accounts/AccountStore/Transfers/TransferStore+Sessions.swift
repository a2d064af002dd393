package import AccountDomain
import Crypto
package import GatehouseWire
import SQLDatabase

package struct ImportedSession: Sendable {
    /// Its counter is ignored, and its level's counter is an ``ImportedTokenAge``. Methods of second factors that the
    /// account lacks here are removed.
    package var session: Session
    package var device: Device
    /// nil for a password, or if unknown.
    package var identity: IdentityID?
    package var tokens: [(token: ImportedRefreshToken, age: ImportedTokenAge)]

    package init(
        session: Session, device: Device, identity: IdentityID? = nil,
        tokens: [(token: ImportedRefreshToken, age: ImportedTokenAge)]
    ) {
        self.session = session
        self.device = device
        self.identity = identity
        self.tokens = tokens
    }
}

package struct ImportedSessionCounts: Equatable, Sendable {
    package var added = 0
    /// Refreshed at the source since an earlier import, but never here. The newer token is now valid.
    package var renewed = 0
    /// Imported before and unchanged.
    package var alreadyThere = 0
    /// Refreshed both here and at the source, which continue independently.
    package var parted = 0
    /// Ended here since an earlier import. It stays ended.
    package var endedHere = 0
    /// Ended at the source since an earlier import, and never used here; now ended here as well.
    package var endedThere = 0
    /// Belongs to a different account here.
    package var taken = 0

    package init() {}

    package static func += (sum: inout Self, more: Self) {
        sum.added += more.added
        sum.renewed += more.renewed
        sum.alreadyThere += more.alreadyThere
        sum.parted += more.parted
        sum.endedHere += more.endedHere
        sum.endedThere += more.endedThere
        sum.taken += more.taken
    }
}

extension TransferStore {
    /// Ends the sessions of an account that was deleted at the source. The account itself stays.
    ///
    /// - Returns: Whether the account exists and is not deleted here.
    package func endSessions(
        ofDeletedElsewhere id: UserID, isDryRun: Bool, at now: Instant
    ) async throws -> Bool {
        let lookup: SQL = "SELECT email FROM users WHERE id = \(id) AND deleted_at IS NULL"
        // Most of these accounts were deleted before the first import; they need no write.
        let found = try await database.row(lookup) { $0.textIfPresent() ?? "" }
        guard let name = found, !isDryRun else { return found != nil }
        try await database.write { db in
            guard try db.row("SELECT 1 FROM sessions WHERE user_id = \(id)", { _ in true }) == true else { return }
            try accounts.sessions.endSessions(
                of: id, keeping: nil, .byAdministrator(.endedAtSource, from: nil), at: now, in: db)
            let logout = AuditEntry(.logout, actor: id, actorName: name, traits: ["scope": "deleted elsewhere"])
            try accounts.record([logout], at: now, in: db)
        }
        return true
    }
}

struct SessionImport {
    private static let startingCounter = ImportedTokenAge.current.rawValue

    let user: UserID
    private let accounts: Accounts
    let sessions: [(imported: ImportedSession, digests: [(digest: [UInt8], age: ImportedTokenAge)])]
    private(set) var counts = ImportedSessionCounts()

    init(_ sessions: [ImportedSession], of user: UserID, _ accounts: Accounts, key: SymmetricKey) {
        (self.user, self.accounts) = (user, accounts)
        self.sessions = sessions.map { session in
            (session, session.tokens.map { ($0.token.digest(key), $0.age) })
        }
    }

    mutating func run(at now: Instant, in db: any Connection) throws {
        let known = Set<SessionID>(
            try db.rows("SELECT id FROM imported_sessions WHERE user_id = \(user)") { SessionID(trusted: $0.text()) })
        for (imported, digests) in sessions {
            let id = imported.session.id
            let there = try db.row("SELECT user_id, refresh_token_counter FROM sessions WHERE id = \(id)") {
                (user: UserID(trusted: $0.text()), counter: $0.int())
            }
            switch there {
            case nil where known.contains(id): counts.endedHere += 1
            case nil:
                try add(imported, digests, in: db)
                counts.added += 1
            case .some(let there) where there.user != user || !known.contains(id): counts.taken += 1
            case .some(let there): try compare(imported, digests, counter: there.counter, in: db)
            }
        }
        try endOthers(known.subtracting(sessions.map(\.imported.session.id)), at: now, in: db)
    }

    private func add(
        _ imported: ImportedSession, _ digests: [(digest: [UInt8], age: ImportedTokenAge)], in db: any Connection
    ) throws {
        var session = imported.session
        session.counter = Self.startingCounter
        // A factor may not have been imported, or its owner may have removed it here.
        if session.assuranceLevel > .aal1 || session.factor != nil {
            session.dropSecondFactors(besides: try db.factors(of: user).filter(\.isVerified))
        }
        if session.assuranceLevel == .aal1 { session.levelCounter = 0 }
        try db.insert(session, from: imported.device, by: imported.identity)
        try db.store(session)
        try db.run("INSERT INTO imported_sessions (id, user_id) VALUES (\(session.id), \(user))")
        try add(digests, to: session.id, in: db)
    }

    private func add(
        _ digests: [(digest: [UInt8], age: ImportedTokenAge)], to session: SessionID, in db: any Connection
    ) throws {
        for (digest, age) in digests {
            try db.run(
                """
                INSERT INTO imported_refresh_tokens (digest, session_id, counter)
                VALUES (\(digest), \(session), \(age.rawValue)) ON CONFLICT DO NOTHING
                """)
        }
    }

    private mutating func compare(
        _ imported: ImportedSession, _ digests: [(digest: [UInt8], age: ImportedTokenAge)], counter: Int64,
        in db: any Connection
    ) throws {
        let id = imported.session.id
        let stored = try db.rows(
            """
            SELECT digest FROM imported_refresh_tokens
            WHERE session_id = \(id) AND counter = \(Self.startingCounter)
            """
        ) { $0.bytes() }
        let current = digests.filter { $0.age == .current }.map(\.digest)
        if Set<[UInt8]>(stored) == Set<[UInt8]>(current) {
            counts.alreadyThere += 1
        } else if counter == Self.startingCounter {
            try db.run("DELETE FROM imported_refresh_tokens WHERE session_id = \(id)")
            try add(digests, to: id, in: db)
            try db.run("UPDATE sessions SET refreshed_at = \(imported.session.refreshedAt) WHERE id = \(id)")
            try db.run(
                "UPDATE sessions SET level_counter = \(imported.session.levelCounter) WHERE id = \(id) AND aal <> 'aal1'"
            )
            counts.renewed += 1
        } else {
            counts.parted += 1
        }
    }

    /// Ends sessions that the source no longer has, unless they have been used here.
    private mutating func endOthers(_ ids: Set<SessionID>, at now: Instant, in db: any Connection) throws {
        for id in ids {
            counts.endedThere += try accounts.sessions.endSessions(
                where: "id = \(id) AND user_id = \(user) AND refresh_token_counter = \(Self.startingCounter)",
                .byAdministrator(.endedAtSource, from: nil), at: now, in: db)
        }
    }
}
