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
        let door = try DevDoor()
        let answer = try await door.post("/dev/apple/notify", json: ["person": "hidden", "event": .string(event)])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.json["status"] == 200)
        let sent = try #require(door.posted.all.first)
        #expect(sent.url == door.apple.notificationEndpoint)
        #expect(sent.json.objectValue?.keys.sorted() == ["payload"])
        let claims = try await door.claims(of: sent.json["payload"]?.stringValue, DevDoor.appleKeys)
        #expect(claims["iss"] == .string(door.apple.issuer))
        #expect(claims["aud"] == .string(door.apple.apps[0]))
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
        let door = try DevDoor()
        let credential = try await door.appleCredential()
        let answer = try await door.post("/dev/apple/notify", json: ["person": "verified", "event": "account-delete"])
        #expect(answer["sub"] == credential["user"])
    }

    @Test("A revoked consent at Apple ends the client's tokens, a deleted account all of them")
    func consequences() async throws {
        let door = try DevDoor()
        let token = try await door.appleToken(code: door.appleCode())["refresh_token"]
        func notify(_ event: String, _ client: String) async throws {
            let answer = try await door.post(
                "/dev/apple/notify",
                json: ["person": "verified", "event": .string(event), "client_id": .string(client)])
            #expect(answer.status == 200)
        }
        try await notify("consent-revoked", door.apple.apps[0])
        #expect(try await door.appleRefresh(token).status == 200)
        try await notify("consent-revoked", door.apple.webClient)
        #expect(try await door.appleRefresh(token).error == "invalid_grant")
        let later = try await door.appleToken(code: door.appleCode())["refresh_token"]
        try await notify("account-delete", door.apple.apps[0])
        #expect(try await door.appleRefresh(later).error == "invalid_grant")
    }

    @Test("Each notification has its own id")
    func ids() async throws {
        let door = try DevDoor()
        for _ in 0..<2 {
            _ = try await door.post("/dev/apple/notify", json: ["person": "hidden", "event": "email-disabled"])
        }
        var ids: [AnyJSON?] = []
        for sent in door.posted.all {
            ids.append(try await door.claims(of: sent.json["payload"]?.stringValue, DevDoor.appleKeys)["jti"])
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
        ] as [(AnyJSON, String)])
    func refuses(_ json: AnyJSON, _ error: String) async throws {
        let door = try DevDoor()
        let answer = try await door.post("/dev/apple/notify", json: json)
        #expect(answer.status == 400)
        #expect(answer.error == error)
        #expect(door.posted.all.isEmpty)
    }

    @Test("A missing or unreachable server is reported on the page")
    func undelivered() async throws {
        let body: AnyJSON = ["person": "verified", "event": "consent-revoked"]
        let nowhere = try await DevDoor { $0.notificationEndpoint = nil }.post("/dev/apple/notify", json: body)
        #expect(nowhere.status == 409)
        let silent = try await DevDoor(postStatus: nil).post("/dev/apple/notify", json: body)
        #expect(silent.status == 502)
        #expect(silent.error == "not_delivered")
        let failing = try await DevDoor(postStatus: 500).post("/dev/apple/notify", json: body)
        #expect(failing.json["status"] == 500)
    }
}
