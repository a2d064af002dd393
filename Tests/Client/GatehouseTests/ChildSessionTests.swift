import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Child sessions of the client")
struct ChildSessionTests {
    @Test(
        "A receiver refreshes its child session with its own key, and signs out only itself",
        arguments: [false, true])
    func adopt(isBound: Bool) async throws {
        try await World.with(options: isBound ? GatehouseClient.Options() : .withoutKeys) { world in
            let session = try await world.signUp()
            let transfer = try await world.client.makeChildSession(
                name: "Scores on my watch", kind: .watch, lifetime: .seconds(86_400))
            let watch = try World(world.server)
            let text = try #require(ChildSessionTransfer(text: transfer.text))
            #expect(ChildSessionTransfer(data: transfer.data) == text)
            let adopted = try await watch.client.adopt(text)
            #expect(adopted.user.id == session.user.id && adopted.accessToken != session.accessToken)
            watch.expireToken()
            #expect(try await watch.client.user().id == session.user.id)
            let list = try await world.client.sessions()
            #expect(list.map(\.isCurrent) == [true, false])
            #expect(list[1].parentID == list[0].id && list[1].kind == .watch && list[1].isBound)
            #expect(list[1].shownName == "Scores on my watch" && list[0].kind == nil && list[0].parentID == nil)
            #expect(try await watch.client.signOut() == .revoked)
            #expect(try await world.client.sessions().count == 1)
            #expect(try await world.client.refreshSession().user.id == session.user.id)
        }
    }

    @Test("A transfer is for one receiver: another gets nothing, and the child continues if it has a key")
    func once() async throws {
        try await World.with { world in
            _ = try await world.signUp()
            let transfer = try await world.client.makeChildSession(name: "Living room", kind: .tv)
            let television = try World(world.server)
            try await television.client.adopt(transfer)
            world.server.clock.advance(by: .seconds(11))
            // Another process of a device has another key.
            let other = try World(world.server).anotherProcess()
            await #expect(throws: AuthClientError.self) { try await other.adopt(transfer) }
            #expect(try await television.client.refreshSession().refreshToken.isEmpty == false)
            let copied = try await world.client.makeChildSession(name: "Living room", kind: .tv)
            let keyless = try World(world.server, options: .withoutKeys)
            try await keyless.client.adopt(copied)
            world.server.clock.advance(by: .seconds(11))
            let thief = try World(world.server, options: .withoutKeys)
            let error = await #expect(throws: AuthClientError.self) { try await thief.client.adopt(copied) }
            #expect(error?.code == .refreshTokenAlreadyUsed)
            await #expect(throws: AuthClientError.self) { try await keyless.client.refreshSession() }
            #expect(try await television.client.refreshSession().refreshToken.isEmpty == false)
        }
    }

    @Test("A child cannot change the account, and ends with its parent")
    func ends() async throws {
        try await World.with { world in
            _ = try await world.signUp()
            let widget = try World(world.server)
            try await widget.client.adopt(try await world.client.makeChildSession(name: "Scores", kind: .widget))
            for change: @Sendable (GatehouseClient) async throws -> Void in [
                { _ = try await $0.makeChildSession(name: "Scores", kind: .widget) },
                { _ = try await $0.sessions() },
                { _ = try await $0.update(user: AuthUserAttributes(password: "another good one")) },
                { _ = try await $0.signOut(scope: .others) },
            ] {
                let error = await #expect(throws: AuthClientError.self) { try await change(widget.client) }
                #expect(error?.code == .childSession)
            }
            #expect(try await world.client.signOut(scope: .local) == .revoked)
            let reason = SignedOutReason.endedByServer(.sessionNotFound, because: .parentEnded)
            await #expect(throws: AuthClientError.signedOut(reason)) { try await widget.client.user() }
        }
    }

    @Test("A transfer is not printed, and other texts are none")
    func secret() throws {
        let transfer = try #require(ChildSessionTransfer(text: "gatehouse-child:1:abc"))
        var dumped = ""
        dump(transfer, to: &dumped)
        for text in ["\(transfer)", String(reflecting: transfer), dumped] { #expect(!text.contains("abc")) }
        #expect(transfer.data == Data("gatehouse-child:1:abc".utf8))
        let long = String(repeating: "a", count: 1_024)
        for text in [
            "", "abc", "gatehouse-child:1:", "gatehouse-child:2:abc", "gatehouse-child:1:a b",
            "gatehouse-child:1:" + long,
        ] {
            #expect(ChildSessionTransfer(text: text) == nil, "\(text)")
        }
        #expect(ChildSessionTransfer(data: Data([0xFF, 0xFE])) == nil)
    }
}
