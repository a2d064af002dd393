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
