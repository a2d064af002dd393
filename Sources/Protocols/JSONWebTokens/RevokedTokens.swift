package import GatehouseWire

/// Sessions and subjects whose unexpired tokens are refused. At capacity, evicts the entry with the oldest last note,
/// whose tokens expire first.
package struct RevokedTokens: Sendable {
    private struct Entry: Sendable {
        let notedAt: Instant
        let until: Instant?
        let number: Int
    }

    private struct Note: Sendable {
        let id: ExternalName
        let number: Int
    }

    /// More than two nodes' clocks differ.
    private static let clockDifference: Duration = .seconds(60)

    private let capacity: Int
    private var entries: [ExternalName: Entry] = [:]
    /// In order of arrival. Only an entry's last note is effective.
    private var notes: [Note] = []
    /// The first of ``notes`` that no eviction has passed.
    private var oldest = 0
    private var lastNumber = 0
    /// Entries evicted before their tokens had expired.
    package private(set) var evictedEarly = 0
    private let tokenLifetime: Duration

    package init(capacity: Int, tokenLifetime: Duration) {
        self.capacity = max(1, capacity)
        self.tokenLifetime = tokenLifetime
    }

    package var count: Int { entries.count }

    /// - Parameters:
    ///   - notedAt: The later of two notes for one id wins, whatever their order of arrival.
    ///   - until: nil revokes permanently. A time not after `notedAt` lifts the revocation.
    ///   - now: Ignores an earlier note from the future: it was made while a clock was wrong.
    /// - Returns: Whether the note changed anything.
    package mutating func note(
        _ id: String, at notedAt: Instant, until: Instant?, now: Instant? = nil
    ) -> Bool {
        let id = ExternalName(trusted: id)
        if let known = entries[id] {
            let isOutdated = now.map { known.notedAt > $0 + Self.clockDifference } ?? false
            guard isOutdated || known.notedAt <= notedAt, known.notedAt != notedAt || known.until != until else {
                return false
            }
        } else if entries.count == capacity {
            evictOldest(at: now ?? notedAt)
        }
        lastNumber += 1
        entries[id] = Entry(notedAt: notedAt, until: until, number: lastNumber)
        if notes.count >= 2 * capacity {
            notes.removeAll { entries[$0.id]?.number != $0.number }
            oldest = 0
        }
        notes.append(Note(id: id, number: lastNumber))
        return true
    }

    private mutating func evictOldest(at now: Instant) {
        while oldest < notes.count {
            let note = notes[oldest]
            oldest += 1
            guard let entry = entries[note.id], entry.number == note.number else { continue }
            entries[note.id] = nil
            if now < entry.notedAt + tokenLifetime { evictedEarly += 1 }
            return
        }
    }

    package func contains(_ claims: TokenClaims, at now: Instant) -> Bool {
        contains(claims.sessionID, at: now) || contains(claims.subject, at: now)
    }

    private func contains(_ id: String?, at now: Instant) -> Bool {
        guard let id, let entry = entries[ExternalName(trusted: id)] else { return false }
        guard let until = entry.until else { return true }
        // A revocation lifted while the clock was ahead has an end in the future.
        return entry.notedAt < until && now < until
    }
}
