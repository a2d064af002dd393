import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Apple's credential for an app on a device")
struct AppleNativeTests {
    @Test("It has the members of Apple's own; name and address come once (E8)")
    func credential() async throws {
        let router = try DevRouter()
        let first = try await router.appleCredential()
        #expect(first.status == 200, "\(first)")
        #expect(first.json["fullName"] == ["givenName": "Verified", "familyName": "Example"])
        #expect(first["email"] == "verified@example.com")
        let claims = try await router.claims(of: first["identityToken"], DevRouter.appleKeys)
        #expect(claims["aud"] == .string(router.apple.apps[0]))
        #expect(claims["sub"]?.stringValue == first["user"])
        #expect(claims["nonce"] == "nonce-n", "as it was given: the app has hashed it")
        #expect(claims["c_hash"] == .string(halfHash(first["authorizationCode"] ?? "")))
        #expect(claims["real_user_status"] == 2)
        #expect(claims["email_verified"] == "true", "the other spelling that Apple uses")
        let second = try await router.appleCredential()
        #expect(second.json["fullName"] == nil)
        #expect(second.json["email"] == nil)
        let again = try await router.claims(of: second["identityToken"], DevRouter.appleKeys)
        #expect(again["email"] == "verified@example.com")
        #expect(second["user"] == first["user"])
    }

    @Test("The code is exchanged under the bundle id, without a redirect address")
    func code() async throws {
        let router = try DevRouter()
        let app = router.apple.apps[0]
        let code = try await router.appleCredential()["authorizationCode"] ?? ""
        #expect(try await router.appleToken(code: code, client: app).error == "invalid_grant", "it names one")
        #expect(try await router.appleToken(code: code, ["redirect_uri": nil]).error == "invalid_grant")
        let answer = try await router.appleToken(code: code, client: app, ["redirect_uri": nil])
        #expect(answer.status == 200, "\(answer)")
        let claims = try await router.claims(of: answer["id_token"], DevRouter.appleKeys)
        #expect(claims["aud"] == .string(app))
        #expect(try await router.revokeAtApple(answer["refresh_token"], client: app).status == 200)
        #expect(try await router.appleCredential().json["fullName"] != nil)
    }

    @Test("Each person behaves as the title says")
    func people() async throws {
        let router = try DevRouter()
        let hidden = try await router.appleCredential(["person": "hidden"])
        let claims = try await router.claims(of: hidden["identityToken"], DevRouter.appleKeys)
        #expect(claims["is_private_email"] == "true")
        #expect(hidden["email"]?.hasSuffix("@privaterelay.appleid.com") == true)
        let bare = try await router.appleCredential(["person": "no-address"])
        #expect(bare.json["email"] == nil)
        #expect(bare.json["fullName"] != nil)
        let typed = try await router.appleCredential(["person": "existing", "email": "ada@example.com"])
        #expect(typed["email"] == "ada@example.com")
        let wrong = try await router.appleCredential(["person": "wrong-nonce"])
        #expect(try await router.claims(of: wrong["identityToken"], DevRouter.appleKeys)["nonce"] != "nonce-n")
        let cancelled = try await router.appleCredential(["person": "cancels"])
        #expect(cancelled.status == 400)
        #expect(cancelled.error == "user_cancelled_authorize")
        #expect(try await router.appleCredential(["person": "provider-error"]).status == 503)
        #expect(try await router.appleCredential(["person": "slow"]).status == 200)
        #expect(router.waits.all == [.seconds(5)])
    }

    @Test("A client without a sheet, an unknown client and a body that is not JSON are refused")
    func refuses() async throws {
        let router = try DevRouter()
        let web = try await router.appleCredential(["client_id": .string(router.apple.webClient)])
        #expect(web.status == 400)
        #expect(web.error == "invalid_client")
        #expect(try await router.appleCredential(["person": "nobody"]).error == "invalid_request")
        #expect(try await router.appleCredential(["nonce": 7]).status == 400)
        #expect(try await router.send(.post, "/dev/apple/native-credential", body: "person=verified").status == 400)
    }

    @Test(
        "Another website cannot press the buttons",
        arguments: [
            "/dev/apple/native-credential", "/dev/apple/notify", "/dev/apple/rotate-keys",
            "/dev/google/native-credential", "/dev/google/rotate-keys",
        ])
    func foreignOrigin(_ path: String) async throws {
        let router = try DevRouter()
        let body: AuthJSON = ["person": "verified", "event": "consent-revoked"]
        for origin in ["https://attacker.example", "null"] {
            let answer = try await router.post(path, json: body, headers: [.origin: origin])
            #expect(answer.status == 403)
        }
        #expect(router.posted.all.isEmpty)
        #expect(try await router.post(path, json: body, headers: [.origin: DevRouter.external]).status == 200)
    }
}
