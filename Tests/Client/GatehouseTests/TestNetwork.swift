import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport

/// It is unknown whether the request reached the server.
struct ConnectionLost: Error {}

/// To a server in this process, with faults.
final class TestNetwork: Sendable {
    enum Fault: Sendable {
        case none
        /// The request does not reach the server.
        case isDown
        /// The server acts, but its response is lost.
        case losesAnswers
        /// The server fails before it acts.
        case answers(status: Int, headers: [String: String], body: String = "")
        /// A page of another server.
        case captivePortal
    }

    private struct State {
        var calls: [HTTPCall] = []
        var faults: [Fault] = []
        var lasting = Fault.none
        var isHeld = false
        var dateShift = Duration.zero
        var dropsProofs = false
        var held: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())
    let server: TestServer

    init(_ server: TestServer) { self.server = server }

    /// For the next calls, one each.
    func meet(_ faults: Fault...) { state.withLock { $0.faults += faults } }
    /// For every call without its own.
    func stay(_ fault: Fault) { state.withLock { $0.lasting = fault } }
    /// Delays responses after the server signed their tokens.
    func sendDates(ahead: Duration) { state.withLock { $0.dateShift = ahead } }
    /// As to a server that ignores them.
    func withoutProofs(_ dropsProofs: Bool) { state.withLock { $0.dropsProofs = dropsProofs } }
    /// Removes all faults.
    func clear() { state.withLock { ($0.faults, $0.lasting) = ([], .none) } }
    /// Until ``release()``. A cancelled call waits like the others.
    func hold() { state.withLock { $0.isHeld = true } }

    func release() {
        let held = state.withLock { state in
            defer { (state.held, state.isHeld) = ([], false) }
            return state.held
        }
        for waiting in held { waiting.resume() }
    }

    var heldCount: Int { state.withLock { $0.held.count } }
    var calls: [HTTPCall] { state.withLock { $0.calls } }
    var refreshCount: Int { calls.count { $0.url.query == "grant_type=refresh_token" } }

    var transport: HTTPTransport { { call in try await self.send(call) } }

    private func send(_ call: HTTPCall) async throws -> HTTPReply {
        let fault = state.withLock { state in
            state.calls.append(call)
            return state.faults.isEmpty ? state.lasting : state.faults.removeFirst()
        }
        switch fault {
        case .isDown: throw ConnectionLost()
        case .answers(let status, let headers, let body):
            return HTTPReply(status: status, headers: headers, body: Array(body.utf8))
        case .captivePortal: return HTTPReply(status: 200, body: Array("<html>Welcome</html>".utf8))
        case .none, .losesAnswers: break
        }
        let reply = try await deliver(call)
        await waitIfHeld()
        if case .losesAnswers = fault { throw ConnectionLost() }
        return reply
    }

    private func waitIfHeld() async {
        guard state.withLock({ $0.isHeld }) else { return }
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
    }

    private func deliver(_ call: HTTPCall) async throws -> HTTPReply {
        var headers = HTTPFields()
        for (name, value) in call.headers { headers[HTTPField.Name(name)!] = value }
        if state.withLock({ $0.dropsProofs }) { headers[HTTPField.Name("dpop")!] = nil }
        let path = call.url.path + (call.url.query(percentEncoded: true).map { "?" + $0 } ?? "")
        let answer = try await server.send(
            HTTPRequest.Method(call.method)!, path, headers: headers, raw: call.body ?? [])
        var named = ["date": httpDate(server.clock.now + state.withLock { $0.dateShift })]
        for field in answer.headers { named[field.name.rawName] = field.value }
        return HTTPReply(status: answer.status, headers: named, body: answer.bytes)
    }
}

/// `Thu, 01 Jan 2026 00:00:00 GMT`.
func httpDate(_ instant: Instant) -> String {
    let text = "\(Instant(seconds: instant.seconds))"
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    let parts = text.split { "-T:Z".contains($0) }
    return "Thu, \(parts[2]) \(months[Int(parts[1])! - 1]) \(parts[0]) \(parts[3]):\(parts[4]):\(parts[5]) GMT"
}

/// Its clock runs as fast as the server's but may be wrong, and its waits take no time.
final class TestDevice: Sendable {
    private let waits = Mutex<[Duration]>([])
    private let wrong = Mutex(Duration.zero)
    private let processes = Mutex<UInt8>(0)
    private let clockOfServer: TestClock

    init(_ server: TestServer) { clockOfServer = server.clock }

    /// The durations of all waits, in order.
    var sleeps: [Duration] { waits.withLock { $0 } }

    /// The number of another process.
    func startProcess() -> UInt8 {
        processes.withLock { count in
            count &+= 1
            return count
        }
    }

    /// Sets the wall clock wrong.
    func setClock(ahead: Duration) { wrong.withLock { $0 = ahead } }

    var clock: ClientClock {
        ClientClock(
            now: { [clockOfServer, self] in
                Date(wire: "\(clockOfServer.now + wrong.withLock { $0 })")!
            },
            uptime: { [clockOfServer] in clockOfServer.uptime },
            sleep: { [self] duration in
                try Task.checkCancellation()
                waits.withLock { $0.append(duration) }
                clockOfServer.advance(by: duration)
            })
    }
}

struct World: Sendable {
    let server: TestServer
    let network: TestNetwork
    let device: TestDevice
    let storage: any SecureStorage
    let client: GatehouseClient
    private let options: GatehouseClient.Options

    init(
        _ server: TestServer, storage: any SecureStorage = MemoryStorage(), key: String = "sb_publishable_test",
        options: GatehouseClient.Options = GatehouseClient.Options()
    ) throws {
        self.server = server
        self.options = options
        network = TestNetwork(server)
        device = TestDevice(server)
        self.storage = storage
        client = try Self.client(network, device, storage, key, options)
    }

    /// On the same store: an app's next start, or its widget.
    func anotherProcess(
        on storage: (any SecureStorage)? = nil, _ options: GatehouseClient.Options? = nil
    ) throws -> GatehouseClient {
        try Self.client(network, device, storage ?? self.storage, "sb_publishable_test", options ?? self.options)
    }

    /// As the server is reached by another URL than its own.
    func client(at url: String) throws -> GatehouseClient {
        try Self.client(network, device, storage, "sb_publishable_test", options, url: url)
    }

    private static func client(
        _ network: TestNetwork, _ device: TestDevice, _ storage: any SecureStorage, _ key: String,
        _ options: GatehouseClient.Options, url: String = TestServer.issuer
    ) throws -> GatehouseClient {
        let randomness = TestRandomness()
        // Other randomness: generations must never collide.
        let process = device.startProcess()
        return try GatehouseClient(
            url: URL(string: url)!, publishableKey: key, storage: storage,
            transport: network.transport, clock: device.clock,
            randomness: { count in randomness.bytes(count).map { $0 ^ process } }, options: options)
    }

    @discardableResult
    func signUp(_ email: String = "ada@example.com") async throws -> AuthSession {
        let answer = try await client.signUp(email: email, password: TestServer.password)
        guard let session = answer.session else { throw ConnectionLost() }
        return session
    }

    /// Lets the access token expire.
    func expireToken() { server.clock.advance(by: .seconds(3_601)) }

    static func with(
        storage: any SecureStorage = MemoryStorage(), key: String = "sb_publishable_test",
        options: GatehouseClient.Options = GatehouseClient.Options(),
        change: @escaping @Sendable (World) -> Void = { _ in }, _ test: (World) async throws -> Void
    ) async throws {
        try await TestServer.with { server in
            let world = try World(server, storage: storage, key: key, options: options)
            change(world)
            try await test(world)
        }
    }
}

/// Waits for an effect of another task.
func until(_ condition: () async -> Bool) async { while await !condition() { await Task.yield() } }
