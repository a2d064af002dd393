import GatehouseWire
import JSONWebTokens
import Synchronization
import Testing

@Suite("The keys of another server")
struct RemoteKeySetTests {
    struct ServerDown: Error, Equatable {}

    /// Tests can count reads, make them fail, and delay them.
    final class KeyServer: Sendable {
        struct State {
            var document: [UInt8] = []
            var isDown = false
            var isHolding = false
            var reads = 0
            var time = noon
        }
        let state = Mutex(State())

        init(_ keys: [JSONWebKey]) throws { try publish(keys) }

        func publish(_ keys: [JSONWebKey]) throws {
            var writer = JSONWriter()
            writer.beginObject()
            writer.name("keys")
            writer.beginArray()
            for key in keys { key.writePublic(to: &writer) }
            writer.endArray()
            writer.endObject()
            let document = writer.bytes
            state.withLock { $0.document = document }
        }

        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }
        var reads: Int { state.withLock { $0.reads } }

        func fetch() async throws -> [UInt8] {
            state.withLock { $0.reads += 1 }
            while state.withLock({ $0.isHolding }) { await Task.yield() }
            return try state.withLock { state in
                if state.isDown { throw ServerDown() }
                return state.document
            }
        }

        func client() -> RemoteKeySet {
            RemoteKeySet(now: { self.state.withLock { $0.time } }, fetch: { try await self.fetch() })
        }
    }

    final class Counter: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    private func sign(_ key: JSONWebKey) throws -> String {
        let text = claims(["exp": .integer(noon.seconds + 1_000_000)]).text
        return try TokenSigner(key).sign(payload: Array(text.utf8))
    }

    @Test("A thousand concurrent callers cause one read")
    func sharing() async throws {
        let key = JSONWebKey.newES256(id: "first")
        let (server, token) = (try KeyServer([key]), try sign(key))
        let client = server.client()
        server.change { $0.isHolding = true }
        let started = Counter()
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<1_000 {
                group.addTask {
                    started.add()
                    return try await client.verify(token, at: noon).claims.subject
                }
            }
            while started.count < 1_000 || server.reads == 0 { await Task.yield() }
            server.change { $0.isHolding = false }
            for try await subject in group { #expect(subject == "ada") }
        }
        #expect(server.reads == 1)
        _ = try await client.verify(token, at: noon)
        #expect(server.reads == 1)
    }

    @Test("A new kid leads to one more read, and to at most one per 30 seconds")
    func unknownKey() async throws {
        let (first, second) = (JSONWebKey.newES256(id: "first"), JSONWebKey.newES256(id: "second"))
        let (server, stranger) = (try KeyServer([first]), try sign(.newES256(id: "stranger")))
        let client = server.client()
        _ = try await client.verify(sign(first), at: noon)
        try server.publish([first, second])
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("second"))) {
            try await client.verify(sign(second), at: noon)
        }
        #expect(server.reads == 1)
        server.change { $0.time = noon + .seconds(30) }
        #expect(try await client.verify(sign(second), at: noon).keyID == "second")
        #expect(server.reads == 2)
        for second in 0..<300 {
            server.change { $0.time = noon + .seconds(30 + Int64(second)) }
            await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("stranger"))) {
                try await client.verify(stranger, at: noon)
            }
        }
        #expect(server.reads == 2 + 9)
    }

    private func nameless() throws -> JSONWebKey {
        var members = try JSONReader.read(JSONWebKey.newES256().privateJWK.reveal()).objectValue ?? [:]
        members["kid"] = nil
        return try JSONWebKey(.object(members))
    }

    @Test("A single key also verifies tokens without kid, and is read again if it does not fit (OIDC Core §10.1)")
    func onlyKey() async throws {
        let (old, new) = (try nameless(), try nameless())
        let server = try KeyServer([old])
        let client = server.client()
        _ = try await client.verify(sign(old), at: noon)
        try server.publish([new])
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey(nil))) {
            try await client.verify(sign(new), at: noon)
        }
        server.change { $0.time = noon + .seconds(60) }
        _ = try await client.verify(sign(new), at: noon)
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey(nil))) {
            try await client.verify(sign(old), at: noon)
        }
        #expect(server.reads == 2)
    }

    @Test("A token without kid among several keys, or with a bad signature, causes no read")
    func noRead() async throws {
        let key = JSONWebKey.newES256(id: "first")
        let server = try KeyServer([key, .newES256(id: "second")])
        let client = server.client()
        _ = try await client.verify(sign(key), at: noon)
        server.change { $0.time = noon + .seconds(60) }
        let nameless = try token(["alg": "ES256"], by: .es256)
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey(nil))) {
            try await client.verify(nameless, at: noon)
        }
        await #expect(throws: RemoteKeySet.Failure.rejected(.badSignature)) {
            try await client.verify(sign(.newES256(id: "first")), at: noon)
        }
        #expect(server.reads == 1)
    }

    @Test("A clock that is set back does not keep an old document in use")
    func clockSetBack() async throws {
        let (old, new) = (JSONWebKey.newES256(id: "old"), JSONWebKey.newES256(id: "new"))
        let server = try KeyServer([old])
        let client = server.client()
        server.change { $0.time = noon + .seconds(31_536_000) }
        _ = try await client.verify(sign(old), at: noon)
        try server.publish([new])
        server.change { $0.time = noon }
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("old"))) {
            try await client.verify(sign(old), at: noon)
        }
        #expect(server.reads == 2)
    }

    @Test("An old document is used during the refresh, and a withdrawn key is gone afterwards")
    func ageing() async throws {
        let (old, new) = (JSONWebKey.newES256(id: "old"), JSONWebKey.newES256(id: "new"))
        let server = try KeyServer([old])
        let client = server.client()
        _ = try await client.verify(sign(old), at: noon)
        try server.publish([new])
        server.change { ($0.time, $0.isHolding) = (noon + .seconds(599), true) }
        _ = try await client.verify(sign(old), at: noon)
        #expect(server.reads == 1)
        server.change { $0.time = noon + .seconds(600) }
        _ = try await client.verify(sign(old), at: noon)
        _ = try await client.verify(sign(old), at: noon)
        while server.reads < 2 { await Task.yield() }
        server.change { $0.isHolding = false }
        while try await client.currentKeys()["new"] == nil { await Task.yield() }
        #expect(server.reads == 2)
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("old"))) {
            try await client.verify(sign(old), at: noon)
        }
    }

    @Test("From twice the age callers wait for the new document")
    func veryOld() async throws {
        let (old, new) = (JSONWebKey.newES256(id: "old"), JSONWebKey.newES256(id: "new"))
        let server = try KeyServer([old])
        let client = server.client()
        _ = try await client.verify(sign(old), at: noon)
        try server.publish([new])
        server.change { $0.time = noon + .seconds(1_200) }
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("old"))) {
            try await client.verify(sign(old), at: noon)
        }
        #expect(server.reads == 2)
    }

    @Test("During an outage the old keys are used for a day, with one attempt per 30 seconds")
    func staleOnError() async throws {
        let key = JSONWebKey.newES256(id: "first")
        let (server, token) = (try KeyServer([key]), try sign(key))
        let client = server.client()
        _ = try await client.verify(token, at: noon)
        server.change { ($0.isDown, $0.time) = (true, noon + .seconds(2_000)) }
        for _ in 0..<10 { _ = try await client.verify(token, at: noon) }
        #expect(server.reads == 2)
        #expect(await client.lastFailure as? ServerDown == ServerDown())
        server.change { $0.time = noon + .seconds(86_399) }
        _ = try await client.verify(token, at: noon)
        server.change { $0.time = noon + .seconds(86_400) }
        await #expect(throws: RemoteKeySet.Failure.keysUnavailable) { try await client.verify(token, at: noon) }
        server.change { ($0.isDown, $0.time) = (false, noon + .seconds(86_430)) }
        _ = try await client.verify(token, at: noon)
        #expect(await client.lastFailure == nil)
    }

    @Test("Without any document no token is judged, and the next second allows a retry")
    func neverRead() async throws {
        let key = JSONWebKey.newES256(id: "first")
        let server = try KeyServer([key])
        server.change { $0.isDown = true }
        let client = server.client()
        for _ in 0..<5 {
            await #expect(throws: RemoteKeySet.Failure.keysUnavailable) {
                try await client.verify(sign(key), at: noon)
            }
        }
        #expect(server.reads == 1)
        server.change { ($0.isDown, $0.time) = (false, noon + .seconds(1)) }
        _ = try await client.verify(sign(key), at: noon)
        #expect(server.reads == 2)
    }

    @Test("Unusable keys are skipped; private parts are dropped; the first of two equal names counts")
    func published() throws {
        let good = try JSONReader.read(TestKeys.key(.es256).privateJWK.reveal())
        let list: AuthJSON = [
            "keys": [
                TestKeys.jwk(.hs256), 1, [:], ["kty": "AKP", "kid": "new"], Specified.es256, good,
                TestKeys.jwk(.rs256).with(["kid": "ES256"]), TestKeys.jwk(.edDSA).with(["use": "enc"]),
                TestKeys.jwk(.rs256).without("d").with(["x5c": ["MII"], "x5t": "abc"]),
            ]
        ]
        let set = try KeySet(published: Array(list.text.utf8))
        #expect(set.keys.map(\.id) == ["ES256", "RS256"])
        #expect(set.keys.map(\.algorithm) == [.es256, .rs256])
        #expect(set.keys.allSatisfy { !$0.maySign })
        #expect(try KeySet(published: Array(#"{"keys":[]}"#.utf8)).keys.isEmpty)
    }

    @Test("A published RSA key without alg verifies every RSA algorithm, one with alg no other")
    func algorithmOfPublishedKey() throws {
        let rsa = TestKeys.jwk(.rs256).without("d").with(["kid": "rsa"])
        let ofRSA: [SigningAlgorithm] = [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512]
        for other in [Specified.es256.with(["kid": "other"]), nil] {
            let named = try KeySet(published: Self.document([rsa, other]))
            let nameless = try KeySet(published: Self.document([rsa.without("alg"), other]))
            let more: [SigningAlgorithm] = other == nil ? [] : [.es256]
            #expect(named.algorithms == [.rs256] + more && nameless.algorithms == ofRSA + more)
            for algorithm in ofRSA {
                let signer = try TokenSigner(JSONWebKey(TestKeys.jwk(algorithm).with(["kid": "rsa"])))
                let token = try signer.sign(payload: Array(claims().text.utf8))
                #expect(try nameless.verify(token, at: noon).algorithm == algorithm)
                if algorithm == .rs256 { continue }
                #expect(throws: TokenRejection.algorithmMismatch) { try named.verify(token, at: noon) }
            }
            let hmac = try token(["alg": "HS256", "kid": "rsa"], by: .hs256)
            #expect(throws: TokenRejection.algorithmMismatch) { try nameless.verify(hmac, at: noon) }
        }
    }

    @Test("Our own RSA key without alg stays one of RS256")
    func algorithmOfOwnKey() throws {
        let own = try JSONWebKey(TestKeys.jwk(.rs256).without("alg"))
        let token = try TokenSigner(TestKeys.key(.rs512)).sign(payload: Array(claims().text.utf8))
        let named = try JSONWebKey(TestKeys.jwk(.rs256).without("alg").with(["kid": "RS512"]))
        #expect(own.algorithm == .rs256)
        #expect(throws: TokenRejection.algorithmMismatch) { try KeySet([named]).verify(token, at: noon) }
    }

    @Test("Members that are null count as absent")
    func nulls() throws {
        let nulls: AuthJSONObject = ["alg": .null, "use": .null, "key_ops": .null, "x5c": .null, "d": .null]
        let key = Specified.es256.with(nulls).with(["kid": "es"])
        let set = try KeySet(published: Self.document([key, ["kid": .null]]))
        #expect(set.keys.map(\.id) == ["es"] && set.algorithms == [.es256])
    }

    private static func document(_ keys: [AuthJSON?]) -> [UInt8] {
        Array(AuthJSON.object(["keys": .array(keys.compactMap(\.self))]).text.utf8)
    }

    @Test(
        "A document without usable keys is a failed read, and the old keys stay",
        arguments: [
            ("", 0), ("<html>", 0), ("[]", 0), ("{}", 0), (#"{"keys":{}}"#, 0), (#"{"keys":[]}"#, 262_144),
            (#"{"keys":[]}"#, 0), (#"{"keys":[{"kty":"AKP","kid":"new"},{}]}"#, 0),
        ])
    func unreadable(_ text: String, blanks: Int) async throws {
        let document = text + String(repeating: " ", count: blanks)
        let key = JSONWebKey.newES256(id: "first")
        let server = try KeyServer([key])
        let client = server.client()
        _ = try await client.verify(sign(key), at: noon)
        server.change { ($0.document, $0.time) = (Array(document.utf8), noon + .seconds(5_000)) }
        _ = try await client.verify(sign(key), at: noon)
        #expect(server.reads == 2)
        #expect(await client.lastFailure as? KeyProblem == .unreadable)
    }

    @Test("While the keys cannot be read, an unknown kid is an outage")
    func unknownWhileDown() async throws {
        let (first, second) = (JSONWebKey.newES256(id: "first"), JSONWebKey.newES256(id: "second"))
        let server = try KeyServer([first])
        let client = server.client()
        _ = try await client.verify(sign(first), at: noon)
        try server.publish([second])
        server.change { ($0.isDown, $0.time) = (true, noon + .seconds(60)) }
        for _ in 0..<2 {
            await #expect(throws: RemoteKeySet.Failure.keysUnavailable) {
                try await client.verify(sign(second), at: noon)
            }
        }
        #expect(try await client.verify(sign(first), at: noon).keyID == "first")
        server.change { ($0.isDown, $0.time) = (false, noon + .seconds(90)) }
        #expect(try await client.verify(sign(second), at: noon).keyID == "second")
        await #expect(throws: RemoteKeySet.Failure.rejected(.unknownKey("first"))) {
            try await client.verify(sign(first), at: noon)
        }
    }

    @Test(
        "A token of a withdrawn key is not cached, even without other requests for the keys",
        arguments: [
            "old", "new",
        ])
    func withdrawn(_ id: String) async throws {
        let (old, new) = (JSONWebKey.newES256(id: "old"), JSONWebKey.newES256(id: id))
        let (server, token, cache) = (try KeyServer([old]), try sign(old), VerifiedTokenCache())
        let client = server.client()
        _ = try await cache.verified(token, at: noon, by: client)
        try server.publish([new])
        server.change { $0.time = noon + .seconds(600) }
        _ = try await cache.verified(token, at: noon, by: client)
        while await client.keyChanges() == 0 { await Task.yield() }
        await #expect(throws: RemoteKeySet.Failure.self) { try await cache.verified(token, at: noon, by: client) }
        #expect(server.reads == 2)
    }

    @Test("The cache of verified tokens avoids reading the keys")
    func cached() async throws {
        let key = JSONWebKey.newES256(id: "first")
        let (server, token, cache) = (try KeyServer([key]), try sign(key), VerifiedTokenCache())
        let client = server.client()
        let first = try await cache.verified(token, at: noon, by: client)
        server.change { ($0.isDown, $0.time) = (true, noon + .seconds(90_000)) }
        #expect(try await cache.verified(token, at: noon + .seconds(90_000), by: client) == first)
        cache.revoke("one", at: noon)
        await #expect(throws: RemoteKeySet.Failure.keysUnavailable) {
            try await cache.verified(token, at: noon + .seconds(90_000), by: client)
        }
    }
}
