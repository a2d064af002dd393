import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Apple's notifications")
struct AppleNotificationTests {
    @Test(
        "A notification is signed with the published keys and has its events as text",
        arguments: [
            "email-disabled", "email-enabled", "consent-revoked", "account-delete",
        ])
    func signed(_ event: String) async throws {
        let router = try DevRouter()
        let answer = try await router.post("/dev/apple/notify", json: ["person": "hidden", "event": .string(event)])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.json["status"] == 200)
        let sent = try #require(router.posted.all.first)
        #expect(sent.url == router.apple.notificationEndpoint)
        #expect(sent.json.objectValue?.keys.sorted() == ["payload"])
        let claims = try await router.claims(of: sent.json["payload"]?.stringValue, DevRouter.appleKeys)
        #expect(claims["iss"] == .string(router.apple.issuer))
        #expect(claims["aud"] == .string(router.apple.apps[0]))
        #expect(claims["jti"]?.stringValue?.isEmpty == false)
        let events = try JSONReader.read(try #require(claims["events"]?.stringValue))
        #expect(events["type"]?.stringValue == event)
        #expect(events["sub"]?.stringValue == answer["sub"])
        #expect(events["event_time"]?.intValue == TestTimes.start * 1_000)
        let isAboutAddress = event.hasPrefix("email")
        #expect(events["email"]?.stringValue == (isAboutAddress ? "h1dd3n4ddr@privaterelay.appleid.com" : nil))
        #expect(events["is_private_email"] == (isAboutAddress ? "true" : nil))
    }

    @Test("The subject is the one of the sign-in")
    func sameSubject() async throws {
        let router = try DevRouter()
        let credential = try await router.appleCredential()
        let answer = try await router.post(
            "/dev/apple/notify", json: ["person": "verified", "event": "account-delete"])
        #expect(answer["sub"] == credential["user"])
    }

    @Test("A revoked consent at Apple ends the client's tokens, a deleted account all of them")
    func consequences() async throws {
        let router = try DevRouter()
        let token = try await router.appleToken(code: router.appleCode())["refresh_token"]
        func notify(_ event: String, _ client: String) async throws {
            let answer = try await router.post(
                "/dev/apple/notify",
                json: ["person": "verified", "event": .string(event), "client_id": .string(client)])
            #expect(answer.status == 200)
        }
        try await notify("consent-revoked", router.apple.apps[0])
        #expect(try await router.appleRefresh(token).status == 200)
        try await notify("consent-revoked", router.apple.webClient)
        #expect(try await router.appleRefresh(token).error == "invalid_grant")
        let later = try await router.appleToken(code: router.appleCode())["refresh_token"]
        try await notify("account-delete", router.apple.apps[0])
        #expect(try await router.appleRefresh(later).error == "invalid_grant")
    }

    @Test("Each notification has its own id")
    func ids() async throws {
        let router = try DevRouter()
        for _ in 0..<2 {
            _ = try await router.post("/dev/apple/notify", json: ["person": "hidden", "event": "email-disabled"])
        }
        var ids: [AuthJSON?] = []
        for sent in router.posted.all {
            ids.append(try await router.claims(of: sent.json["payload"]?.stringValue, DevRouter.appleKeys)["jti"])
        }
        #expect(Set(ids).count == 2)
    }

    @Test(
        "A notification that Apple would not send is refused",
        arguments: [
            (["person": "nobody", "event": "consent-revoked"], "invalid_request"),
            (["event": "consent-revoked"], "invalid_request"),
            (["person": "verified"], "invalid_request"),
            (["person": "verified", "event": "party"], "invalid_request"),
            (["person": "verified", "event": "email-disabled"], "invalid_request"),
            (["person": "existing", "event": "account-delete"], "invalid_request"),
            (["person": "verified", "event": "account-delete", "client_id": "com.example.other"], "invalid_client"),
        ] as [(AuthJSON, String)])
    func refuses(_ json: AuthJSON, _ error: String) async throws {
        let router = try DevRouter()
        let answer = try await router.post("/dev/apple/notify", json: json)
        #expect(answer.status == 400)
        #expect(answer.error == error)
        #expect(router.posted.all.isEmpty)
    }

    @Test("A missing or unreachable server is reported on the page")
    func undelivered() async throws {
        let body: AuthJSON = ["person": "verified", "event": "consent-revoked"]
        let nowhere = try await DevRouter { $0.notificationEndpoint = nil }.post("/dev/apple/notify", json: body)
        #expect(nowhere.status == 409)
        let silent = try await DevRouter(postStatus: nil).post("/dev/apple/notify", json: body)
        #expect(silent.status == 502)
        #expect(silent.error == "not_delivered")
        let failing = try await DevRouter(postStatus: 500).post("/dev/apple/notify", json: body)
        #expect(failing.json["status"] == 500)
    }
}
