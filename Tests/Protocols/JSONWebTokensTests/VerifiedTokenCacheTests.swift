import GatehouseWire
import JSONWebTokens
import Synchronization
import Testing

@Suite("The cache of verified tokens")
struct VerifiedTokenCacheTests {
    /// Verifies for real and counts its calls.
    final class CountingVerifier: Sendable {
        private let asked = Mutex(0)
        private let keys: KeySet
        init() throws { keys = try KeySet([], keyForTokensWithoutID: TestKeys.key(.hs256)) }

        var count: Int { asked.withLock { $0 } }

        func verify(_ token: String) throws(TokenRejection) -> VerifiedToken {
            asked.withLock { $0 += 1 }
            return try keys.verify(token, at: noon)
        }
    }

    private func make(_ subject: String, _ changes: AuthJSONObject = [:]) throws -> String {
        try token(["alg": "HS256"], claims(["sub": .string(subject)]).with(changes), by: .hs256)
    }

    @Test("A token is verified once, and each caller gets its claims")
    func remembering() throws {
        let (cache, verifier) = (VerifiedTokenCache(), try CountingVerifier())
        let tokens = try (0..<50).map { try (subject: "user-\($0)", token: make("user-\($0)")) }
        for _ in 0..<3 {
            for (subject, token) in tokens {
                #expect(try cache.verified(token, at: noon, verify: verifier.verify).claims.subject == subject)
            }
        }
        #expect(verifier.count == 50)
        #expect(cache.count == 50)
    }

    @Test("Tokens that differ in one character are different tokens")
    func almostEqual() throws {
        let (cache, verifier) = (VerifiedTokenCache(), try CountingVerifier())
        let good = try make("ada")
        _ = try cache.verified(good, at: noon, verify: verifier.verify)
        let changed = good.parts[0] + "." + claims(["sub": "eve"]).text.encoded + "." + good.parts[2]
        for _ in 0..<2 {
            #expect(throws: TokenRejection.badSignature) {
                try cache.verified(changed, at: noon, verify: verifier.verify)
            }
        }
        #expect(verifier.count == 3)
        #expect(cache.count == 1)
    }

    @Test("A token is cached until exp, and not before nbf")
    func times() throws {
        let (cache, verifier) = (VerifiedTokenCache(), try CountingVerifier())
        let token = try make("ada", ["exp": .integer(noon.seconds + 10), "nbf": .integer(noon.seconds)])
        _ = try cache.verified(token, at: noon, verify: verifier.verify)
        _ = try cache.verified(token, at: noon + .microseconds(9_999_999), verify: verifier.verify)
        #expect(verifier.count == 1)
        _ = try cache.verified(token, at: noon - .microseconds(1), verify: verifier.verify)
        #expect(verifier.count == 2)
        _ = try cache.verified(token, at: noon + .seconds(10), verify: verifier.verify)
        #expect(verifier.count == 3)
        #expect(cache.count == 0)
    }

    @Test("The cache never exceeds its capacity, and used tokens stay")
    func bound() throws {
        let (cache, verifier) = (VerifiedTokenCache(capacity: 8), try CountingVerifier())
        let favourite = try make("favourite")
        for index in 0..<100 {
            _ = try cache.verified(favourite, at: noon, verify: verifier.verify)
            _ = try cache.verified(make("user-\(index)"), at: noon, verify: verifier.verify)
            #expect(cache.count <= 8)
        }
        #expect(cache.count == 8)
        #expect(verifier.count == 101)
    }

    @Test("Forgetting a session forgets all its tokens and no others")
    func sessions() throws {
        let (cache, verifier) = (VerifiedTokenCache(capacity: 100), try CountingVerifier())
        let first = try (0..<3).map { try make("ada-\($0)") }
        let other = try make("bob", ["session_id": "two"])
        let without = try make("service", ["session_id": .null])
        for token in first + [other, without] { _ = try cache.verified(token, at: noon, verify: verifier.verify) }
        cache.revoke("one", at: noon)
        cache.revoke("unknown", at: noon)
        #expect(cache.count == 2)
        for token in [other, without] { _ = try cache.verified(token, at: noon, verify: verifier.verify) }
        #expect(verifier.count == 5)
        for token in first { _ = try cache.verified(token, at: noon, verify: verifier.verify) }
        #expect(verifier.count == 8)
        cache.forgetAll()
        #expect(cache.count == 0)
    }

    @Test("Forgetting a session with an evicted token keeps the other one")
    func reusedPlace() throws {
        let (cache, verifier) = (VerifiedTokenCache(capacity: 1), try CountingVerifier())
        _ = try cache.verified(make("ada"), at: noon, verify: verifier.verify)
        _ = try cache.verified(make("bob", ["session_id": "two"]), at: noon, verify: verifier.verify)
        cache.revoke("one", at: noon)
        #expect(cache.count == 1)
    }

    @Test("Freed entries are used again")
    func churn() throws {
        let (cache, verifier) = (VerifiedTokenCache(capacity: 5), try CountingVerifier())
        for round in 0..<60 {
            let token = try make("user-\(round)", ["session_id": .string("session-\(round % 7)")])
            let subject = try cache.verified(token, at: noon, verify: verifier.verify).claims.subject
            #expect(subject == "user-\(round)")
            #expect(try cache.verified(token, at: noon, verify: verifier.verify).claims.subject == subject)
            // Only tokens up to now are forgotten.
            if round % 3 == 0 { cache.revoke("session-\((round + 4) % 7)", at: noon + .seconds(round), until: noon) }
            #expect(cache.count <= 5)
        }
        for session in 0..<7 { cache.revoke("session-\(session)", at: noon + .seconds(60)) }
        #expect(cache.count == 0)
        #expect(verifier.count == 60)
    }

    @Test("A verification that began before a removal is not stored")
    func race() throws {
        let (cache, verifier) = (VerifiedTokenCache(), try CountingVerifier())
        let token = try make("ada")
        _ = try cache.verified(token, at: noon) { (text) throws(TokenRejection) in
            let verified = try verifier.verify(text)
            cache.revoke("one", at: noon)
            return verified
        }
        #expect(cache.count == 0)
        let second = VerifiedTokenCache()
        _ = try second.verified(token, at: noon) { (text) throws(TokenRejection) in
            let verified = try verifier.verify(text)
            second.forgetAll()
            return verified
        }
        #expect(second.count == 0)
    }

    @Test("A very long token is verified every time")
    func long() throws {
        let (cache, verifier) = (VerifiedTokenCache(), try CountingVerifier())
        let token = try make("ada", ["pad": .string(String(repeating: "x", count: 4_000))])
        for _ in 0..<2 { _ = try cache.verified(token, at: noon, verify: verifier.verify) }
        #expect(verifier.count == 2)
        #expect(cache.count == 0)
    }

    @Test("Concurrent callers get the right answers")
    func concurrency() async throws {
        let (cache, verifier) = (VerifiedTokenCache(capacity: 16), try CountingVerifier())
        let tokens = try (0..<40).map { try make("user-\($0)", ["session_id": .string("\($0 % 4)")]) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for step in 0..<400 {
                        let index = (step * 7 + task) % tokens.count
                        let verified = try cache.verified(tokens[index], at: noon, verify: verifier.verify)
                        #expect(verified.claims.subject == "user-\(index)")
                        if step % 50 == 0 { cache.revoke("\(task % 4)", at: noon + .seconds(step), until: noon) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(cache.count <= 16)
    }
}
