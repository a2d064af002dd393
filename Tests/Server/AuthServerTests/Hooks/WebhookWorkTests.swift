import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import Synchronization
import TestSupport
import Testing

@Suite("The delivery of events", .timeLimit(.minutes(5)))
struct WebhookWorkTests {
    private static let endpoint = TestHooks.webhook("app", [.userCreated])
    private static let hooks = TestHooks(webhooks: [endpoint])

    private func leased(_ server: TestServer) async throws -> [Int] {
        let taken = try await server.accounts.events.takeDeliveries(to: "app", limit: 10, at: server.clock.now)
        return taken.map(\.attempt)
    }

    @Test("A node that stops gives back what it has not sent", arguments: TestDatabase.all)
    func stopping(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: Self.hooks) { server in
            for email in ["ada@example.com", "bob@example.com"] { _ = try await server.signUp(email) }
            _ = try await server.auth.events.deliverEvents(to: Self.endpoint) { true }
            #expect(server.receiver.calls.isEmpty)
            // Not held by the lease, and without an attempt.
            #expect(try await leased(server) == [1, 1])
        }
    }

    @Test("A receiver that is slow with one event delays no other", arguments: TestDatabase.all)
    func slowEvent(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: Self.hooks) { server in
            let isHeld = Mutex(true)
            server.receiver.answers { call in
                let isOfAda = call.json["data"]?["user"]?["email"] == "ada@example.com"
                while isOfAda, isHeld.withLock(\.self) { await Task.yield() }
                return (204, [:])
            }
            _ = try await server.signUp()
            let work = Task { try await server.auth.events.deliverEvents(to: Self.endpoint) }
            while server.receiver.calls.isEmpty { await Task.yield() }
            // Stored during the first one's delivery.
            _ = try await server.signUp("bob@example.com")
            while server.receiver.calls.count < 2 { await Task.yield() }
            isHeld.withLock { $0 = false }
            #expect(try await work.value == 2)
            #expect(try await server.accounts.events.waitingDeliveries().isEmpty)
        }
    }

    @Test("What is delivered counts while others wait for a slow receiver", arguments: TestDatabase.all)
    func reportedMeanwhile(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: Self.hooks) { server in
            let isHeld = Mutex(true)
            let isNext = Mutex(true)
            server.receiver.answers { _ in
                let isFirst = isNext.withLock { isNext in
                    defer { isNext = false }
                    return isNext
                }
                while !isFirst, isHeld.withLock(\.self) { await Task.yield() }
                return (204, [:])
            }
            for number in 0..<31 { _ = try await server.signUp("p\(number)@example.com") }
            let work = Task { try await server.auth.events.deliverEvents(to: Self.endpoint) }
            while server.receiver.calls.count < 17 { await Task.yield() }
            // Wakes the worker, which has items left to begin.
            _ = try await server.signUp("bob@example.com")
            while try await server.accounts.events.waitingDeliveries().first?.count != 31 { await Task.yield() }
            isHeld.withLock { $0 = false }
            #expect(try await work.value == 32)
            #expect(try await server.accounts.events.waitingDeliveries().isEmpty)
        }
    }

    @Test("An answer 410 disables the endpoint, and no other call begins after it", arguments: TestDatabase.all)
    func gone(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: Self.hooks) { server in
            let holds = Mutex(true)
            let isNext = Mutex(true)
            server.receiver.answers { _ in
                let isFirst = isNext.withLock { isNext in
                    defer { isNext = false }
                    return isNext
                }
                while !isFirst, holds.withLock(\.self) { await Task.yield() }
                return (isFirst ? 410 : 204, [:])
            }
            for number in 0..<40 {
                _ = try await server.signUp("p\(number)@example.com")
                server.clock.advance(by: .milliseconds(1))
            }
            let work = Task { try await server.auth.events.deliverEvents(to: Self.endpoint) }
            while try await !server.accounts.events.isDisabled(Self.endpoint) { await Task.yield() }
            holds.withLock { $0 = false }
            #expect(try await work.value == 40)
            #expect(server.receiver.calls.count == 16)
            while try await server.auth.events.deliverEvents(to: Self.endpoint) > 0 {}
            #expect(server.receiver.calls.count == 16)
            let states = try await server.accounts.events.deliveries(limit: 50).map(\.state)
            #expect(states.count { $0 == "delivered" } == 15 && states.count { $0 == "failed" } == 25)
        }
    }

    @Test("A call that the end of a node cuts off is repeated at once", arguments: TestDatabase.all)
    func cutOff(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, hooks: Self.hooks) { server in
            _ = try await server.signUp()
            let (begun, report) = AsyncStream<Void>.makeStream()
            server.receiver.answers { _ in
                report.yield()
                for await _ in AsyncStream<Never>.makeStream().stream {}
                throw CancellationError()
            }
            let work = Task { try await server.auth.events.deliverEvents(to: Self.endpoint) }
            for await _ in begun { break }
            work.cancel()
            _ = try await work.value
            #expect(try await leased(server) == [2])
        }
    }
}
