import AccountStore
import Foundation
import Gatehouse
import Synchronization

/// The actions of app, user, machine, server and thief, and their order, all from one seed.
struct Schedule {
    let seed: UInt64
    let world: ExploredWorld
    /// Without faults, so that refreshes can be counted.
    let isCalm: Bool
    private var expiries = 0
    private var reasonsToRefresh = 0
    private let stolen = Box<[String]>([])

    init(seed: UInt64, accounts: Accounts, isTold: Bool) throws {
        self.seed = seed
        Scheduler.shared.reseed(seed)
        isCalm = seed % 8 == 7
        world = try ExploredWorld(accounts, isTold: isTold)
    }

    private func pick(_ bound: Int) -> Int { Scheduler.shared.pick(bound) }

    /// - Returns: The broken promise.
    mutating func run() throws -> String? {
        let complaint = try promiseBroken()
        if complaint == nil, Scheduler.shared.isExhausted { return "it never comes to rest" }
        world.close()
        return complaint
    }

    private mutating func promiseBroken() throws -> String? {
        for process in ExploredWorld.processes { listen(world.client(process), world.run(process)) }
        signIn(0, ExploredServer.people[0])
        Scheduler.shared.run()
        for process in ExploredWorld.processes.dropFirst() { try restart(process) }
        for _ in 0..<(8 + pick(10)) {
            Scheduler.shared.run(steps: pick(3) == 0 ? 1_000 : pick(25))
            if isCalm { try actCalmly() } else { try act() }
            if let complaint = world.history.complaint { return complaint }
        }
        calmDown()
        countRefreshes()
        try finish()
        return world.history.complaint
    }

    private mutating func act() throws {
        let process = pick(ExploredWorld.processes.count)
        switch pick(40) {
        case 0..<12: ask(process)
        case 12..<15: refresh(process)
        case 15..<17: user(process)
        case 17..<22: pass([1, 4, 12, 3_500, 3_601, 3_601, 7_300][pick(7)])
        case 22..<26: world.set(NetworkWeather.allCases[pick(3)])
        case 26..<29: try restart(process)
        case 29..<32: world.set(StoreFault.allCases[pick(5)])
        case 32: world.setClock(ahead: .seconds(31_536_000 * (pick(3) - 1)))
        case 33, 34: signOut(process % ExploredWorld.signingIn)
        case 35, 36: signIn(process % ExploredWorld.signingIn, ExploredServer.people[pick(2)])
        case 37: endAtServer()
        default: steal()
        }
    }

    private mutating func actCalmly() throws {
        let process = pick(ExploredWorld.processes.count)
        switch pick(8) {
        case 0..<4: ask(process)
        case 4: user(process)
        case 5: refresh(process)
        case 6: pass([1, 4, 12, 3_500][pick(4)])
        default:
            Scheduler.shared.run()
            pass(3_601)
        }
    }

    private mutating func pass(_ seconds: Int) {
        world.history.tell("\(seconds) seconds pass")
        if seconds > 3_000 { expiries += 1 }
        world.clock.advance(by: .seconds(seconds))
    }

    private func calmDown() {
        world.set(NetworkWeather.calm)
        world.set(StoreFault.none)
        Scheduler.shared.run()
    }

    /// Allows one refresh per expiry and forced refresh, in each process.
    private func countRefreshes() {
        guard isCalm, world.server.refreshCount > ExploredWorld.processes.count * (expiries + reasonsToRefresh) else {
            return
        }
        world.history.complain("refreshes without a reason: \(world.server.refreshCount)")
    }
}

// Actions of the app.
extension Schedule {
    private func call(_ process: Int, _ work: @escaping @Sendable (GatehouseClient) async throws -> AuthSession?) {
        let (client, run, world) = (world.client(process), world.run(process), world)
        let (begin, uptime) = (world.history.now(), world.clock.value)
        let task = Task.detached {
            do {
                guard let session = try await work(client) else { return }
                // After hours during a call, its token may have expired.
                let isQuick = world.clock.value - uptime < .seconds(30)
                world.history.judge(session, askedAt: begin, goodAt: isQuick ? uptime : .zero, run, world.server)
            } catch AuthClientError.signedOut(let reason) {
                world.history.judge(reason, run, world.server)
            } catch {
                // Offline, a failing store, a concurrent change of the session: reported, and harmless.
            }
        }
        guard pick(6) == 0 else { return }
        Task.detached {
            for _ in 0..<Scheduler.shared.pick(12) { await Scheduler.shared.pause() }
            task.cancel()
        }
    }

    private func ask(_ process: Int) {
        for _ in 0..<(1 + pick(3)) { call(process) { try await $0.session } }
    }

    private mutating func refresh(_ process: Int) {
        reasonsToRefresh += 1
        call(process) { client in
            guard Scheduler.shared.pick(2) == 0, let old = await client.currentSession?.accessToken else {
                return try await client.refreshSession()
            }
            return try await client.refreshSession(insteadOf: old)
        }
    }

    private func user(_ process: Int) {
        call(process) { client in
            try await client.user()
            return nil
        }
    }

    private func signIn(_ process: Int, _ email: String) {
        let (client, run, world) = (world.client(process), world.run(process), world)
        let wish = world.history.begin(.signIn(email: email), run)
        Task.detached {
            do {
                let session = try await client.signIn(email: email, password: "any")
                let user = session.user.id.uuidString.lowercased()
                world.history.end(wish, hasSucceeded: true, user: user)
            } catch {
                world.history.end(wish, hasSucceeded: false)
            }
        }
    }

    private func signOut(_ process: Int) {
        let (client, run, world) = (world.client(process), world.run(process), world)
        let wish = world.history.begin(.signOut, run)
        let before = world.store.refreshToken
        Task.detached {
            do {
                try await client.signOut(scope: Scheduler.shared.pick(2) == 0 ? .local : .global)
                world.history.end(wish, hasSucceeded: true)
                guard !run.isDead, world.history.wasAlone(wish), let before, let after = world.store.refreshToken,
                    world.server.issued(before)?.session == world.server.issued(after)?.session
                else { return }
                world.history.complain("a sign-out left its session in the store")
            } catch {
                world.history.end(wish, hasSucceeded: false)
            }
        }
    }

    /// Each end of a session is reported once, with its cause.
    private func listen(_ client: GatehouseClient, _ run: Incarnation) {
        let (changes, world) = (client.authStateChanges, world)
        Task.detached {
            var isSignedOut = false
            for await (event, session) in changes {
                world.history.tell("\(run) hears \(event)")
                guard case .signedOut(let reason) = event else {
                    if session != nil { isSignedOut = false }
                    continue
                }
                world.history.judge(reason, run, world.server)
                if isSignedOut, reason != .storeDamaged, !run.isDead { world.history.complain("signedOut twice") }
                isSignedOut = true
            }
        }
    }
}

// Events around the app.
extension Schedule {
    private mutating func restart(_ process: Int) throws {
        reasonsToRefresh += 1
        world.history.tell("\(world.run(process)) ends")
        try world.crash(process)
        listen(world.client(process), world.run(process))
    }

    private func endAtServer() {
        guard let token = world.store.refreshToken else { return }
        let server = world.server
        Task.detached {
            do { try await server.end(token) } catch { server.complain("the database failed: \(error)") }
        }
    }

    /// For later use.
    private func steal() {
        if let token = world.store.refreshToken { stolen.update { $0.append(token) } }
        guard pick(2) == 0, let token = stolen.value.first else { return }
        let server = world.server
        Task.detached {
            do { try await server.steal(token) } catch { server.complain("the database failed: \(error)") }
        }
    }
}

// The end, without faults.
extension Schedule {
    private mutating func finish() throws {
        // The next refresh may end a stolen family, and the one after a thief's must.
        for round in 0..<2 {
            pass(3_601)
            if round == 1 { for process in ExploredWorld.processes { try restart(process) } }
            let expected = world.store.refreshToken.flatMap(world.server.issued)
            let mayEnd = expected.map { world.server.hasEnded($0.session) || world.server.isStolen($0.session) } ?? true
            for process in ExploredWorld.processes { checkAtRest(process, round, expected, mayEnd) }
            Scheduler.shared.run()
        }
        if seed.isMultiple(of: 4) { checkLockStep() } else { checkTheft() }
    }

    private func checkLockStep() {
        guard let current = world.store.refreshToken, let issued = world.server.issued(current),
            !world.server.hasEnded(issued.session), !world.server.isStolen(issued.session)
        else { return }
        let world = world
        let thief = LockStepThief(world.server, clock: world.clock, isStrict: seed.isMultiple(of: 8))
        Task.detached {
            do {
                if let complaint = try await thief.complaint(from: current) { world.history.complain(complaint) }
            } catch {
                world.history.complain("the database failed: \(error)")
            }
        }
        Scheduler.shared.run()
    }

    private func checkAtRest(_ process: Int, _ round: Int, _ expected: ExploredServer.Issued?, _ mayEnd: Bool) {
        let world = world
        call(process) { try await $0.session }
        guard round == 1, !mayEnd, let expected else { return }
        let client = world.client(process)
        Task.detached {
            do {
                let user = try await client.session.user.id.uuidString.lowercased()
                if user != expected.user { world.history.complain("another person is signed in after a start") }
            } catch {
                world.history.complain("a good session is lost after a start: \(error)")
            }
        }
    }

    /// RFC 9700 §4.14.2: a token two behind, used by a thief, ends the family.
    private func checkTheft() {
        guard let current = world.store.refreshToken, let issued = world.server.issued(current),
            !world.server.hasEnded(issued.session), !world.server.isStolen(issued.session),
            let old = world.server.token(of: issued.session, counter: issued.counter - 2)
        else { return }
        world.clock.advance(by: .seconds(11))
        let world = world
        Task.detached {
            do {
                try await world.server.steal(old)
                if try await world.server.buysAnother(current) {
                    world.history.complain("a stolen token left its family alive")
                }
            } catch {
                world.history.complain("the database failed: \(error)")
            }
        }
        Scheduler.shared.run()
    }
}

/// A value that tasks share.
final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock { $0 } }
    func update(_ change: (inout Value) -> Void) { state.withLock { change(&$0) } }
}
