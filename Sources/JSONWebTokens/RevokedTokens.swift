package import GatehouseWire

/// The ids of sessions and subjects whose unexpired tokens are refused. At capacity, a new entry evicts the oldest,
/// whose tokens expire first.
package struct RevokedTokens: Sendable {
    private struct Entry: Sendable {
        let notedAt: Instant
        let until: Instant?
    }

    /// Longer than the clocks of two nodes differ.
    private static let clockDifference: Duration = .seconds(60)

    private let capacity: Int
    private var entries: [ExternalName: Entry] = [:]
    /// The ids in order of arrival; a ring once it is full.
    private var order: [ExternalName] = []
    private var oldest = 0

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package var count: Int { entries.count }

    /// - Parameters:
    ///   - id: The id of a session or subject.
    ///   - notedAt: Of two notes for one id the later one counts, in whatever order they arrive.
    ///   - until: nil revokes permanently. A time not after `notedAt` lifts the revocation.
    ///   - now: If given, a note from the future does not count: it was made while a clock was wrong.
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
        } else if order.count < capacity {
            order.append(id)
        } else {
            entries[order[oldest]] = nil
            order[oldest] = id
            oldest = (oldest + 1) % capacity
        }
        entries[id] = Entry(notedAt: notedAt, until: until)
        return true
    }

    /// Whether the token's session or subject is revoked at this time.
    package func contains(_ claims: TokenClaims, at now: Instant) -> Bool {
        contains(claims.sessionID, at: now) || contains(claims.subject, at: now)
    }

    private func contains(_ id: String?, at now: Instant) -> Bool {
        guard let id, let entry = entries[ExternalName(trusted: id)] else { return false }
        guard let until = entry.until else { return true }
        // A revocation that was lifted while the clock was ahead has an end in the future.
        return entry.notedAt < until && now < until
    }
}
