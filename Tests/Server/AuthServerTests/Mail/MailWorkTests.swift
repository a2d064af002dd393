import AccountDomain
import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import Logging
import Synchronization
import TestSupport
import Testing

@Suite("The sending of mails", .timeLimit(.minutes(5)))
struct MailWorkTests {
    private static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// The mail server does not respond about these people until released.
    private func slow(
        about people: Set<String>, on kind: TestDatabase, _ test: (TestServer, _ letGo: () -> Void) async throws -> Void
    ) async throws {
        try await TestServer.mailing(on: kind) { server in
            let isHeld = Mutex(true)
            server.mailbox.holds { mail in
                guard people.contains(mail.content.recipient.text) else { return }
                while isHeld.withLock(\.self) { await Task.yield() }
            }
            for name in ["ada", "bob", "cleo", "dan", "eve", "fay"] {
                try await server.confirmed("\(name)@example.com")
            }
            try await test(server) { isHeld.withLock { $0 = false } }
        }
    }

    private func ask(_ server: TestServer, _ names: String...) async throws {
        for name in names { _ = try await server.post("/recover", ["email": .string("\(name)@example.com")]) }
    }

    private func sent(_ server: TestServer) -> Set<String> { Set(server.mailbox.mails.map(\.content.recipient.text)) }

    @Test("A mail server that is slow with one mail delays no other of its lane", arguments: TestDatabase.all)
    func slowMail(_ kind: TestDatabase) async throws {
        try await slow(about: ["ada@example.com"], on: kind) { server, letGo in
            try await ask(server, "ada")
            let work = Task { try await server.auth.mailDelivery.workMails(.codes, logger: Self.logger) }
            while sent(server).isEmpty { await Task.yield() }
            // Queued during the first one's delivery.
            try await ask(server, "bob")
            while sent(server).count < 2 { await Task.yield() }
            letGo()
            #expect(try await work.value == 2)
            let states = try await server.accounts.mailQueue.mails(limit: 9).map(\.state)
            #expect(states == ["sent", "sent"])
        }
    }

    @Test("A lane whose mails are slow leaves a place to the others", arguments: TestDatabase.all)
    func lanes(_ kind: TestDatabase) async throws {
        let slowOnes: Set = ["ada@example.com", "bob@example.com", "cleo@example.com", "dan@example.com"]
        try await slow(about: slowOnes, on: kind) { server, letGo in
            try await ask(server, "ada", "bob", "cleo", "dan")
            let work = Task { try await server.auth.mailDelivery.workMails(.codes, logger: Self.logger) }
            while sent(server).count < 3 { await Task.yield() }
            _ = try await server.send(
                .post, "/auth/v1/invite", bearer: TestServer.secretKey, json: ["email": "new@example.com"])
            while !sent(server).contains("new@example.com") {
                _ = try await server.auth.mailDelivery.workMails(.invitations, logger: Self.logger)
            }
            #expect(sent(server).count == 4)
            letGo()
            #expect(try await work.value == 4)
            #expect(sent(server).count == 5)
        }
    }

    @Test("A node that stops gives back at once what it has not begun", arguments: TestDatabase.all)
    func stopping(_ kind: TestDatabase) async throws {
        let all = Set(["ada", "bob", "cleo", "dan", "eve", "fay"].map { "\($0)@example.com" })
        try await slow(about: all, on: kind) { server, letGo in
            try await ask(server, "ada", "bob", "cleo", "dan", "eve")
            let stops = Mutex(false)
            let work = Task {
                try await server.auth.mailDelivery.workMails(.codes, logger: Self.logger) { stops.withLock(\.self) }
            }
            while sent(server).count < 3 { await Task.yield() }
            stops.withLock { $0 = true }
            // Wakes the lane.
            try await ask(server, "fay")
            var attempts: [Int] = []
            while attempts.count < 3 {
                attempts += try await server.accounts.mailQueue.takeMails(
                    .codes, limit: 9, lease: .seconds(60), at: server.clock.now
                ).map(\.attempt)
            }
            // Three are still on their way, and the others had no attempt.
            #expect(attempts == [1, 1, 1])
            #expect(sent(server).count == 3)
            letGo()
            #expect(try await work.value == 5)
            let states = try await server.accounts.mailQueue.mails(limit: 9).map(\.state)
            #expect(states.count { $0 == "sent" } == 3 && states.count { $0 == "queued" } == 3)
        }
    }
}
