import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Apple's revocation endpoint")
struct AppleRevocationTests {
    @Test(
        "A revoked token ends the consent: tokens become invalid, and the next sign-in has the name again (D2)",
        arguments: [
            "refresh_token", "access_token",
        ])
    func revokes(_ kind: String) async throws {
        let router = try DevRouter()
        let tokens = try await router.appleToken(code: router.appleCode())
        let other = try await router.appleToken(code: router.appleCode("hidden"))
        let answer = try await router.revokeAtApple(tokens[kind], hint: kind)
        #expect(answer.status == 200)
        #expect(answer.text.isEmpty)
        #expect(try await router.appleRefresh(tokens["refresh_token"]).error == "invalid_grant")
        #expect(try await router.appleRefresh(other["refresh_token"]).status == 200, "somebody else's goes on")
        #expect(try await router.chooseAtApple("verified").hiddenFields["user"] != nil)
        #expect(try await router.chooseAtApple("hidden").hiddenFields["user"] == nil)
        let revocation = try #require(router.standIns.apple.revocations.first)
        #expect(revocation.client == router.apple.webClient)
        #expect(revocation.kind == kind)
        #expect(revocation.at == router.now)
        let listed = try await router.get("/dev/apple/revocations").json["revocations"]?.arrayValue
        #expect(listed?.first?["sub"]?.stringValue == revocation.subject)
    }

    @Test("An unknown token gets a 200, as from Apple, and is recorded as unknown")
    func unknown() async throws {
        let router = try DevRouter()
        #expect(try await router.revokeAtApple("made up").status == 200)
        #expect(try await router.revokeAtApple("made up", hint: nil).status == 200)
        #expect(router.standIns.apple.revocations.map(\.kind) == [nil, nil])
        #expect(router.standIns.apple.revocations.map(\.subject) == [nil, nil])
    }

    @Test("A missing or wrong argument is refused and nothing is recorded")
    func arguments() async throws {
        let router = try DevRouter()
        let token = try await router.appleToken(code: router.appleCode())["refresh_token"]
        #expect(try await router.revokeAtApple(nil).error == "invalid_request")
        #expect(try await router.revokeAtApple(token, hint: "id_token").error == "invalid_request")
        let stranger = try await router.post("/dev/apple/auth/revoke", ["token": token ?? ""])
        #expect(stranger.status == 400)
        #expect(stranger.error == "invalid_client")
        let forged = try await router.post(
            "/dev/apple/auth/revoke",
            [
                "token": token ?? "", "client_id": router.apple.webClient,
                "client_secret": try router.appleSecret(["iss": "WRONGTEAM1"]),
            ])
        #expect(forged.error == "invalid_client")
        #expect(router.standIns.apple.revocations.isEmpty)
        #expect(try await router.appleRefresh(token).status == 200)
    }

    @Test("Another client's token is refused, which reveals mixed-up client ids")
    func otherClient() async throws {
        let router = try DevRouter()
        let token = try await router.appleToken(code: router.appleCode())["refresh_token"]
        let answer = try await router.revokeAtApple(token, client: router.apple.apps[0])
        #expect(answer.status == 400)
        #expect(answer.error == "unauthorized_client")
        #expect(try await router.appleRefresh(token).status == 200)
    }
}
