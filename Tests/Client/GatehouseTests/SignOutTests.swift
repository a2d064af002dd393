import Foundation
import Gatehouse
import GatehouseWire
import TestSupport
import Testing

@Suite("Signing out, and over")
struct SignOutTests {
    @Test("A refresh that lands after sign-out changes nothing")
    func lateRefresh() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            world.expireToken()
            world.network.hold()
            let caller = Task { try await world.client.session }
            await until { world.network.heldCount == 1 }
            let end = Task { try await world.client.signOut() }
            await #expect(throws: AuthClientError.signedOut(.requested)) { try await caller.value }
            world.network.release()
            #expect(try await end.value == .revoked)
            #expect(await storage.contents.isEmpty)
            #expect(await world.client.state == .signedOut(.requested))
        }
    }

    @Test("A refresh that lands after another user's sign-in changes nothing")
    func accountSwitch() async throws {
        try await World.with { world in
            try await world.signUp()
            let bob = try await world.server.signUp("bob@example.com")
            world.expireToken()
            world.network.hold()
            let caller = Task { try await world.client.session }
            await until { world.network.heldCount == 1 }
            let change = Task { try await world.client.signIn(email: "bob@example.com", password: TestServer.password) }
            await until { world.network.heldCount == 2 }
            world.network.release()
            let session = try await change.value
            #expect(session.user.id.uuidString.lowercased() == bob.userID)
            let answer = await caller.result
            if case .success(let theirs) = answer { #expect(theirs.user.email == "ada@example.com") }
            #expect(await world.client.currentUser?.id == session.user.id)
            #expect(try await world.anotherProcess().session.user.id == session.user.id)
        }
    }

    @Test("A sign-in that lands after a later sign-out signs nobody in")
    func lateSignIn() async throws {
        try await World.with { world in
            try await world.signUp()
            world.network.hold()
            let signIn = Task { try await world.client.signIn(email: "ada@example.com", password: TestServer.password) }
            await until { world.network.heldCount == 1 }
            let signOut = Task { try await world.client.signOut() }
            await until { world.network.heldCount == 2 }
            world.network.release()
            await #expect(throws: AuthClientError.signedOut(.requested)) { try await signIn.value }
            #expect(try await signOut.value == .revoked)
            #expect(try await world.anotherProcess().state == .signedOut(.neverSignedIn))
        }
    }

    @Test("Without a network the user is signed out locally", arguments: [true, false])
    func offline(_ isExpired: Bool) async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            if isExpired { world.expireToken() }
            world.network.stay(.isDown)
            let outcome = try await world.client.signOut()
            #expect(outcome == .notRevoked(.offline(.noAnswer("GatehouseTests.ConnectionLost 1"))))
            #expect(await world.client.state == .signedOut(.requested))
            #expect(await storage.contents.isEmpty)
        }
    }

    @Test("An expired token does not keep the server's session alive")
    func expired() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            world.expireToken()
            #expect(try await world.client.signOut(scope: .local) == .revoked)
            #expect(try await world.server.refresh(first.refreshToken).code == "refresh_token_not_found")
        }
    }

    @Test("A store that keeps the session reports it, and the user is signed out until the next start")
    func storeKeeps() async throws {
        let storage = StorageThatCannotSave()
        try await World.with(storage: storage) { world in
            try await world.signUp()
            await storage.refuse("token")
            await #expect(throws: AuthClientError.storeFailed("GatehouseTests.DiskFull 1")) {
                try await world.client.signOut()
            }
            #expect(await world.client.state == .signedOut(.requested))
        }
    }

    @Test("Ending the other sessions leaves this one")
    func others() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let other = try await world.server.signIn()
            try await world.client.signOut(scope: .others)
            #expect(await world.client.currentSession == first)
            let theirs = other["refresh_token"]?.stringValue ?? ""
            #expect(try await world.server.refresh(theirs).code == "refresh_token_not_found")
        }
    }

    @Test("Every listener gets every event, in order, and a slow one blocks no other")
    func listeners() async throws {
        try await World.with { world in
            let slow = world.client.authStateChanges
            var listeners: [Listener] = []
            for _ in 0..<10 { listeners.append(await Listener(to: world.client)) }
            try await world.signUp()
            world.server.clock.advance(by: .seconds(60))
            try await world.client.refreshSession()
            try await world.client.update(user: AuthUserAttributes(data: ["name": "Ada"]))
            try await world.client.signOut()
            try await world.client.signOut()
            let expected: [AuthEvent] = [
                .initialSession, .signedIn, .tokenRefreshed, .userUpdated, .signedOut(.requested),
            ]
            for listener in listeners {
                await listener.waits(for: 5)
                #expect(await listener.events == expected)
                #expect(await listener.sessions.last == .some(nil))
            }
            var first: AuthEvent?
            for await (event, _) in slow {
                first = event
                break
            }
            #expect(first == .initialSession)
        }
    }

    @Test("The client can be called from within a listener")
    func reentrant() async throws {
        try await World.with { world in
            let changes = world.client.authStateChanges
            let seen = Task {
                for await (event, _) in changes where event == .signedIn { return try await world.client.session }
                throw ConnectionLost()
            }
            await until { await world.client.state == .signedOut(.neverSignedIn) }
            let listener = await Listener(to: world.client)
            let session = try await world.signUp()
            await listener.waits(for: 2)
            #expect(try await seen.value == session)
        }
    }
}
