import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Google's profile, revocation and native tokens")
struct GoogleProfileTests {
    @Test("Without a valid access token there is no profile")
    func refusals() async throws {
        let door = try DevDoor()
        let none = try await door.userInfo(nil)
        #expect(none.status == 401)
        #expect(none.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
        let tokens = try await door.googleToken(code: door.googleCode("verified", ["access_type": "offline"]))
        for token in ["made-up", tokens["refresh_token"], tokens["id_token"]] {
            let answer = try await door.userInfo(token)
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_token")
            #expect(answer.headers[.wwwAuthenticate]?.contains(#"error="invalid_token""#) == true)
        }
        door.advance(by: .seconds(3_599))
        #expect(try await door.userInfo(tokens["access_token"]).error == "invalid_token")
    }

    @Test("The profile can also be requested by POST")
    func post() async throws {
        let door = try DevDoor()
        let token = try await door.googleToken(code: door.googleCode())["access_token"] ?? ""
        let answer = try await door.send(
            .post, "/dev/google/userinfo", headers: [.authorization: "Bearer \(token)"])
        #expect(answer["email"] == "verified@example.com")
    }

    @Test("A revoked token ends the consent and is recorded; an unknown one is refused")
    func revocation() async throws {
        let door = try DevDoor()
        let offline: [String: String?] = ["access_type": "offline"]
        let tokens = try await door.googleToken(code: door.googleCode("verified", offline))
        let answer = try await door.post("/dev/google/revoke", ["token": tokens["access_token"] ?? ""])
        #expect(answer.status == 200)
        #expect(try await door.googleRefresh(tokens["refresh_token"]).error == "invalid_grant")
        #expect(door.standIns.google.revocations.map(\.kind) == ["access_token"])
        let again = try await door.post("/dev/google/revoke", ["token": tokens["refresh_token"] ?? ""])
        #expect(again.status == 400)
        #expect(again.error == "invalid_token")
        #expect(try await door.post("/dev/google/revoke", [:]).error == "invalid_request")
        let fresh = try await door.googleToken(code: door.googleCode("verified", offline))
        #expect(fresh["refresh_token"] != nil, "a first time again")
        let inQuery = try await door.post(
            "/dev/google/revoke", query: ["token": fresh["refresh_token"] ?? ""], [:])
        #expect(inQuery.status == 200)
        let listed = try await door.get("/dev/google/revocations").json["revocations"]?.arrayValue
        #expect(listed?.count == 2)
    }

    @Test("A native ID token is for the app, or for the server with the app as authorized party")
    func native() async throws {
        let door = try DevDoor()
        let own = try await door.googleCredential()
        #expect(own.status == 200, "\(own)")
        let claims = try await door.claims(of: own["idToken"], DevDoor.googleKeys)
        #expect(claims["aud"] == .string(door.google.apps[0]))
        #expect(claims["azp"] == .string(door.google.apps[0]))
        #expect(claims["nonce"] == "nonce-n")
        #expect(claims["at_hash"] == .string(halfHash(own["accessToken"] ?? "")))
        #expect(claims["sub"]?.stringValue == own["userID"])
        #expect(own.json["profile"]?["email"] == "verified@example.com")
        #expect(try await door.userInfo(own["accessToken"]).status == 200)
        let served = try await door.googleCredential([
            "client_id": .string(door.google.apps[1]), "server_client_id": .string(door.google.webClient),
            "nonce": .null,
        ])
        let forServer = try await door.claims(of: served["idToken"], DevDoor.googleKeys)
        #expect(forServer["aud"] == .string(door.google.webClient))
        #expect(forServer["azp"] == .string(door.google.apps[1]))
        #expect(forServer["nonce"] == nil)
        #expect(forServer["sub"] == claims["sub"], "the same person at every client")
    }

    @Test("Native sign-in fails as the person's title says, and for unknown clients")
    func nativeRefusals() async throws {
        let door = try DevDoor()
        #expect(try await door.googleCredential(["person": "cancels"]).error == "access_denied")
        #expect(try await door.googleCredential(["person": "provider-error"]).status == 503)
        #expect(try await door.googleCredential(["person": "hidden"]).error == "invalid_request")
        #expect(try await door.googleCredential(["person": "existing"]).error == "invalid_request")
        let web: AnyJSON = .string(door.google.webClient)
        #expect(try await door.googleCredential(["client_id": web]).error == "invalid_client")
        #expect(try await door.googleCredential(["server_client_id": "other"]).error == "invalid_client")
        let wrong = try await door.googleCredential(["person": "wrong-nonce"])
        #expect(try await door.claims(of: wrong["idToken"], DevDoor.googleKeys)["nonce"] != "nonce-n")
    }
}
