import Foundation
import Gatehouse
import GatehouseWire
import Testing

@testable import GatehouseModel

/// Lets other work run between a read and its result.
private struct YieldingStorage: SecureStorage {
    let inner = MemoryStorage()
    func read(_ key: String) async -> StoredValue {
        let value = await inner.read(key)
        for _ in 0..<20 { await Task.yield() }
        return value
    }
    func write(_ bytes: [UInt8], for key: String) async throws { await inner.write(bytes, for: key) }
    func remove(_ key: String) async throws { await inner.remove(key) }
}

@Suite("Names that Apple gives only once")
struct PendingNamesTests {
    private static func credential(_ person: String) -> AppleCredential {
        AppleCredential(idToken: "token-of-\(person)", nonce: "raw-nonce", person: person, firstName: "Ada \(person)")
    }

    @Test("Pitfall 6: Accounts in quick succession keep all their names")
    func concurrent() async throws {
        let names = PendingNames(storage: YieldingStorage(), key: "names")
        let people = (1...10).map { "person-\($0)" }
        try await withThrowingTaskGroup { group in
            for person in people { group.addTask { try await names.keep(Self.credential(person)) } }
            try await group.waitForAll()
        }
        #expect(try await names.read().keys.sorted() == people.sorted())
        try await withThrowingTaskGroup { group in
            for person in people.dropFirst() { group.addTask { try await names.forget(person) } }
            try await group.waitForAll()
        }
        #expect(try await names.read().mapValues(\.given) == ["person-1": "Ada person-1"])
    }

    @Test("A credential does not print its tokens, its nonce or its name")
    func unprinted() {
        let credential = Self.credential("person")
        var dumped = ""
        dump(credential, to: &dumped)
        for text in ["\(credential)", String(reflecting: credential), dumped] {
            #expect(!text.contains("token-of") && !text.contains("raw-nonce") && !text.contains("Ada"))
        }
    }
}

@Suite("The live service's links")
struct LiveLinkTests {
    @Test("A sign-up sends the app's redirect address, so that the confirmation mail leads back to the app")
    func signUp() async throws {
        let calls = Locked<[HTTPCall]>([])
        let reply = #"{"id":"0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10","created_at":"2026-01-01T00:00:00Z"}"#
        let client = try GatehouseClient(
            url: URL(string: "https://a.example/auth/v1")!, publishableKey: "key", storage: MemoryStorage(),
            transport: { call in
                calls.withLock { $0.append(call) }
                return HTTPReply(status: 200, body: Array(reply.utf8))
            })
        let id = try #require(UUID(uuidString: "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"))
        let gateway = GatewayThatFails(
            me: SignedInAccount(id: id), failure: .refused(AuthRefusal(status: 500, code: nil)))
        let service = LiveAuthService(client: client, gateway: gateway, redirectTo: URL(string: "journal://back"))
        let answer = try await service.signUp(email: "a@b.c", password: "p", firstName: "Ada")
        #expect(answer.session == nil)
        let call = try #require(calls.withLock { $0.first })
        #expect(call.url.query() == "redirect_to=journal%3A%2F%2Fback")
        let body = try JSONReader.read(call.body ?? [])
        #expect(body["data"] == ["first_name": "Ada"])
        #expect(body["code_challenge_method"] == "s256")
    }
}
