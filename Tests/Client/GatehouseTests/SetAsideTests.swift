import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Credentials that a proof set aside")
struct SetAsideTests {
    private static let id = UUID(uuidString: "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10")!
    private static let refusal = ScriptedAnswers.json(
        [
            "code": "credential_set_aside", "message": "Enter the code we emailed you to keep using this passkey.",
            "set_aside_ticket": "ticket", "set_aside_ticket_expires_at": 1_767_226_200,
        ], status: 403)

    private static func user(_ more: AuthJSONObject) -> AuthJSON {
        var members = GoldenRequest.user.objectValue ?? [:]
        for (name, value) in more { members[name] = value }
        return .object(members)
    }

    private static func session(_ user: AuthJSON) -> HTTPReply {
        var members = GoldenRequest.session.objectValue ?? [:]
        members["user"] = user
        return ScriptedAnswers.json(.object(members))
    }

    @Test("A user has the credentials that were set aside, and keeps them in the store")
    func setAside() throws {
        let time: AuthJSON = "2026-01-02T00:00:00Z"
        let json = Self.user([
            "set_aside": [
                ["type": "password", "set_aside_at": time],
                ["type": "passkey", "id": .string(Self.id.uuidString), "name": "iPhone", "set_aside_at": time],
                ["type": "identity", "id": .string(Self.id.uuidString), "provider": "google", "set_aside_at": time],
                ["type": "ring", "set_aside_at": time], ["type": "passkey", "set_aside_at": time],
            ]
        ])
        let user = try AuthUser(json: json)
        let date = Date(timeIntervalSince1970: 1_767_312_000)
        #expect(
            user.setAside == [
                AuthSetAsideCredential(.password, setAsideAt: date),
                AuthSetAsideCredential(.passkey(id: Self.id, name: "iPhone"), setAsideAt: date),
                AuthSetAsideCredential(.identity(id: Self.id, provider: "google"), setAsideAt: date),
            ])
        #expect(try AuthUser(json: try written(user)) == user)
        #expect(try AuthUser(json: GoldenRequest.user).setAside.isEmpty)
    }

    @Test("A user has the address that moved to another account, and keeps it in the store")
    func formerEmail() throws {
        let user = try AuthUser(
            json: Self.user(["former_email": "ada@example.com", "former_email_moved_at": "2026-01-02T00:00:00Z"]))
        #expect(user.email == nil && user.formerEmail == "ada@example.com")
        #expect(user.formerEmailMovedAt == Date(timeIntervalSince1970: 1_767_312_000))
        #expect(try AuthUser(json: try written(user)) == user)
    }

    @Test("A set-aside passkey is refused with a ticket, which is not printed")
    func ticket() async throws {
        let client = try ScriptedAnswers([Self.refusal]).client()
        let error = await #expect(throws: AuthClientError.self) {
            try await client.verifyPasskeyAuthentication(challengeId: Self.id, credentialResponse: [:])
        }
        let ticket = AuthSetAsideTicket("ticket", expiresAt: Date(timeIntervalSince1970: 1_767_226_200))
        #expect(error?.code == .credentialSetAside && error?.setAsideTicket == ticket)
        #expect(!"\(ticket) \(String(reflecting: error))".contains("\"ticket\""))
    }

    @Test("A ticket without its time, or with another code, is no ticket")
    func noTicket() {
        let bodies: [AuthJSON] = [
            ["code": "credential_set_aside", "set_aside_ticket": "ticket"],
            ["code": "bad_jwt", "set_aside_ticket": "ticket", "set_aside_ticket_expires_at": 1],
        ]
        for body in bodies { #expect(AuthErrorAnswer(body: Array(body.text.utf8)).setAsideTicket == nil) }
    }

    @Test("A code takes the typed password, or the ticket of a passkey, along")
    func restore() async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.session])
        let client = try answers.client()
        try await client.verifyOTP(email: "a@b.c", token: "٠٤٢٩١٧", type: .email, password: "٤ p")
        try await client.verifyOTP(token: "٠٤٢٩١٧", restoring: AuthSetAsideTicket("t", expiresAt: .distantFuture))
        #expect(
            answers.requests == [
                #"POST /verify {"email":"a@b.c","password":"٤ p","token":"042917","type":"email"}"#,
                #"POST /verify {"set_aside_ticket":"t","token":"042917","type":"email"}"#,
            ])
    }

    @Test("The code to a signed-in user's address is sent with the session's token, any other without")
    func bearer() async throws {
        let answers = ScriptedAnswers([Self.session(Self.user(["email": "a@b.c"]))])
        let client = try await answers.signedIn()
        try await client.verifyOTP(email: "A@b.c", token: "042917", type: .signup)
        try await client.verifyOTP(email: "b@b.c", token: "042917", type: .signup)
        #expect(answers.bearers.prefix(3) == ["key", "access", "key"])
    }

    @Test("Starting over signs in to the new account")
    func startOver() async throws {
        let other = Self.session(Self.user(["id": "a1b2c3d4-0000-4000-8000-000000000001", "email": "a@b.c"]))
        let answers = ScriptedAnswers([ScriptedAnswers.session, other])
        let client = try await answers.signedIn()
        let session = try await client.startOver()
        #expect(answers.requests.last == "POST /user/start-over" && answers.bearers.last == "access")
        #expect(await client.currentSession == session && session.user.email == "a@b.c")
    }

    @Test("After a refused start, the session stays")
    func refusedStart() async throws {
        let answers = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.refusal(403, "fresh_sign_in_required"),
        ])
        let client = try await answers.signedIn()
        let error = await #expect(throws: AuthClientError.self) { try await client.startOver() }
        #expect(error?.code == .freshSignInRequired)
        #expect(await client.currentSession?.accessToken == "access")
    }

    private func written(_ user: AuthUser) throws -> AuthJSON {
        var writer = JSONWriter()
        user.write(to: &writer)
        return try JSONReader.read(writer.bytes)
    }
}
