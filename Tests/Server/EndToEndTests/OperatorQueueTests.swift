import AccountDomain
import AccountStore
import AuthServer
import GatehouseServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import TestSupport
import Testing

@Suite("What operators see of queues and keys")
struct OperatorQueueTests {
    private static let endpoint = WebhookEndpoint(
        name: "app", url: "https://app.example.org/events?key=hidden", secrets: [],
        kinds: Set(AccountEventKind.allCases))

    private func actions(_ server: TestServer) async throws -> [String] {
        let answer = try await server.admin(.get, "/audit?query=type:operations")
        return answer.json.arrayValue?.compactMap { $0["payload"]?["action"]?.stringValue } ?? []
    }

    @Test(
        "Mails are listed without addresses, retried and dropped, and both acts are recorded",
        arguments: TestDatabase.all)
    func outbox(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind, change: { $0.mail = MailRules() }) { server in
            _ = try await server.signUp()
            #expect(try await server.admin(.get, "/outbox").text == #"{"mails":[],"waiting":0}"#)
            server.mailbox.script(.failed(reason: "no connection"))
            _ = try await server.send(.post, "/auth/v1/recover", json: ["email": "ada@example.com"])
            _ = try await server.deliveredMails()
            let listed = try await server.admin(.get, "/outbox")
            let mail = try #require(listed["mails"]?.arrayValue?.first)
            #expect(mail["kind"] == "recovery" && mail["state"] == "queued" && mail["reason"] == "no connection")
            #expect(mail["attempts"] == 1 && mail["next_at"] != nil && mail["ended_at"] == nil)
            #expect(listed["waiting"] == 1 && listed["oldest"] != nil && !listed.text.contains("ada"))
            let id = try #require(mail["id"]?.stringValue)
            #expect(try await server.admin(.post, "/outbox/\(id)/retry").text == #"{"changed":1}"#)
            // It is due already.
            #expect(try await server.admin(.post, "/outbox/\(id)/retry").text == #"{"changed":0}"#)
            server.clock.advance(by: .seconds(1))
            #expect(try await server.admin(.delete, "/outbox/\(id.uppercased())").text == #"{"changed":1}"#)
            #expect(try await server.admin(.delete, "/outbox/\(id)").text == #"{"changed":0}"#)
            let ended = try await server.admin(.get, "/outbox?limit=1")
            #expect(ended["mails"]?.arrayValue?.first?["reason"] == "dropped" && ended["waiting"] == 0)
            #expect(try await server.deliveredMails().isEmpty)
            #expect(try await actions(server) == ["mail_dropped", "mail_retried"])
        }
    }

    @Test("Deliveries are listed and replayed, and the act is recorded", arguments: TestDatabase.all)
    func deliveries(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            #expect(try await server.admin(.get, "/deliveries").text == #"{"endpoints":[],"deliveries":[]}"#)
            let accounts = server.accounts.telling([Self.endpoint])
            _ = try await accounts.signIns.signUpAnonymously(
                metadata: [:], from: Device(userAgent: nil, address: nil), at: server.clock.now)
            let taken = try await accounts.events.takeDeliveries(to: "app", limit: 1, at: server.clock.now)
            let first = try #require(taken.first)
            try await accounts.events.report([(first, .delivered)], chances: [0.5], at: server.clock.now)
            let listed = try await server.admin(.get, "/deliveries?limit=100")["deliveries"]?.arrayValue ?? []
            #expect(Set(listed.compactMap { $0["event"]?.stringValue }) == ["user.created", "session.started"])
            let done = try #require(listed.first { $0["state"] == "delivered" })
            #expect(done["endpoint"] == "app" && done["attempts"] == 1 && done["ended_at"] != nil)
            let id = try #require(done["id"]?.stringValue)
            #expect(try await server.admin(.post, "/deliveries/\(id)/replay").text == #"{"changed":1}"#)
            #expect(try await server.admin(.post, "/deliveries/\(id)/replay").text == #"{"changed":0}"#)
            #expect(try await accounts.events.deliveryBacklog(of: "app").count == 2)
            #expect(try await actions(server) == ["delivery_replayed"])
        }
    }

    @Test("Endpoints are those of the settings, without their secrets", arguments: TestDatabase.all)
    func endpoints(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let accounts = server.accounts.telling([Self.endpoint])
            _ = try await accounts.signIns.signUpAnonymously(
                metadata: [:], from: Device(userAgent: nil, address: nil), at: server.clock.now)
            var configuration = try GivenValues.settings().hooks
            configuration.webhooks = [Self.endpoint]
            let waiting = try await EndpointStatus.all(configuration, accounts)
            #expect(waiting.map(\.waiting) == [2] && waiting.map(\.state) == ["on"])
            #expect(waiting.map(\.url) == ["https://app.example.org/events?…"])
            try await accounts.events.disable(Self.endpoint, at: server.clock.now)
            #expect(try await EndpointStatus.all(configuration, accounts).map(\.state) == ["disabled"])
        }
    }

    @Test(
        "A rotation makes a key that this node knows at once, is recorded, and shows no private key",
        arguments: TestDatabase.all)
    func keys(_ kind: TestDatabase) async throws {
        try await TestServer.with(on: kind) { server in
            let before = try await server.admin(.get, "/keys")
            let old = try #require(before["keys"]?.arrayValue?.first)
            #expect(old["alg"] == "ES256" && old["state"] == "signing" && before["configured_key_signs"] == false)
            let ada = try await server.signUp()
            server.clock.advance(by: .seconds(1))
            let after = try await server.admin(.post, "/keys/rotate")
            let keys = after["keys"]?.arrayValue ?? []
            #expect(keys.count == 2 && keys.last?["kid"] == old["kid"] && keys.last?["retired_at"] != nil)
            #expect(keys.first?["state"]?.stringValue?.hasPrefix("signing from ") == true)
            #expect(keys.last?["state"]?.stringValue?.hasPrefix("verifying until ") == true)
            #expect(try await server.admin(.get, "/keys").text == after.text)
            let kid = try #require(keys.first?["kid"]?.stringValue)
            let published = try await server.send(.get, "/auth/v1/.well-known/jwks.json")
            #expect(published.text.contains(kid))
            #expect(try await server.send(.get, "/auth/v1/user", bearer: ada.accessToken).status == 200)
            for stored in try await server.signingKeys.all() {
                let key = try JSONReader.read(Array(stored.privateKey.reveal().utf8))
                let secret = try #require(key["d"]?.stringValue)
                #expect(!after.text.contains(secret) && !before.text.contains(secret))
            }
            let entry = try await server.admin(.get, "/audit?query=action:signing_keys_rotated")
            #expect(entry.json.arrayValue?.first?["payload"]?["traits"]?["kid"]?.stringValue == kid)
        }
    }
}
