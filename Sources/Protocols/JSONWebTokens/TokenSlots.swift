import Crypto
import GatehouseWire

/// A bounded, constant-time cache of verified tokens: the clock algorithm evicts one token at a time and spares those
/// used since its last pass.
struct TokenSlots: Sendable {
    private struct Slot: Sendable {
        let digest: SHA256Digest
        let token: VerifiedToken
        var wasUsed = false
    }

    private let capacity: Int
    private var slots: [Slot?] = []
    private var vacant: [Int] = []
    private var hand = 0
    private var positions: [SHA256Digest: Int] = [:]
    /// By session and subject, whose ids are UUIDs and never collide.
    private var holders: [ExternalName: Set<Int>] = [:]

    /// Incremented by each explicit removal. A verification begun in an earlier epoch may predate a session's end, so
    /// its result is not stored.
    private(set) var epoch: UInt64 = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { positions.count }

    mutating func token(for digest: SHA256Digest, at now: Instant) -> VerifiedToken? {
        guard let position = positions[digest], let token = slots[position]?.token else { return nil }
        guard token.claims.isLive(at: now) else {
            vacate(position)
            return nil
        }
        // The clock may have been set back since the token was stored.
        if let notBefore = token.claims.notBefore, now < notBefore { return nil }
        slots[position]?.wasUsed = true
        return token
    }

    mutating func store(_ token: VerifiedToken, for digest: SHA256Digest) {
        if let position = positions[digest] { vacate(position) }
        let position = takePosition()
        slots[position] = Slot(digest: digest, token: token)
        positions[digest] = position
        for id in token.claims.holders { holders[id, default: []].insert(position) }
    }

    /// - Parameter id: A session's or subject's.
    mutating func forget(_ id: String) {
        epoch += 1
        for position in holders[ExternalName(trusted: id)] ?? [] { vacate(position) }
    }

    /// - Returns: The previous content, to deallocate outside of the lock.
    mutating func forgetAll() -> TokenSlots {
        let old = self
        self = TokenSlots(capacity: capacity)
        epoch = old.epoch + 1
        return old
    }

    private mutating func takePosition() -> Int {
        if vacant.isEmpty {
            guard slots.count == capacity else {
                slots.append(nil)
                return slots.count - 1
            }
            while slots[hand]?.wasUsed == true {
                slots[hand]?.wasUsed = false
                hand = (hand + 1) % capacity
            }
            vacate(hand)
            hand = (hand + 1) % capacity
        }
        return vacant.removeLast()
    }

    private mutating func vacate(_ position: Int) {
        guard let slot = slots[position] else { return }
        slots[position] = nil
        positions[slot.digest] = nil
        vacant.append(position)
        for id in slot.token.claims.holders {
            holders[id]?.remove(position)
            if holders[id]?.isEmpty == true { holders[id] = nil }
        }
    }
}

extension TokenClaims {
    fileprivate var holders: [ExternalName] { [sessionID, subject].compactMap { $0.map(ExternalName.init(trusted:)) } }
}
