import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Signing keys")
struct SigningKeysTests {
    static func keys(_ storage: OpenDatabase, secret: UInt8 = 7) -> SigningKeys {
        let randomness = TestRandomness()
        let secrets = ServerSecrets([(1, Array(repeating: secret, count: 32))])!
        return SigningKeys(database: storage.database, secrets: secrets, randomBytes: { randomness.bytes($0) })
    }

    static func key(_ id: String, at seconds: Int64) -> StoredSigningKey {
        StoredSigningKey(id: id, privateKey: Secret("private \(id)"), createdAt: Instant(seconds: seconds))
    }

    @Test("D14: A rotation retires the current key and keeps it", arguments: TestDatabase.all)
    func rotation(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let keys = Self.keys(storage)
        _ = try await keys.ensure(Self.key("one", at: 10))
        let rotated = try await keys.rotate(to: Self.key("two", at: 20), forgettingRetiredBefore: Instant(seconds: 0))
        #expect(rotated.map(\.id) == ["two", "one"])
        #expect(rotated.map(\.retiredAt) == [nil, Instant(seconds: 20)])
        #expect(rotated.map { $0.privateKey.reveal() } == ["private two", "private one"])
        let later = try await keys.rotate(to: Self.key("three", at: 30), forgettingRetiredBefore: Instant(seconds: 21))
        #expect(later.map(\.id) == ["three", "two"])
    }

    @Test("A leaked key is removed at once, and a new one follows the current one", arguments: TestDatabase.all)
    func revocation(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let keys = Self.keys(storage)
        let (never, replacement) = (Instant(seconds: 0), Self.key("new", at: 50))
        _ = try await keys.ensure(Self.key("one", at: 10))
        _ = try await keys.rotate(to: Self.key("two", at: 20), forgettingRetiredBefore: never)
        _ = try await keys.rotate(to: Self.key("three", at: 30), forgettingRetiredBefore: never)
        #expect(try await keys.revoke("four", replacement: replacement, forgettingRetiredBefore: never) == nil)
        let withoutRetired = try await keys.revoke("two", replacement: replacement, forgettingRetiredBefore: never)
        #expect(withoutRetired?.map(\.id) == ["three", "one"])
        let withoutCurrent = try await keys.revoke("three", replacement: replacement, forgettingRetiredBefore: never)
        #expect(withoutCurrent?.map(\.id) == ["new", "one"])
        // It signs until every node knows the new one.
        #expect(withoutCurrent?.map(\.retiredAt) == [nil, Instant(seconds: 50)])
        let last = try await keys.revoke(
            "new", replacement: Self.key("newer", at: 90), forgettingRetiredBefore: Instant(seconds: 51))
        #expect(last?.map(\.id) == ["newer"])
        #expect(try await keys.all().map(\.id) == ["newer"])
    }

    @Test("Two nodes that start together end with one key", arguments: TestDatabase.all)
    func ensure(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        let keys = Self.keys(storage)
        async let first = keys.ensure(Self.key("one", at: 10))
        async let second = keys.ensure(Self.key("two", at: 10))
        let (left, right) = try await (first.map(\.id), second.map(\.id))
        #expect(left == right)
        #expect(left.count == 1)
    }

    @Test("The table has no part of a private key, and another secret opens none", arguments: TestDatabase.all)
    func sealed(_ kind: TestDatabase) async throws {
        let storage = try await kind.open()
        _ = try await Self.keys(storage).ensure(Self.key("one", at: 10))
        let bytes = try await storage.database.read { db in
            try db.row("SELECT private_key FROM signing_keys") { $0.bytes() } ?? []
        }
        #expect(!String(decoding: bytes, as: UTF8.self).contains("private"))
        let others = Self.keys(storage, secret: 9)
        await #expect(throws: (any Error).self) { try await others.all() }
    }
}
