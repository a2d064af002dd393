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
        let door = try DevDoor()
        let tokens = try await door.appleToken(code: door.appleCode())
        let other = try await door.appleToken(code: door.appleCode("hidden"))
        let answer = try await door.revokeAtApple(tokens[kind], hint: kind)
        #expect(answer.status == 200)
        #expect(answer.text.isEmpty)
        #expect(try await door.appleRefresh(tokens["refresh_token"]).error == "invalid_grant")
        #expect(try await door.appleRefresh(other["refresh_token"]).status == 200, "somebody else's goes on")
        #expect(try await door.chooseAtApple("verified").hiddenFields["user"] != nil)
        #expect(try await door.chooseAtApple("hidden").hiddenFields["user"] == nil)
        let revocation = try #require(door.standIns.apple.revocations.first)
        #expect(revocation.client == door.apple.webClient)
        #expect(revocation.kind == kind)
        #expect(revocation.at == door.now)
        let listed = try await door.get("/dev/apple/revocations").json["revocations"]?.arrayValue
        #expect(listed?.first?["sub"]?.stringValue == revocation.subject)
    }

    @Test("An unknown token gets a 200, as from Apple, and is recorded as unknown")
    func unknown() async throws {
        let door = try DevDoor()
        #expect(try await door.revokeAtApple("made up").status == 200)
        #expect(try await door.revokeAtApple("made up", hint: nil).status == 200)
        #expect(door.standIns.apple.revocations.map(\.kind) == [nil, nil])
        #expect(door.standIns.apple.revocations.map(\.subject) == [nil, nil])
    }

    @Test("A missing or wrong argument is refused and nothing is recorded")
    func arguments() async throws {
        let door = try DevDoor()
        let token = try await door.appleToken(code: door.appleCode())["refresh_token"]
        #expect(try await door.revokeAtApple(nil).error == "invalid_request")
        #expect(try await door.revokeAtApple(token, hint: "id_token").error == "invalid_request")
        let stranger = try await door.post("/dev/apple/auth/revoke", ["token": token ?? ""])
        #expect(stranger.status == 400)
        #expect(stranger.error == "invalid_client")
        let forged = try await door.post(
            "/dev/apple/auth/revoke",
            [
                "token": token ?? "", "client_id": door.apple.webClient,
                "client_secret": try door.appleSecret(["iss": "WRONGTEAM1"]),
            ])
        #expect(forged.error == "invalid_client")
        #expect(door.standIns.apple.revocations.isEmpty)
        #expect(try await door.appleRefresh(token).status == 200)
    }

    @Test("Another client's token is refused, which reveals mixed-up client ids")
    func otherClient() async throws {
        let door = try DevDoor()
        let token = try await door.appleToken(code: door.appleCode())["refresh_token"]
        let answer = try await door.revokeAtApple(token, client: door.apple.apps[0])
        #expect(answer.status == 400)
        #expect(answer.error == "unauthorized_client")
        #expect(try await door.appleRefresh(token).status == 200)
    }
}
