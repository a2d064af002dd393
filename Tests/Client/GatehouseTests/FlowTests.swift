import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Flows that return from a browser or a mail")
struct FlowTests {
    @Test(
        "An error in the URL is read from the query, then from the fragment",
        arguments: [
            "app://back?error=access_denied&error_code=signup_disabled&error_description=not+here#error_code=x",
            "app://back?kept=1#error=access_denied&error_code=signup_disabled&error_description=not%20here&sb=",
        ])
    func redirectErrors(_ address: String) async throws {
        try await World.with { world in
            let refusal = AuthRefusal(status: 0, code: .signupDisabled, message: "not here")
            await #expect(throws: AuthClientError.refused(refusal)) {
                try await world.client.session(from: URL(string: address)!)
            }
            #expect(world.network.calls.isEmpty)
        }
    }

    @Test(
        "A URL without a code, with tokens, or with an unexpected code is useless",
        arguments: ["app://back", "app://back#access_token=a&refresh_token=r&expires_in=1", "app://back?code=c"])
    func unknownFlow(_ address: String) async throws {
        try await World.with { world in
            await #expect(throws: AuthClientError.unknownFlow) {
                try await world.client.session(from: URL(string: address)!)
            }
            #expect(world.network.calls.isEmpty)
        }
    }

    @Test("Each flow has its own slot, and five of them survive a restart")
    func places() async throws {
        let storage = MemoryStorage()
        try await World.with(storage: storage) { world in
            var addresses: Set<URL> = []
            for _ in 0..<7 {
                addresses.insert(try await world.client.getOAuthSignInURL(provider: .google))
            }
            #expect(addresses.count == 7)
            let kept = String(decoding: await storage.contents["gatehouse.pkce-flows"] ?? [], as: UTF8.self)
            #expect(kept.components(separatedBy: "verifier").count == 6)
            for address in addresses { #expect(!kept.contains(address.query() ?? "")) }
        }
    }

    private func session(of user: String, _ number: Int) -> HTTPReply {
        var members = GoldenRequest.session.objectValue ?? [:]
        members["access_token"] = .string("access-\(number)")
        members["refresh_token"] = .string("refresh-\(number)")
        members["user"] = ["id": .string(user), "created_at": "2026-01-01T00:00:00Z"]
        return ScriptedAnswers.json(.object(members))
    }

    /// Leaves the browser or the email open.
    private func begin(_ change: String, _ client: GatehouseClient) async throws {
        let back = URL(string: "app://back")
        if change == "link" {
            _ = try await client.getLinkIdentityURL(provider: .google, redirectTo: back)
        } else {
            try await client.update(user: AuthUserAttributes(email: "new@b.c"), redirectTo: back)
        }
    }

    private let ada = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"
    private let grace = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c11"
    private let begun: AuthJSON = [
        "url": "https://p.example/", "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "created_at": "2026-01-01T00:00:00Z",
    ]

    @Test("A link or a new address of another user does not replace the session", arguments: ["link", "address"])
    func otherUser(_ change: String) async throws {
        let storage = MemoryStorage()
        let server = ScriptedAnswers(
            [
                session(of: ada, 1), ScriptedAnswers.json(begun), session(of: grace, 2),
                HTTPReply(status: 204, body: []), session(of: ada, 3), HTTPReply(status: 204, body: []),
            ], storage: storage)
        let client = try await server.signedIn()
        try await begin(change, client)
        let current = try await client.signIn(email: "grace@b.c", password: "p")
        // The session that it replaced ends.
        await until { server.bearers.last == "access-1" && server.requests.last?.contains("/logout") == true }
        let stored = await storage.contents["gatehouse.refresh-token"]
        await #expect(throws: AuthClientError.sessionChanged) {
            try await client.session(from: URL(string: "app://back?code=c")!)
        }
        #expect(await client.currentSession == current && current.refreshToken == "refresh-2")
        #expect(await storage.contents["gatehouse.refresh-token"] == stored)
        #expect(server.requests.last?.hasPrefix("POST /logout?scope=local") == true)
        #expect(server.bearers.last == "access-3")
        #expect(await server.pendingVerifiers == 0)
    }

    @Test("After a sign-out a confirmed address signs in, and a link does not", arguments: ["link", "address"])
    func signedOut(_ change: String) async throws {
        let server = ScriptedAnswers([
            session(of: ada, 1), ScriptedAnswers.json(begun), HTTPReply(status: 204, body: []), session(of: ada, 2),
            HTTPReply(status: 204, body: []),
        ])
        let client = try await server.signedIn()
        try await begin(change, client)
        try await client.signOut()
        let url = URL(string: "app://back?code=c")!
        if change == "link" {
            await #expect(throws: AuthClientError.sessionChanged) { try await client.session(from: url) }
            #expect(await client.currentSession == nil && server.bearers.last == "access-2")
        } else {
            #expect(try await client.session(from: url).refreshToken == "refresh-2")
        }
    }

    @Test("A redirect address arrives byte for byte")
    func redirectBytes() async throws {
        try await World.with { world in
            let redirect = "myapp://login-callback/a%2Fb?x=1&y=%2B+z#f"
            let address = try await world.client.getOAuthSignInURL(
                provider: "custom:acme", scopes: "a b", redirectTo: URL(string: redirect))
            let items = URLComponents(url: address, resolvingAgainstBaseURL: false)?.queryItems ?? []
            #expect(items.first { $0.name == "redirect_to" }?.value == redirect)
            #expect(items.first { $0.name == "provider" }?.value == "custom:acme")
            #expect(items.first { $0.name == "code_challenge" }?.value?.count == 43)
        }
    }

    @Test("Telemetry records refreshes, without personal data")
    func notices() async throws {
        try await World.with { world in
            try await world.signUp()
            let notices = world.client.notices
            world.expireToken()
            world.network.stay(.isDown)
            let listener = NoticeListener(to: notices)
            // The stream may begin to listen after the first refresh.
            await until {
                await #expect(throws: AuthClientError.self) { try await world.client.session }
                return await listener.heard.count == 2
            }
            let cause = OfflineCause.noAnswer("GatehouseTests.ConnectionLost 1")
            #expect(await listener.heard == [.refreshAttempted(.expired), .refreshFailed(.offline(cause))])
        }
    }
}

private actor NoticeListener {
    private(set) var heard: Set<AuthNotice> = []

    init(to notices: AsyncStream<AuthNotice>) {
        Task { [weak self] in
            for await notice in notices { await self?.hear(notice) }
        }
    }

    private func hear(_ notice: AuthNotice) { heard.insert(notice) }
}
