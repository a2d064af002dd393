import AccountDomain
import GatehouseWire
import SQLDatabase

/// One row per endpoint that wants the event.
struct EventWriter: Sendable {
    let accounts: Accounts
    let endpoints: [WebhookEndpoint]

    /// - Returns: The number of rows.
    func write(_ journal: EventJournal, in db: any Connection) throws -> Int {
        guard !journal.notes.isEmpty else { return 0 }
        var count = 0
        var last: [UserID: Instant] = [:]
        for event in try events(of: journal, in: db) {
            let wanting = endpoints.filter { $0.kinds.contains(event.kind) }
            if wanting.isEmpty { continue }
            let time = max(journal.time, try last[event.user] ?? newest(of: event.user, in: db)) + .microseconds(1)
            last[event.user] = time
            let body = event.body(at: journal.time)
            for endpoint in wanting {
                try insert(event, body, to: endpoint, at: journal.time, after: time, in: db)
                count += 1
            }
        }
        return count
    }

    private func insert(
        _ event: AccountEvent, _ body: AuthJSON, to endpoint: WebhookEndpoint, at now: Instant, after time: Instant,
        in db: any Connection
    ) throws {
        let id: Identifier<ClaimedDelivery> = accounts.newID(at: now)
        let sealed = try accounts.links.seal(body, as: EventStore.eventSeal, id.bytes)
        let begins = try nextAttempt(for: event.user, at: endpoint, in: db).map { max(now, $0) } ?? now
        try db.run(
            """
            INSERT INTO webhook_deliveries (
                id, endpoint, kind, user_id, sealed, state, next_at, expires_at, created_at)
            VALUES (
                \(id), \(endpoint.name), \(event.kind.rawValue), \(event.user), \(sealed), 'queued', \(begins),
                \(now + WebhookSchedule.lifetime), \(time))
            """)
    }

    /// When the user's failed event is retried, before which new ones need not be examined; nil without one.
    private func nextAttempt(
        for user: UserID, at endpoint: WebhookEndpoint, in db: any Connection
    ) throws -> Instant? {
        try db.row(
            """
            SELECT next_at FROM webhook_deliveries
            WHERE user_id = \(user) AND ended_at IS NULL AND endpoint = \(endpoint.name) AND reason IS NOT NULL
            ORDER BY created_at LIMIT 1
            """
        ) { $0.instant() }
    }

    /// Keeps the user's events in order despite the nodes' clocks.
    private func newest(of user: UserID, in db: any Connection) throws -> Instant {
        let newest = try db.row(
            """
            SELECT created_at FROM webhook_deliveries WHERE user_id = \(user) AND ended_at IS NULL
            ORDER BY created_at DESC LIMIT 1
            """
        ) { $0.instant() }
        return newest ?? Instant(microseconds: 0)
    }

    /// A new user is not also updated, and an account's end comes last.
    private func events(of journal: EventJournal, in db: any Connection) throws -> [AccountEvent] {
        var (created, updated): (Set<UserID>, Set<UserID>) = ([], [])
        for case .created(let id) in journal.notes { created.insert(id) }
        var (events, ends): ([AccountEvent], [AccountEvent]) = ([], [])
        for note in journal.notes {
            switch note {
            case .created(let id):
                if let account = try db.account(id) { try events.append(.user(.userCreated, account)) }
            case .updated(let id):
                guard !created.contains(id), updated.insert(id).inserted else { continue }
                if let account = try db.account(id) { try events.append(.user(.userUpdated, account)) }
            case .deleted(let id): ends.append(.deleted(id))
            case .started(let session, let device): try events.append(.started(session, device))
            case .ended(let session, let user, let reason):
                events.append(.ended(session, of: user, reason: reason))
            case .linked(let identity):
                if !created.contains(identity.user) { events.append(.identity(.identityLinked, identity)) }
            case .unlinked(let identity): events.append(.identity(.identityUnlinked, identity))
            }
        }
        return events + ends
    }
}

extension EventStore {
    static let eventSeal = "webhook"
}
