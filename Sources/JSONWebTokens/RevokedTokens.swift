package import GatehouseWire

/// Whose tokens are refused although they have not run out: ids of sessions and of subjects. Bounded: one more than the
/// capacity pushes out the one that was told first, which is the nearest to having run out.
package struct RevokedTokens: Sendable {
    private struct Entry: Sendable {
        let notedAt: Instant
        let until: Instant?
    }

    private let capacity: Int
    private var entries: [ExternalName: Entry] = [:]
    /// The ids as they came, a ring once it is full.
    private var order: [ExternalName] = []
    private var oldest = 0

    package init(capacity: Int) { self.capacity = max(1, capacity) }

    package var count: Int { entries.count }

    /// - Parameters:
    ///   - id: Of a session or a subject.
    ///   - notedAt: Of two the later one counts, in whatever order they are told.
    ///   - until: nil: for good. Not after `notedAt`: no longer.
    /// - Returns: Whether it was news.
    package mutating func note(_ id: String, at notedAt: Instant, until: Instant?) -> Bool {
        let id = ExternalName(trusted: id)
        if let known = entries[id] {
            guard known.notedAt <= notedAt, known.notedAt != notedAt || known.until != until else { return false }
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

    package func contains(_ claims: TokenClaims, at now: Instant) -> Bool {
        contains(claims.sessionID, at: now) || contains(claims.subject, at: now)
    }

    private func contains(_ id: String?, at now: Instant) -> Bool {
        guard let id, let entry = entries[ExternalName(trusted: id)] else { return false }
        return entry.until.map { now < $0 } ?? true
    }
}
