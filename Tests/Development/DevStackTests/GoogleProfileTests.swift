import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Google's profile, revocation and native tokens")
struct GoogleProfileTests {
    @Test("Without a valid access token there is no profile")
    func refusals() async throws {
        let router = try DevRouter()
        let none = try await router.userInfo(nil)
        #expect(none.status == 401)
        #expect(none.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
        let tokens = try await router.googleToken(code: router.googleCode("verified", ["access_type": "offline"]))
        for token in ["made-up", tokens["refresh_token"], tokens["id_token"]] {
            let answer = try await router.userInfo(token)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_token")
            #expect(answer.headers[.wwwAuthenticate]?.contains(#"error="invalid_token""#) == true)
        }
        router.advance(by: .seconds(3_599))
        #expect(try await router.userInfo(tokens["access_token"]).error == "invalid_token")
    }

    @Test("The profile can also be requested by POST")
    func post() async throws {
        let router = try DevRouter()
        let token = try await router.googleToken(code: router.googleCode())["access_token"] ?? ""
        let answer = try await router.send(
            .post, "/dev/google/userinfo", headers: [.authorization: "Bearer \(token)"])
        #expect(answer["email"] == "verified@example.com")
    }

    @Test("A revoked token ends the consent and is recorded; an unknown one is refused")
    func revocation() async throws {
        let router = try DevRouter()
        let offline: [String: String?] = ["access_type": "offline"]
        let tokens = try await router.googleToken(code: router.googleCode("verified", offline))
        let answer = try await router.post("/dev/google/revoke", ["token": tokens["access_token"] ?? ""])
        #expect(answer.status == 200)
        #expect(try await router.googleRefresh(tokens["refresh_token"]).error == "invalid_grant")
        #expect(router.standIns.google.revocations.map(\.kind) == ["access_token"])
        let again = try await router.post("/dev/google/revoke", ["token": tokens["refresh_token"] ?? ""])
        #expect(again.status == 400)
        #expect(again.error == "invalid_token")
        #expect(try await router.post("/dev/google/revoke", [:]).error == "invalid_request")
        let fresh = try await router.googleToken(code: router.googleCode("verified", offline))
        #expect(fresh["refresh_token"] != nil, "a first time again")
        let inQuery = try await router.post(
            "/dev/google/revoke", query: ["token": fresh["refresh_token"] ?? ""], [:])
        #expect(inQuery.status == 200)
        let listed = try await router.get("/dev/google/revocations").json["revocations"]?.arrayValue
        #expect(listed?.count == 2)
    }

    @Test("A native ID token is for the app, or for the server with the app as authorized party")
    func native() async throws {
        let router = try DevRouter()
        let own = try await router.googleCredential()
        #expect(own.status == 200, "\(own)")
        let claims = try await router.claims(of: own["idToken"], DevRouter.googleKeys)
        #expect(claims["aud"] == .string(router.google.apps[0]))
        #expect(claims["azp"] == .string(router.google.apps[0]))
        #expect(claims["nonce"] == "nonce-n")
        #expect(claims["at_hash"] == .string(halfHash(own["accessToken"] ?? "")))
        #expect(claims["sub"]?.stringValue == own["userID"])
        #expect(own.json["profile"]?["email"] == "verified@example.com")
        #expect(try await router.userInfo(own["accessToken"]).status == 200)
        let served = try await router.googleCredential([
            "client_id": .string(router.google.apps[1]), "server_client_id": .string(router.google.webClient),
            "nonce": .null,
        ])
        let forServer = try await router.claims(of: served["idToken"], DevRouter.googleKeys)
        #expect(forServer["aud"] == .string(router.google.webClient))
        #expect(forServer["azp"] == .string(router.google.apps[1]))
        #expect(forServer["nonce"] == nil)
        #expect(forServer["sub"] == claims["sub"], "the same person at every client")
    }

    @Test("Native sign-in fails as the person's title says, and for unknown clients")
    func nativeRefusals() async throws {
        let router = try DevRouter()
        #expect(try await router.googleCredential(["person": "cancels"]).error == "access_denied")
        #expect(try await router.googleCredential(["person": "provider-error"]).status == 503)
        #expect(try await router.googleCredential(["person": "hidden"]).error == "invalid_request")
        #expect(try await router.googleCredential(["person": "existing"]).error == "invalid_request")
        let web: AuthJSON = .string(router.google.webClient)
        #expect(try await router.googleCredential(["client_id": web]).error == "invalid_client")
        #expect(try await router.googleCredential(["server_client_id": "other"]).error == "invalid_client")
        let wrong = try await router.googleCredential(["person": "wrong-nonce"])
        #expect(try await router.claims(of: wrong["idToken"], DevRouter.googleKeys)["nonce"] != "nonce-n")
    }
}
