import Foundation
import Gatehouse
import GatehouseWire

final class InMemoryNetwork: Sendable {
    struct State: Sendable {
        var server = InMemoryServer()
        var script = FaultScript()
        var values: [String: [UInt8]] = [:]
        /// The session that the store kept last, and whether it still does.
        var device: (session: Int?, isKept: Bool) = (nil, false)
        /// The stored session, until the client replaces it.
        var initial: AuthSession?
    }

    static let storageKey = GatehouseClient.Options().storageKey
    let state = Locked(State())
    let gate = Gate()
    private let clock: VirtualClock
    private let storeGate = SerialGate()
    private let randomCount = Locked(0)

    init(clock: VirtualClock) { self.clock = clock }

    /// - Throws: `URLError` without a connection or a response; `CancellationError` while the response is held.
    @Sendable func send(_ call: HTTPCall) async throws -> HTTPReply {
        let (request, now) = (InMemoryRequest(call), clock.now)
        let (fault, reply) = try state.withLock { try $0.exchange(request, at: now) }
        if fault == .slow { try await gate.wait() }
        if fault == .answerLost { throw URLError(.networkConnectionLost) }
        return reply
    }

    /// The same in every run.
    @Sendable func randomBytes(_ count: Int) -> [UInt8] {
        let number = randomCount.withLock { number in
            number += 1
            return number
        }
        return (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * ($0 % 8))) }
    }

    /// Sleeps never end: no call is retried, and no time limit expires.
    var deviceClock: ClientClock {
        ClientClock(now: { [clock] in clock.now }, uptime: { [clock] in clock.uptime }) { duration in
            guard duration > .zero else { return }
            for await _ in AsyncStream<Never>.makeStream().stream {}
            throw CancellationError()
        }
    }
}

extension InMemoryNetwork.State {
    fileprivate mutating func exchange(
        _ request: InMemoryRequest, at now: Date
    ) throws -> (InMemoryAuthService.Fault?, HTTPReply) {
        let call = call(request)
        let fault = call.map { script.take($0) } ?? (script.isOffline ? .offline : nil)
        switch fault {
        case .offline: throw URLError(.notConnectedToInternet)
        case .sessionEndedByServer(let code):
            let session = server.callers[request.bearer]?.id ?? server.refreshes[request.text("refresh_token")]
            if let session { (server.sessions[session], server.endCodes[session]) = (nil, code) }
        case .storeLocked: script.locksOnce = true
        default: break
        }
        if let call, let refusal = fault?.refusal(at: call) {
            return (fault, HTTPReply(refusal, byGateway: request.isGateway))
        }
        return (fault, server.routes.reply(to: request, call, fault, at: now))
    }

    private func call(_ request: InMemoryRequest) -> InMemoryAuthService.Call? {
        guard request.path != ["logout"] else {
            // The client also ends sessions that another one has replaced.
            return server.callers[request.bearer]?.id == device.session ? .signOut : nil
        }
        if request.path.last == "challenge", let id = request.id, server.factors.isPhone(factor: id) {
            return .sendFactorCode
        }
        return request.call { address in
            guard device.isKept, let user = account?.user else { return false }
            return address == nil || user.email == address?.lowercased() || user.phone == address
        }
    }

    var account: InMemoryServer.Account? {
        guard device.isKept, let session = device.session else { return nil }
        return server.sessions[session].flatMap { server.account($0) }
    }
}

extension InMemoryNetwork: SecureStorage {
    func read(_ key: String) -> StoredValue {
        state.withLock { state in
            // A fault of the next call applies to its first look at the session.
            let isLocked =
                state.script.isStoreLocked || key == Self.storageKey + ".refresh-token" && state.script.takeLock()
            return isLocked ? .unavailable(Fault.storeProblem) : state.values[key].map(StoredValue.value) ?? .absent
        }
    }

    func readNow(_ key: String) -> StoredValue? {
        state.withLock { state in
            if state.script.isStoreLocked { return .unavailable(Fault.storeProblem) }
            return state.values[key].map(StoredValue.value) ?? .absent
        }
    }

    func write(_ bytes: [UInt8], for key: String) throws {
        try state.withLock { state in
            if state.script.isStoreLocked { throw Fault.storeProblem }
            state.values[key] = bytes
            if key == Self.storageKey + ".access-token" { state.keep(bytes) }
        }
    }

    func remove(_ key: String) throws {
        try state.withLock { state in
            if state.script.isStoreLocked { throw Fault.storeProblem }
            state.values[key] = nil
            if key == Self.storageKey + ".access-token" { (state.device.isKept, state.initial) = (false, nil) }
        }
    }

    func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await storeGate.run(body)
    }

    private typealias Fault = InMemoryAuthService.Fault
}

extension InMemoryNetwork.State {
    fileprivate mutating func keep(_ entry: [UInt8]) {
        // Ignored: the client writes JSON.
        let token = try? JSONReader.read(entry)["access_token"]?.stringValue
        device = (token.flatMap { server.callers[$0] }?.id, true)
        initial = nil
    }

    mutating func store(_ session: AuthSession) {
        values.merge(session.entries(below: InMemoryNetwork.storageKey)) { $1 }
        device = (server.callers[session.accessToken]?.id, true)
        initial = session
    }

    /// Stores the flow of an emailed link, unless the device has it.
    mutating func keepFlow(of mail: InMemoryAuthService.Mail) {
        let key = PendingFlow.key(below: InMemoryNetwork.storageKey)
        let flows = values[key].map(PendingFlow.list) ?? []
        guard !flows.contains(where: { $0.challenge == server.mailLinks[mail]?.challenge }) else { return }
        let kind: FlowKind = mail.kind == .recovery ? .recovery : mail.kind == .emailChange ? .emailChange : .signIn
        let flow = PendingFlow(verifier: "verifier-\(mail.code)", kind: kind)
        server.mailLinks[mail] = MailLink(challenge: flow.challenge, session: device.isKept ? device.session : nil)
        values[key] = PendingFlow.entry(Array(flows.suffix(4)) + [flow])
    }
}

struct FaultScript: Sendable {
    typealias Entry = (fault: InMemoryAuthService.Fault, call: InMemoryAuthService.Call?)

    var next: [Entry] = []
    var lasting: [Entry] = []
    var calls: [InMemoryAuthService.Call] = []
    var locksOnce = false
    /// The client retries it after the gateway rejected its token.
    private var refused: InMemoryAuthService.Call?

    var isStoreLocked: Bool { lasting.contains { $0.fault == .storeLocked && $0.call == nil } }
    var isOffline: Bool { lasting.contains { $0.fault == .offline && $0.call == nil } }

    mutating func takeLock() -> Bool {
        if locksOnce {
            locksOnce = false
            return true
        }
        guard let index = next.firstIndex(where: { $0.fault == .storeLocked && $0.call == nil }) else { return false }
        next.remove(at: index)
        return true
    }

    mutating func take(_ call: InMemoryAuthService.Call) -> InMemoryAuthService.Fault? {
        calls.append(call)
        if refused == call {
            refused = nil
            return .accessTokenRefused
        }
        let isMet = { (entry: Entry) in entry.fault.fits(call) && (entry.call ?? call) == call }
        let isNext = { (entry: Entry) in isMet(entry) && (call != .settings || entry.call == .settings) }
        guard let index = next.firstIndex(where: isNext) else { return lasting.first(where: isMet)?.fault }
        let fault = next.remove(at: index).fault
        if fault == .accessTokenRefused { refused = call }
        return fault
    }
}
