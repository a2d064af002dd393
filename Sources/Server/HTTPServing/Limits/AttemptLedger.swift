import GatehouseWire

enum AttemptVerdict: Equatable, Sendable {
    case admitted
    case refused(retryAfter: Duration, bucket: String)
    /// All slots are reserved; one may become free.
    case crowded(AttemptKey)
    /// The caller was cancelled.
    case gone

    var decision: RateLimiter.Decision {
        switch self {
        case .admitted, .gone: .allowed
        case .refused(let retryAfter, let bucket): .refused(retryAfter: retryAfter, bucket: bucket)
        case .crowded(let key): .refused(retryAfter: .seconds(1), bucket: key.limit.bucket)
        }
    }
}

/// Per key the running attempts, and when the full limit is available again, which every failure moves by one interval.
struct AttemptLedger<Waiter: Sendable>: Sendable {
    struct Waiting: Sendable {
        let number: Int
        let keys: [AttemptKey]
        let waiter: Waiter
    }

    private struct Entry {
        var fullAt: Instant
        var inFlight = 0
        /// The last read of the shared counts because of a refusal.
        var askedAt: Instant?
        /// Has failures that are not shared yet.
        var isOwn = false
    }

    private var entries: [AttemptKey: Entry] = [:]
    private var waiting: [AttemptKey: [Waiting]] = [:]
    private var waitingCount = 0
    private let capacity: Int

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// In total and per key. Further callers are refused with a delay of one second.
    static var mostWaiting: Int { 1_000 }
    static var mostWaitingForOne: Int { 50 }

    var keyCount: Int { entries.count }

    /// - Returns: Never ``AttemptVerdict/crowded(_:)``: running attempts do not count here.
    mutating func look(_ keys: [AttemptKey], at now: Instant) -> AttemptVerdict {
        for key in keys { limitFuture(key, at: now) }
        for key in keys {
            let wait = delay(of: key, at: now)
            if wait > .zero { return .refused(retryAfter: wait, bucket: key.limit.bucket) }
        }
        return .admitted
    }

    /// Reserves a slot of every key, or none.
    mutating func reserve(_ keys: [AttemptKey], at now: Instant) -> AttemptVerdict {
        let verdict = look(keys, at: now)
        guard verdict == .admitted else { return verdict }
        if let crowded = keys.first(where: { hasNoPlace($0, at: now) }) { return .crowded(crowded) }
        for key in keys { entries[key, default: Entry(fullAt: now)].inFlight += 1 }
        return .admitted
    }

    mutating func wait(_ waiting: Waiting, for key: AttemptKey) -> Bool {
        guard waitingCount < Self.mostWaiting, self.waiting[key]?.count ?? 0 < Self.mostWaitingForOne else {
            return false
        }
        waitingCount += 1
        self.waiting[key, default: []].append(waiting)
        return true
    }

    mutating func leave(_ number: Int) -> Waiter? {
        for (key, line) in waiting {
            guard let place = line.firstIndex(where: { $0.number == number }) else { continue }
            waitingCount -= 1
            waiting[key]?.remove(at: place)
            if line.count == 1 { waiting[key] = nil }
            return line[place].waiter
        }
        return nil
    }

    /// Call after counting failures.
    ///
    /// - Returns: The waiters that are now admitted or refused.
    mutating func finish(_ keys: [AttemptKey], at now: Instant) -> [(Waiter, AttemptVerdict)] {
        for key in keys {
            entries[key]?.inFlight -= 1
            tidy(key, at: now)
        }
        return keys.flatMap { callWaiting(for: $0, at: now) }
    }

    mutating func countFailure(_ keys: [AttemptKey], at now: Instant) {
        for key in keys where key.limit.count > 0 {
            limitFuture(key, at: now)
            makeRoom(at: now)
            let next = min(full(key, at: now) + key.limit.interval, latest(key, at: now))
            entries[key, default: Entry(fullAt: now)].fullAt = next
        }
    }

    /// The keys that a failure counts against, up to the first one at its ``AttemptLimit/spread``.
    func counted(_ keys: [AttemptKey], at now: Instant) -> [AttemptKey] {
        guard let closed = keys.firstIndex(where: { failures($0, at: now) >= $0.limit.spread }) else { return keys }
        return Array(keys[...closed])
    }

    /// Reads the shared counts of a refused key, because a success on another node may have reset it: at most once per
    /// key and second.
    mutating func asksOthers(_ keys: [AttemptKey], at now: Instant) -> Bool {
        guard let key = keys.first(where: { delay(of: $0, at: now) > .zero }), settled(key) != nil else { return false }
        if let asked = entries[key]?.askedAt, asked <= now, now < asked + .seconds(1) { return false }
        entries[key]?.askedAt = now
        return true
    }

    /// nil if the limit never resets, attempts are running, or failures are not shared yet.
    func settled(_ key: AttemptKey) -> Instant? {
        guard key.limit.isReset, let entry = entries[key], entry.inFlight == 0, !entry.isOwn else { return nil }
        return entry.fullAt
    }

    /// - Parameters:
    ///   - fullAt: nil if nothing is counted.
    ///   - before: ``settled(_:)`` when the read began. If unchanged, the shared count may lower it.
    mutating func learn(_ key: AttemptKey, fullAt: Instant?, settledBefore before: Instant?, at now: Instant) {
        if let before, settled(key) == before { entries[key]?.fullAt = now }
        defer { tidy(key, at: now) }
        guard let bounded = fullAt.map({ min($0, latest(key, at: now)) }), bounded > full(key, at: now) else { return }
        makeRoom(at: now)
        entries[key, default: Entry(fullAt: now)].fullAt = bounded
    }

    /// Protects failures from being lowered, until they expire.
    mutating func own(_ keys: [AttemptKey]) {
        for key in keys { entries[key]?.isOwn = true }
    }

    mutating func forgive(_ keys: [AttemptKey], at now: Instant) -> [AttemptKey] {
        let counted = keys.filter { $0.limit.isForgiven && full($0, at: now) > now }
        for key in counted { entries[key]?.fullAt = now }
        return counted
    }

    /// Zero if an attempt is admitted.
    mutating func wait(for key: AttemptKey, at now: Instant) -> Duration {
        limitFuture(key, at: now)
        return max(.zero, delay(of: key, at: now))
    }

    func keys(prefixed prefix: String) -> [AttemptKey] {
        entries.keys.filter { $0.text.utf8.starts(with: prefix.utf8) }
    }

    /// - Returns: The waiters that are now admitted or refused.
    mutating func reset(_ keys: [AttemptKey], at now: Instant) -> [(Waiter, AttemptVerdict)] {
        for key in keys {
            entries[key]?.fullAt = now
            entries[key]?.isOwn = false
            tidy(key, at: now)
        }
        return keys.flatMap { callWaiting(for: $0, at: now) }
    }

    private mutating func callWaiting(for key: AttemptKey, at now: Instant) -> [(Waiter, AttemptVerdict)] {
        guard let line = waiting.removeValue(forKey: key) else { return [] }
        var called: [(Waiter, AttemptVerdict)] = []
        for one in line {
            let verdict = reserve(one.keys, at: now)
            if case .crowded(let other) = verdict {
                waiting[other, default: []].append(one)
            } else {
                waitingCount -= 1
                called.append((one.waiter, verdict))
            }
        }
        return called
    }

    /// Zero or less if the key is not refused.
    private func delay(of key: AttemptKey, at now: Instant) -> Duration {
        guard key.limit.count > 0 else { return key.limit.window }
        return full(key, at: now) + key.limit.interval - latest(key, at: now)
    }

    private func hasNoPlace(_ key: AttemptKey, at now: Instant) -> Bool {
        let held = entries[key]?.inFlight ?? 0
        return full(key, at: now) + key.limit.interval * (held + 1) > latest(key, at: now)
    }

    private func failures(_ key: AttemptKey, at now: Instant) -> Int {
        guard key.limit.count > 0 else { return 0 }
        return Int(((full(key, at: now) - now) / key.limit.interval).rounded(.up))
    }

    /// After the clock was set back, failures exhaust the limit from now on rather than until that time returns.
    private mutating func limitFuture(_ key: AttemptKey, at now: Instant) {
        let latest = latest(key, at: now)
        guard let full = entries[key]?.fullAt, full > latest else { return }
        entries[key]?.fullAt = latest
    }

    private func full(_ key: AttemptKey, at now: Instant) -> Instant { max(entries[key]?.fullAt ?? now, now) }
    private func latest(_ key: AttemptKey, at now: Instant) -> Instant { now + key.limit.interval * key.limit.count }

    private mutating func tidy(_ key: AttemptKey, at now: Instant) {
        if let entry = entries[key], entry.inFlight <= 0, entry.fullAt <= now { entries[key] = nil }
    }

    /// At capacity, forgets the half with the fewest failures, so a flood cannot unlock an exhausted key.
    private mutating func makeRoom(at now: Instant) {
        guard entries.count >= capacity else { return }
        entries = entries.filter { $0.value.inFlight > 0 || $0.value.fullAt > now }
        guard entries.count >= capacity else { return }
        let spare = entries.filter { $0.value.inFlight == 0 }.sorted { $0.value.fullAt < $1.value.fullAt }
        for (key, _) in spare.prefix(entries.count - capacity / 2) { entries[key] = nil }
    }
}
