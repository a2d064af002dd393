import GatehouseWire
import JSONWebTokens
import Synchronization
import Testing

@Suite("Revoked tokens")
struct RevokedTokensTests {
    private let keys: KeySet

    init() throws { keys = try KeySet([], keyForTokensWithoutID: TestKeys.key(.hs256)) }

    private func make(_ subject: String, _ session: String, padding: Int = 0) throws -> String {
        let changes: AuthJSONObject = [
            "sub": .string(subject), "session_id": .string(session),
            "pad": .string(String(repeating: "x", count: padding)),
        ]
        return try token(["alg": "HS256"], claims(changes), by: .hs256)
    }

    private func isAccepted(_ token: String, by cache: VerifiedTokenCache, at now: Instant = noon) throws -> Bool {
        do {
            _ = try cache.verified(token, at: now, refusesRevoked: true) { (text) throws(TokenRejection) in
                try keys.verify(text, at: noon)
            }
            return true
        } catch TokenRejection.revoked {
            return false
        }
    }

    @Test("Tokens of a session or a user are refused from then on, seen before or not", arguments: [0, 4_000])
    func refused(_ padding: Int) throws {
        for (revoked, isSession) in [("one", true), ("ada", false)] {
            let cache = VerifiedTokenCache()
            let (ada, other) = (try make("ada", "one", padding: padding), try make("bob", "two", padding: padding))
            let late = try make("ada", isSession ? "one" : "three", padding: padding + 1)
            for token in [ada, other] { #expect(try isAccepted(token, by: cache)) }
            cache.revoke(revoked, at: noon)
            for _ in 0..<2 {
                for token in [ada, late] { #expect(try !isAccepted(token, by: cache)) }
                #expect(try isAccepted(other, by: cache))
            }
            // A caller that looks up sessions skips the check; others must still refuse the token.
            _ = try cache.verified(ada, at: noon) { (text) throws(TokenRejection) in try keys.verify(text, at: noon) }
            #expect(try !isAccepted(ada, by: cache))
            cache.forgetAll()
            #expect(try !isAccepted(ada, by: cache))
        }
    }

    @Test("A cached token costs no revocation check: it is verified and checked once")
    func cost() throws {
        let cache = VerifiedTokenCache()
        let count = Mutex(0)
        let good = try make("ada", "one")
        for number in 0..<100 {
            cache.revoke("session-\(number)", at: noon)
            _ = try cache.verified(good, at: noon, refusesRevoked: true) { (text) throws(TokenRejection) in
                count.withLock { $0 += 1 }
                return try keys.verify(text, at: noon)
            }
        }
        #expect(count.withLock(\.self) == 1)
    }

    @Test("A token revoked during its verification is refused")
    func race() throws {
        let cache = VerifiedTokenCache()
        let ada = try make("ada", "one")
        #expect(throws: TokenRejection.revoked) {
            try cache.verified(ada, at: noon, refusesRevoked: true) { (text) throws(TokenRejection) in
                cache.revoke("one", at: noon)
                return try keys.verify(text, at: noon)
            }
        }
    }

    @Test("A ban ends by itself or when it is lifted, and a late notice does not restore it")
    func bans() throws {
        let cache = VerifiedTokenCache()
        let ada = try make("ada", "one")
        cache.revoke("ada", at: noon, until: noon + .seconds(60))
        #expect(try !isAccepted(ada, by: cache, at: noon + .microseconds(59_999_999)))
        #expect(try isAccepted(ada, by: cache, at: noon + .seconds(60)))
        cache.revoke("ada", at: noon + .seconds(61), until: noon + .seconds(600))
        #expect(try !isAccepted(ada, by: cache, at: noon + .seconds(61)))
        cache.revoke("ada", at: noon + .seconds(62), until: noon + .seconds(62))
        cache.revoke("ada", at: noon + .seconds(61), until: noon + .seconds(600))
        #expect(try isAccepted(ada, by: cache, at: noon + .seconds(62)))
    }

    @Test("What was noted and lifted while the clock was a year ahead refuses nobody once it is right")
    func ahead() throws {
        let ahead = noon + .seconds(365 * 86_400)
        let ada = try make("ada", "one")
        for liftedAt in [ahead + .seconds(1), noon + .seconds(1)] {
            let cache = VerifiedTokenCache()
            cache.revoke("ada", at: ahead, until: ahead + .seconds(60), now: ahead)
            cache.revoke("ada", at: liftedAt, until: liftedAt, now: liftedAt)
            #expect(try isAccepted(ada, by: cache, at: noon + .seconds(2)))
        }
    }

    @Test("The list is bounded: the oldest entry is dropped first")
    func bound() {
        var revoked = RevokedTokens(capacity: 3, tokenLifetime: .seconds(60))
        for number in 0..<10 {
            let news = (0..<2).map { _ in revoked.note("\(number)", at: noon, until: nil) }
            #expect(news == [true, false])
            #expect(revoked.count == min(number + 1, 3))
        }
        let news = (6..<10).reversed().map { revoked.note("\($0)", at: noon, until: nil) }
        #expect(news == [false, false, false, true])
    }

    @Test("An id that is noted again outlives those noted before, and only entries with valid tokens count as lost")
    func notedAgain() {
        var revoked = RevokedTokens(capacity: 3, tokenLifetime: .seconds(60))
        for id in ["ada", "bob", "eve"] { _ = revoked.note(id, at: noon, until: nil) }
        for second in 1...20 {
            let isNew = revoked.note("ada", at: noon + .seconds(second), until: nil)
            #expect(isNew && revoked.count == 3 && revoked.evictedEarly == 0)
        }
        for id in ["kim", "lee"] { _ = revoked.note(id, at: noon + .seconds(21), until: nil) }
        #expect(revoked.count == 3 && revoked.evictedEarly == 2)
        let isNew = revoked.note("ada", at: noon + .seconds(20), until: nil)
        #expect(!isNew)
        _ = revoked.note("joe", at: noon + .seconds(90), until: nil)
        #expect(revoked.evictedEarly == 2)
    }
}
