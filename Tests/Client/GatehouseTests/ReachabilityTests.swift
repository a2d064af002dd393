import Foundation
import Gatehouse
import GatehouseWire
import Synchronization
import Testing

/// The system observes the network, and the server is distant.
private final class Device: Sendable {
    let connection = KnownConnection()
    /// Whether requests fail, whatever the system reports.
    let isCut = Mutex(false)
    let clock = LimitClock(limit: .seconds(20))
    private let count = Mutex(0)

    var callCount: Int { count.withLock { $0 } }

    func client(_ address: String = "https://a.example/auth/v1") throws -> GatehouseClient {
        try GatehouseClient(
            url: URL(string: address)!, publishableKey: "key", storage: MemoryStorage(),
            transport: { [self] _ in
                count.withLock { $0 += 1 }
                if isCut.withLock({ $0 }) { throw ConnectionLost() }
                return ScriptedAnswers.session
            }, clock: clock.clock, reachability: connection.reachability)
    }

    func lose() {
        connection.set(isOffline: true)
        isCut.withLock { $0 = true }
    }

    func gateway(_ client: GatehouseClient) throws -> GatewayClient {
        try GatewayClient(
            url: URL(string: "https://a.example")!, tokens: GatewayTokens(client),
            transport: { [self] _ in
                count.withLock { $0 += 1 }
                throw ConnectionLost()
            }, clock: clock.clock, reachability: client.reachability)
    }
}

@Suite("A system that reports no connection")
struct ReachabilityTests {
    @Test("F10: A system that is wrong about the connection keeps no call back")
    func isHint() async throws {
        let device = Device()
        device.connection.set(isOffline: true)
        try await device.client().signIn(email: "a@b.c", password: "p")
        #expect(device.callCount == 1)
    }

    @Test("A call that fails is not repeated")
    func calls() async throws {
        let device = Device()
        let client = try device.client()
        device.lose()
        await #expect(throws: AuthClientError.offline(.noConnection)) {
            try await client.signIn(email: "a@b.c", password: "p")
        }
        #expect(device.callCount == 1)
    }

    @Test("A refresh that fails is not repeated, keeps the session, and a valid token stays usable")
    func refresh() async throws {
        let device = Device()
        let client = try device.client()
        let session = try await client.signIn(email: "a@b.c", password: "p")
        device.lose()
        #expect(try await client.session == session)
        device.clock.advance(by: .seconds(3_590))
        #expect(try await client.session == session)
        device.clock.advance(by: .seconds(20))
        await #expect(throws: AuthClientError.offline(.noConnection)) { try await client.session }
        #expect(await client.currentSession == session)
        // The sign-in, and one refresh per call.
        #expect(device.callCount == 3 && device.clock.sleeps.isEmpty)
    }

    @Test("The gateway's calls that fail are not repeated either, and open no circuit")
    func gateway() async throws {
        let device = Device()
        let client = try device.client()
        try await client.signIn(email: "a@b.c", password: "p")
        let gateway = try device.gateway(client)
        device.connection.set(isOffline: true)
        for _ in 0..<5 {
            await #expect(throws: AuthClientError.offline(.noConnection)) { try await gateway.deleteAccount() }
        }
        #expect(device.callCount == 6 && device.clock.sleeps.isEmpty)
        device.connection.set(isOffline: false)
        await #expect(throws: AuthClientError.self) { try await gateway.deleteAccount() }
        #expect(!device.clock.sleeps.isEmpty)
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
