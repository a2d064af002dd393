import Foundation
import Gatehouse
import GatehouseWire
import Synchronization
import Testing

/// A device whose system observes the network, and a distant server.
private final class Device: Sendable {
    let connection = KnownConnection()
    let clock = LimitClock(limit: .seconds(20))
    private let count = Mutex(0)

    var callCount: Int { count.withLock { $0 } }

    func client(_ address: String = "https://a.example/auth/v1") throws -> AuthClient {
        try AuthClient(
            url: URL(string: address)!, publishableKey: "key", storage: MemoryStorage(),
            transport: { [self] _ in
                count.withLock { $0 += 1 }
                return ScriptedAnswers.session
            }, clock: clock.clock, reachability: connection.reachability)
    }

    func gateway(_ client: AuthClient) throws -> GatewayClient {
        try GatewayClient(
            url: URL(string: "https://a.example")!, tokens: GatewayTokens(client),
            transport: { [self] _ in
                count.withLock { $0 += 1 }
                throw ConnectionLost()
            }, clock: clock.clock, reachability: client.reachability)
    }
}

@Suite("A device that knows that it has no connection")
struct ReachabilityTests {
    @Test("A call fails at once, and nothing is sent")
    func calls() async throws {
        let device = Device()
        let client = try device.client()
        device.connection.set(isOffline: true)
        await #expect(throws: AuthClientError.offline(.noConnection)) {
            try await client.signIn(email: "a@b.c", password: "p")
        }
        #expect(device.callCount == 0)
        device.connection.set(isOffline: false)
        try await client.signIn(email: "a@b.c", password: "p")
        #expect(device.callCount == 1)
    }

    @Test("A refresh fails at once without a retry, keeps the session, and a valid token stays usable")
    func refresh() async throws {
        let device = Device()
        let client = try device.client()
        let session = try await client.signIn(email: "a@b.c", password: "p")
        device.connection.set(isOffline: true)
        #expect(try await client.session == session)
        device.clock.advance(by: .seconds(3_590))
        #expect(try await client.session == session)
        device.clock.advance(by: .seconds(20))
        await #expect(throws: AuthClientError.offline(.noConnection)) { try await client.session }
        #expect(await client.currentSession == session)
        #expect(device.callCount == 1 && device.clock.sleeps.isEmpty)
    }

    @Test("The gateway's calls fail at once too, and open no circuit")
    func gateway() async throws {
        let device = Device()
        let client = try device.client()
        try await client.signIn(email: "a@b.c", password: "p")
        let gateway = try device.gateway(client)
        device.connection.set(isOffline: true)
        for _ in 0..<5 {
            await #expect(throws: AuthClientError.offline(.noConnection)) { try await gateway.deleteAccount() }
        }
        #expect(device.callCount == 1 && device.clock.sleeps.isEmpty)
        device.connection.set(isOffline: false)
        await #expect(throws: AuthClientError.self) { try await gateway.deleteAccount() }
        #expect(device.callCount > 1)
    }

    @Test("A server on this machine needs no network")
    func loopback() async throws {
        let device = Device()
        let client = try device.client("http://127.0.0.1:9999/auth/v1")
        device.connection.set(isOffline: true)
        try await client.signIn(email: "a@b.c", password: "p")
        #expect(!client.reachability.isOffline())
    }

    @Test("A listener hears the current value first, then each change; without knowledge the stream ends")
    func changes() async throws {
        let connection = KnownConnection(isOffline: true)
        var changes = connection.reachability.changes().makeAsyncIterator()
        var heard = [await changes.next()]
        connection.set(isOffline: true)
        connection.set(isOffline: false)
        heard.append(await changes.next())
        connection.set(isOffline: true)
        heard.append(await changes.next())
        #expect(heard == [true, false, true])
        for await _ in Reachability.unknown.changes() { Issue.record("it does not know") }
    }
}
