import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Apple's credential for an app on a device")
struct AppleNativeTests {
    @Test("It has the members of Apple's own; name and address come once (E8)")
    func credential() async throws {
        let door = try DevDoor()
        let first = try await door.appleCredential()
        #expect(first.status == 200, "\(first)")
        #expect(first.json["fullName"] == ["givenName": "Verified", "familyName": "Example"])
        #expect(first["email"] == "verified@example.com")
        let claims = try await door.claims(of: first["identityToken"], DevDoor.appleKeys)
        #expect(claims["aud"] == .string(door.apple.apps[0]))
        #expect(claims["sub"]?.stringValue == first["user"])
        #expect(claims["nonce"] == "nonce-n", "as it was given: the app has hashed it")
        #expect(claims["c_hash"] == .string(halfHash(first["authorizationCode"] ?? "")))
        #expect(claims["real_user_status"] == 2)
        #expect(claims["email_verified"] == "true", "the other spelling that Apple uses")
        let second = try await door.appleCredential()
        #expect(second.json["fullName"] == nil)
        #expect(second.json["email"] == nil)
        let again = try await door.claims(of: second["identityToken"], DevDoor.appleKeys)
        #expect(again["email"] == "verified@example.com")
        #expect(second["user"] == first["user"])
    }

    @Test("The code is exchanged under the bundle id, without a redirect address")
    func code() async throws {
        let door = try DevDoor()
        let app = door.apple.apps[0]
        let code = try await door.appleCredential()["authorizationCode"] ?? ""
        #expect(try await door.appleToken(code: code, client: app).error == "invalid_grant", "it names one")
        #expect(try await door.appleToken(code: code, ["redirect_uri": nil]).error == "invalid_grant")
        let answer = try await door.appleToken(code: code, client: app, ["redirect_uri": nil])
        #expect(answer.status == 200, "\(answer)")
        let claims = try await door.claims(of: answer["id_token"], DevDoor.appleKeys)
        #expect(claims["aud"] == .string(app))
        #expect(try await door.revokeAtApple(answer["refresh_token"], client: app).status == 200)
        #expect(try await door.appleCredential().json["fullName"] != nil)
    }

    @Test("Each person behaves as the title says")
    func people() async throws {
        let door = try DevDoor()
        let hidden = try await door.appleCredential(["person": "hidden"])
        let claims = try await door.claims(of: hidden["identityToken"], DevDoor.appleKeys)
        #expect(claims["is_private_email"] == "true")
        #expect(hidden["email"]?.hasSuffix("@privaterelay.appleid.com") == true)
        let bare = try await door.appleCredential(["person": "no-address"])
        #expect(bare.json["email"] == nil)
        #expect(bare.json["fullName"] != nil)
        let typed = try await door.appleCredential(["person": "existing", "email": "ada@example.com"])
        #expect(typed["email"] == "ada@example.com")
        let wrong = try await door.appleCredential(["person": "wrong-nonce"])
        #expect(try await door.claims(of: wrong["identityToken"], DevDoor.appleKeys)["nonce"] != "nonce-n")
        let cancelled = try await door.appleCredential(["person": "cancels"])
        #expect(cancelled.status == 400)
        #expect(cancelled.error == "user_cancelled_authorize")
        #expect(try await door.appleCredential(["person": "provider-error"]).status == 503)
        #expect(try await door.appleCredential(["person": "slow"]).status == 200)
        #expect(door.waits.all == [.seconds(5)])
    }

    @Test("A client without a sheet, an unknown client and a body that is not JSON are refused")
    func refuses() async throws {
        let door = try DevDoor()
        let web = try await door.appleCredential(["client_id": .string(door.apple.webClient)])
        #expect(web.status == 400)
        #expect(web.error == "invalid_client")
        #expect(try await door.appleCredential(["person": "nobody"]).error == "invalid_request")
        #expect(try await door.appleCredential(["nonce": 7]).status == 400)
        #expect(try await door.send(.post, "/dev/apple/native-credential", body: "person=verified").status == 400)
    }

    @Test(
        "Another website cannot press the buttons",
        arguments: [
            "/dev/apple/native-credential", "/dev/apple/notify", "/dev/apple/rotate-keys",
            "/dev/google/native-credential", "/dev/google/rotate-keys",
        ])
    func foreignOrigin(_ path: String) async throws {
        let door = try DevDoor()
        let body: AnyJSON = ["person": "verified", "event": "consent-revoked"]
        for origin in ["https://attacker.example", "null"] {
            let answer = try await door.post(path, json: body, headers: [.origin: origin])
            #expect(answer.status == 403)
        }
        #expect(door.posted.all.isEmpty)
        #expect(try await door.post(path, json: body, headers: [.origin: DevDoor.external]).status == 200)
    }
}
