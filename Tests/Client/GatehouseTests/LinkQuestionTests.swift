import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Sign-in with an address that has an account")
struct LinkQuestionTests {
    private static let asked = AuthLinkQuestion(
        ticket: AuthLinkTicket("ticket"), expiresAt: Date(timeIntervalSince1970: 1_767_226_200),
        email: "ada@example.com", provider: "google", signInMethods: ["password", "apple"], canRecover: true)
    private let redirect = URL(string: "app://back")!

    @Test("D7: The question is read from both error formats, and prints neither ticket nor address")
    func question() throws {
        let old = #"""
            {"code":422,"error_code":"identity_needs_confirmation","msg":"x","link_ticket":"ticket",
             "link_ticket_expires_at":1767226200,"email":"ada@example.com","provider":"google",
             "sign_in_methods":["password","apple"],"can_recover":true}
            """#
        for body in [Array(old.utf8), ScriptedAnswers.question.body] {
            let answer = AuthErrorAnswer(body: body)
            #expect(answer.code == .identityNeedsConfirmation)
            #expect(answer.linkQuestion == Self.asked)
            let printed = "\(answer) \(String(reflecting: answer))"
            #expect(!printed.contains("ticket\"") && !printed.contains("ada@"))
        }
        let refusal = AuthRefusal(status: 422, code: .identityNeedsConfirmation, linkQuestion: Self.asked)
        var dumped = ""
        dump(AuthClientError.refused(refusal), to: &dumped)
        #expect(!dumped.contains("\"ticket\"") && !dumped.contains("ada@"))
    }

    @Test(
        "A refusal without ticket, time, address or provider is a refusal without a question",
        arguments: ["link_ticket", "link_ticket_expires_at", "email", "provider"])
    func incomplete(_ member: String) async throws {
        var members = try JSONReader.read(ScriptedAnswers.question.body).objectValue ?? [:]
        members[member] = nil
        let client = try ScriptedAnswers([ScriptedAnswers.json(.object(members), status: 422)]).client()
        let error = await #expect(throws: AuthClientError.self) {
            try await client.signInWithIdToken(credentials: .init(provider: .google, idToken: "t"))
        }
        #expect(error?.code == .identityNeedsConfirmation && error?.linkQuestion == nil)
    }

    @Test("A token sign-in throws the question, and the previous session stays")
    func idToken() async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.question])
        let client = try await answers.signedIn()
        let error = await #expect(throws: AuthClientError.self) {
            try await client.signInWithIdToken(credentials: .init(provider: .google, idToken: "t"))
        }
        #expect(error?.linkQuestion == Self.asked)
        #expect(await client.currentSession?.accessToken == "access")
    }

    @Test("A browser sign-in throws the question at the exchange; its verifier is removed", arguments: [1, 2])
    func browser(_ way: Int) async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.question])
        let client = try answers.client()
        let back = URL(string: "app://back?code=c")!
        let error = await #expect(throws: AuthClientError.self) {
            if way == 1 {
                try await client.signInWithOAuth(provider: .google, redirectTo: redirect) { _ in back }
            } else {
                _ = try await client.getOAuthSignInURL(provider: .google, redirectTo: redirect)
                try await client.session(from: back)
            }
        }
        #expect(error?.linkQuestion == Self.asked)
        #expect(answers.requests.count == 1)
        #expect(await answers.pendingVerifiers == 0)
        #expect(await client.currentSession == nil)
    }

    @Test("A failed exchange leaves no verifier behind if the code is lost", arguments: [400, 500])
    func failedExchange(_ status: Int) async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.refusal(status, "unexpected_failure")])
        let client = try answers.client()
        await #expect(throws: AuthClientError.self) {
            try await client.signInWithOAuth(provider: .google, redirectTo: redirect) { _ in
                URL(string: "app://back?code=c")!
            }
        }
        #expect(await answers.pendingVerifiers == 0)
        _ = try await client.getOAuthSignInURL(provider: .google)
        await #expect(throws: AuthClientError.self) { try await client.session(from: URL(string: "app://b?code=c")!) }
        #expect(await answers.pendingVerifiers == 1)
    }

    @Test("Confirming with a session carries that session's token, and keeps the new session")
    func confirm() async throws {
        var next = GoldenRequest.session.objectValue ?? [:]
        next["access_token"] = "second"
        let answers = ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.json(.object(next))])
        let client = try await answers.signedIn()
        let listener = await Listener(to: client)
        let session = try await client.confirmLink(Self.asked.ticket)
        #expect(session.accessToken == "second")
        #expect(await client.currentSession == session)
        #expect(answers.requests.last == #"POST /token?grant_type=link_confirmation {"link_ticket":"ticket"}"#)
        #expect(answers.bearers.last == "access")
        await listener.waits(for: 2)
        #expect(await listener.events == [.initialSession, .signedIn])
        #expect(await answers.storage.read("gatehouse.access-token") != .absent)
    }

    @Test("Confirming with a session needs one; an expired token is refreshed once")
    func confirmWithExpiredToken() async throws {
        let nobody = try ScriptedAnswers([ScriptedAnswers.session]).client()
        await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) {
            try await nobody.confirmLink(Self.asked.ticket)
        }
        var refreshed = GoldenRequest.session.objectValue ?? [:]
        refreshed["access_token"] = "refreshed"
        let answers = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.refusal(403, "bad_jwt"), ScriptedAnswers.json(.object(refreshed)),
            ScriptedAnswers.session,
        ])
        // This process did not see the time of the token.
        _ = try await answers.signedIn()
        try await answers.client().confirmLink(Self.asked.ticket)
        #expect(answers.bearers == ["key", "access", "key", "refreshed"])
    }

    @Test(
        "A refusal is reported, and the previous session stays",
        arguments: [
            (404, AuthErrorCode.linkTicketNotFound), (403, .linkTicketOtherAccount), (409, .linkTicketOutdated),
            (422, .linkNotRecoverable), (400, .invalidCredentials), (403, .otpExpired),
        ])
    func refused(_ status: Int, _ code: AuthErrorCode) async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.session, ScriptedAnswers.refusal(status, code.rawValue)])
        let client = try await answers.signedIn()
        let calls: [() async throws -> AuthSession] = [
            { try await client.confirmLink(Self.asked.ticket) },
            { try await client.confirmLink(Self.asked.ticket, email: "ada@example.com", password: "p") },
            { try await client.confirmLink(Self.asked.ticket, code: "123456") },
            { try await client.recoverAccount(with: Self.asked.ticket) },
        ]
        for call in calls {
            let error = await #expect(throws: AuthClientError.self) { try await call() }
            #expect(error?.code == code)
            #expect(await client.currentSession?.accessToken == "access")
        }
    }

    @Test("A session that cannot be stored is not used")
    func notKept() async throws {
        let storage = StorageThatCannotSave()
        await storage.refuse(".refresh-token")
        let client = try ScriptedAnswers([ScriptedAnswers.session], storage: storage).client()
        let error = await #expect(throws: AuthClientError.self) {
            try await client.confirmLink(Self.asked.ticket, email: "ada@example.com", password: "p")
        }
        guard case .storeFailed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(await client.currentSession == nil)
    }

    @Test("A sign-out during the request wins")
    func overtaken() async throws {
        let answers = ScriptedAnswers([ScriptedAnswers.session])
        let client = try await answers.signedIn()
        answers.meanwhile { try await client.signOut() }
        await #expect(throws: AuthClientError.signedOut(.requested)) {
            try await client.recoverAccount(with: Self.asked.ticket)
        }
        #expect(await client.currentSession == nil)
        #expect(await answers.storage.read("gatehouse.refresh-token") == .absent)
    }

    @Test("A sign-in to another account while the browser is open is not linked or replaced")
    func changedAccount() async throws {
        var (other, user) = (GoldenRequest.session.objectValue ?? [:], GoldenRequest.user.objectValue ?? [:])
        user["id"] = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
        other["user"] = .object(user)
        let answers = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(["url": "https://p.example/"]),
            ScriptedAnswers.json(.object(other)), ScriptedAnswers.session,
        ])
        let client = try await answers.signedIn()
        await #expect(throws: AuthClientError.sessionChanged) {
            try await client.linkIdentity(provider: .google, redirectTo: redirect) { _ in
                try await client.signIn(email: "eve@b.c", password: "p")
                return URL(string: "app://back?code=c")!
            }
        }
        // The link is not completed. The first user's session ends.
        await until { answers.requests.count == 4 }
        #expect(answers.requests.last?.contains("/logout?scope=local") == true)
        #expect(await client.currentUser?.id.uuidString.hasPrefix("6B1C") == true)
        #expect(await answers.pendingVerifiers == 0)
    }

    @Test("Undoable links are listed, and one is undone")
    func undo() async throws {
        let id = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"
        let listed: AuthJSON = [
            "links": [
                [
                    "identity_id": .string(id), "provider": "google", "rule": "proven_by_both",
                    "linked_at": "2026-01-01T00:00:00.5Z", "until": "2026-01-31T00:00:00.5Z",
                ]
            ]
        ]
        var left = GoldenRequest.user.objectValue ?? [:]
        left["user_metadata"] = ["undone": true]
        let answers = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(listed), ScriptedAnswers.json(.object(left)),
        ])
        let client = try await answers.signedIn()
        let listener = await Listener(to: client)
        let links = try await client.undoableLinks()
        let linkedAt = Date(timeIntervalSince1970: 1_767_225_600.5)
        #expect(
            links == [
                AuthUndoableLink(
                    id: try #require(UUID(uuidString: id)), provider: "google", rule: "proven_by_both",
                    linkedAt: linkedAt, until: linkedAt + 30 * 86_400)
            ])
        let user = try await client.undoLink(identityID: links[0].id)
        #expect(await client.currentUser == user && user.userMetadata["undone"] == true)
        await listener.waits(for: 2)
        #expect(await listener.events == [.initialSession, .userUpdated])
        #expect(
            Array(answers.requests.dropFirst()) == [
                "GET /user/identities/undoable", "POST /user/identities/\(id)/undo",
            ])
        #expect(answers.bearers == ["key", "access", "access"])
    }
}
