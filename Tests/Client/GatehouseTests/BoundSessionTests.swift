import AuthServer
import Foundation
import Gatehouse
import GatehouseWire
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite("Sessions bound to a key of the device")
struct BoundSessionTests {
    @Test("A sign-in binds the session to a new key, whose proof each refresh has")
    func bound() async throws {
        try await World.with { world in
            let session = try await world.signUp()
            let key = try #require(session.key)
            #expect(try await world.storedKey() == key)
            world.expireToken()
            let refreshed = try await world.client.session
            #expect(refreshed.key == key && refreshed.accessToken != session.accessToken)
            #expect(world.network.calls.last?.headers["dpop"] != nil)
            #expect(try await world.client.sessions().map(\.isBound) == [true])
        }
    }

    @Test("A thief with the refresh token, new or old, enters nowhere and ends nothing")
    func thief() async throws {
        try await World.with { world in
            let first = try await world.signUp()
            let thief = try world.anotherProcess(on: MemoryStorage())
            for token in [first.refreshToken, try await world.client.refreshSession().refreshToken] {
                await #expect(throws: AuthClientError.refused(.unproven)) {
                    try await thief.setSession(accessToken: "", refreshToken: token)
                }
            }
            let third = try await world.client.refreshSession()
            await #expect(throws: AuthClientError.refused(.unproven)) {
                try await thief.setSession(accessToken: "", refreshToken: first.refreshToken)
            }
            world.expireToken()
            #expect(try await world.client.session.user.id == third.user.id)
        }
    }

    @Test("A session without a key gets one at its next refresh, once")
    func migration() async throws {
        try await World.with(options: .withoutKeys) { world in
            let old = try await world.signUp()
            #expect(old.key == nil)
            #expect(try await world.storedKey() == nil)
            let updated = try world.anotherProcess(on: nil, GatehouseClient.Options())
            world.expireToken()
            let key = try #require(try await updated.session.key)
            world.expireToken()
            #expect(try await updated.session.key == key)
            #expect(try await world.storedKey() == key)
        }
    }

    @Test("A client that makes no keys keeps a bound session")
    func off() async throws {
        try await World.with { world in
            let key = try await world.signUp().key
            world.expireToken()
            #expect(try await world.anotherProcess(on: nil, .withoutKeys).session.key == key)
        }
    }

    @Test("If the response that binds a session is lost, the next process has the key")
    func lostResponse() async throws {
        try await World.with(options: .withoutKeys) { world in
            try await world.signUp()
            world.expireToken()
            world.network.stay(.losesAnswers)
            let updated = try world.anotherProcess(on: nil, GatehouseClient.Options())
            await #expect(throws: AuthClientError.self) { try await updated.session }
            let key = try #require(try await world.storedKey())
            world.network.clear()
            #expect(try await world.anotherProcess(on: nil, GatehouseClient.Options()).session.key == key)
        }
    }

    @Test("A process with the session in memory takes the key that another one stored")
    func adopted() async throws {
        try await World.with(options: .withoutKeys) { world in
            try await world.signUp()
            let (app, widget) = (
                try world.anotherProcess(on: nil, GatehouseClient.Options()),
                try world.anotherProcess(on: nil, GatehouseClient.Options())
            )
            _ = try await (app.session, widget.session)
            world.expireToken()
            world.network.stay(.losesAnswers)
            await #expect(throws: AuthClientError.self) { try await app.session }
            world.network.clear()
            let key = try #require(try await world.storedKey())
            #expect(try await widget.session.key == key)
            #expect(try await app.session.key == key)
        }
    }

    @Test("A clock that is a day wrong costs one request with the server's nonce", arguments: [-86_400, 86_400])
    func wrongClock(_ seconds: Int64) async throws {
        try await World.with { world in
            world.device.setClock(ahead: .seconds(seconds))
            let key = try await world.signUp().key
            #expect(key != nil && world.network.calls.count == 2)
            world.expireToken()
            #expect(try await world.client.session.key == key)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("Many refreshes in one second succeed")
    func often() async throws {
        try await World.with { world in
            let key = try await world.signUp().key
            for _ in 0..<30 { #expect(try await world.client.refreshSession().key == key) }
        }
    }

    @Test("Without its key the session ends here, says why, and continues where the key is")
    func keyLost() async throws {
        try await World.with { world in
            let key = try await world.signUp().key
            let copy = MemoryStorage(await world.contents())
            let keys = BrokenKeys()
            let phone = try world.anotherProcess(on: copy, keys.options)
            world.expireToken()
            keys.problem.withLock { $0 = .gone }
            await #expect(throws: AuthClientError.signedOut(.deviceKeyLost)) { try await phone.session }
            #expect(await phone.state == .signedOut(.deviceKeyLost))
            #expect(await copy.contents.isEmpty)
            #expect(try await world.client.session.key == key)
        }
    }

    @Test("A key of a locked device is missing for a while, and the session stays")
    func locked() async throws {
        try await World.with { world in
            let session = try await world.signUp()
            let keys = BrokenKeys()
            let phone = try world.anotherProcess(on: nil, keys.options)
            world.expireToken()
            let problem = StoreProblem("locked", cause: .locked)
            keys.problem.withLock { $0 = .unavailable(problem) }
            await #expect(throws: AuthClientError.storeUnavailable(problem)) { try await phone.session }
            keys.problem.withLock { $0 = nil }
            #expect(try await phone.session.user.id == session.user.id)
        }
    }

    @Test("A session that another device bound first ends here as one without its key")
    func boundElsewhere() async throws {
        try await World.with(options: .withoutKeys) { world in
            try await world.signUp()
            let copy = MemoryStorage(await world.contents())
            let (old, new) = (
                try world.anotherProcess(on: nil, GatehouseClient.Options()),
                try world.anotherProcess(on: copy, GatehouseClient.Options())
            )
            world.expireToken()
            #expect(try await old.session.key != nil)
            await #expect(throws: AuthClientError.signedOut(.deviceKeyLost)) { try await new.session }
            world.expireToken()
            #expect(try await old.session.key != nil)
        }
    }

    @Test("A lost key of a session that the server never bound is replaced")
    func replaced() async throws {
        try await World.with { world in
            world.network.withoutProofs(true)
            try await world.signUp()
            let keys = BrokenKeys()
            let phone = try world.anotherProcess(on: nil, keys.options)
            world.expireToken()
            keys.problem.withLock { $0 = .gone }
            #expect(try await phone.session.key == nil)
            #expect(try await world.storedKey() == nil)
            keys.problem.withLock { $0 = nil }
            world.network.withoutProofs(false)
            world.expireToken()
            #expect(try await phone.session.key != nil)
        }
    }

    @Test("A server that knows itself by another URL signs in without a key, and is asked once")
    func otherURL() async throws {
        try await World.with { world in
            let client = try world.client(at: "http://127.0.0.1:1234/auth/v1")
            #expect(
                try await client.signUp(email: "ada@example.com", password: TestServer.password).session?.key == nil)
            #expect(world.network.calls.count == 2)
            world.expireToken()
            #expect(try await client.session.key == nil)
            #expect(world.network.refreshCount == 1)
        }
    }

    @Test("A copied access token reads, but changes nothing without the key")
    func copiedAccessToken() async throws {
        try await World.with { world in
            let token = try await world.signUp().accessToken
            let read = try await world.server.send(.get, "/auth/v1/user", bearer: token)
            #expect(read.status == 200)
            let refused = try await world.server.send(
                .put, "/auth/v1/user", bearer: token, json: ["password": "another password"])
            #expect(refused.status == 400 && refused.json["error"]?.stringValue == "invalid_dpop_proof")
            let linking = try await world.server.send(
                .get, "/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true", bearer: token)
            #expect(linking.status == 400 && linking.json["error"]?.stringValue == "invalid_dpop_proof")
            try await world.client.update(user: AuthUserAttributes(password: "another password"))
            #expect(try await world.server.send(.post, "/auth/v1/logout", bearer: token).status == 204)
        }
    }

    @Test("A proof for another access token changes nothing")
    func otherAccessToken() async throws {
        try await World.with { world in
            let old = try await world.signUp().accessToken
            let new = try await world.client.refreshSession().accessToken
            try await world.client.update(user: AuthUserAttributes(data: ["mood": "calm"]))
            var call = try #require(world.network.calls.last)
            #expect(call.headers["authorization"] == "Bearer \(new)")
            call.headers["authorization"] = "Bearer \(old)"
            #expect(try await world.network.transport(call).status == 400)
        }
    }

    @Test("If the response that bound the session is lost, the old access token still changes the account")
    func changeAfterLostResponse() async throws {
        try await World.with(options: .withoutKeys) { world in
            try await world.signUp()
            let updated = try world.anotherProcess(on: nil, GatehouseClient.Options())
            world.network.stay(.losesAnswers)
            await #expect(throws: AuthClientError.self) { try await updated.refreshSession() }
            world.network.clear()
            try await updated.update(user: AuthUserAttributes(data: ["mood": "calm"]))
        }
    }

    @Test("From the date on which keys are required, clients without them are refused, and their sessions stay")
    func required() async throws {
        let date = Instant(seconds: 1_767_225_600 + 86_400)
        try await TestServer.with(change: { $0.keysRequiredFrom = date }) { server in
            let old = try World(server, options: .withoutKeys)
            let session = try await old.signUp()
            server.clock.advance(by: .seconds(86_400))
            let refused = await #expect(throws: AuthClientError.self) { try await old.client.session }
            #expect(refused?.code == .invalidProof)
            await #expect(throws: AuthClientError.self) { try await old.signUp("ben@example.com") }
            #expect(await old.client.currentSession?.user.id == session.user.id)
            let updated = try old.anotherProcess(on: nil, GatehouseClient.Options())
            #expect(try await updated.session.key != nil)
            let new = try World(server)
            #expect(try await new.signUp("eva@example.com").key != nil)
        }
    }

    @Test("A sign-out with an expired token still revokes the session")
    func signOut() async throws {
        try await World.with { world in
            try await world.signUp()
            world.expireToken()
            #expect(try await world.client.signOut() == .revoked)
        }
    }

    @Test("Each account on the device has its key")
    func accounts() async throws {
        var options = GatehouseClient.Options()
        options.allowsSeveralAccounts = true
        try await World.with(options: options) { world in
            let ada = try await world.signUp()
            let ben = try await world.signUp("ben@example.com")
            #expect(ada.key != nil && ben.key != nil && ada.key != ben.key)
            world.expireToken()
            try await world.client.use(account: ada.user.id)
            #expect(try await world.client.session.key == ada.key)
            try await world.client.use(account: ben.user.id)
            #expect(try await world.client.session.key == ben.key)
        }
    }

    @Test("A client returns to a replaced session, or ends it, with the key that it had")
    func replacedSession() async throws {
        try await World.with { world in
            let ada = try await world.signUp()
            let second = try await world.client.signIn(email: "ada@example.com", password: TestServer.password)
            #expect(second.key != ada.key)
            #expect(try await world.client.setSession(accessToken: "", refreshToken: ada.refreshToken).key == ada.key)
            try await world.client.end(second)
            #expect(try await world.client.sessions().count == 1)
        }
    }

    @Test("No key is printed")
    func unprinted() throws {
        let key = try #require(DeviceKeys(.software) { Array(repeating: 1, count: $0) }.make())
        var text = ""
        dump(key, to: &text)
        #expect(!text.contains(key.wrapped.reveal()) && !"\(key)".contains(key.wrapped.reveal()))
    }
}

/// Software keys that cannot be used for a while.
private final class BrokenKeys: Sendable {
    let problem = Mutex<KeyProblem?>(nil)

    var options: GatehouseClient.Options {
        var options = GatehouseClient.Options()
        let keys = DeviceKeys(.software, randomBytes: SystemDefaults.randomBytes)
        options.deviceKeys = DeviceKeys(make: keys.make) { [self] stored throws(KeyProblem) in
            if let problem = problem.withLock({ $0 }) { throw problem }
            return try keys.open(stored)
        }
        return options
    }
}

extension GatehouseClient.Options {
    static var withoutKeys: GatehouseClient.Options {
        var options = GatehouseClient.Options()
        options.sessionKeys = .off
        return options
    }
}

extension AuthSession {
    /// The thumbprint of the key that the access token names.
    fileprivate var key: String? {
        let payload = accessToken.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode(String($0)) }
        // Ignored: nil names no key.
        return payload.flatMap { try? JSONReader.read($0) }?["cnf"]?["jkt"]?.stringValue
    }
}

extension AuthRefusal {
    fileprivate static let unproven = AuthRefusal(
        status: 400, code: .invalidProof,
        message: "The session is bound to a key, and the request has no fresh proof of it")
}

extension World {
    /// The thumbprint of the stored session's key.
    fileprivate func storedKey() async throws -> String? {
        guard case .value(let bytes) = await storage.read("gatehouse.refresh-token") else { return nil }
        return try JSONReader.read(bytes)["key"]?["thumbprint"]?.stringValue
    }

    fileprivate func contents() async -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for key in ["gatehouse.refresh-token", "gatehouse.access-token"] {
            if case .value(let bytes) = await storage.read(key) { contents[key] = bytes }
        }
        return contents
    }
}
