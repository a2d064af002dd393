import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Testing

@Suite("Discovery and keys (D3)")
struct ProviderDocumentTests {
    private static let discovery = "/.well-known/openid-configuration"

    @Test("An unknown kid causes one more read per 30 seconds, and no other key replaces it")
    func unknownKey() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256("old"))
        let (provider, next) = (try acme.acme(), TestKeys.es256("next"))
        _ = try await provider.native(acme.token())
        let token = try acme.token(by: next)
        let unknown = ProviderFailure.rejected(.notAccepted(.unknownKey("next")))
        #expect(await failure { try await provider.native(token) } == unknown)
        #expect(acme.count("/keys") == 1)
        acme.advance(.seconds(30))
        for _ in 0..<5 { #expect(await failure { try await provider.native(token) } == unknown) }
        #expect(acme.count("/keys") == 2)
        try acme.publish([next])
        acme.advance(.seconds(30))
        #expect(try await provider.native(token).subject == "ada-1")
        #expect(acme.count("/keys") == 3)
        #expect(acme.count(Self.discovery) == 1)
    }

    @Test("A hundred concurrent sign-ins read each document once")
    func sharing() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let (provider, token) = (try acme.acme(), try acme.token())
        acme.hold(true)
        await withTaskGroup(of: ProviderFailure?.self) { group in
            for _ in 0..<100 { group.addTask { await failure { try await provider.native(token) } } }
            while acme.requests.isEmpty { await Task.yield() }
            acme.hold(false)
            for await failure in group { #expect(failure == nil) }
        }
        #expect(acme.requests.count == 2)
    }

    @Test("A document is used for an hour, an older one during the refresh, and for a day while reads fail")
    func ageing() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        _ = try await provider.metadata()
        acme.advance(.seconds(3_599))
        _ = try await provider.metadata()
        #expect(acme.count(Self.discovery) == 1)
        acme.fail(Self.discovery, .timedOut)
        acme.advance(.seconds(1))
        #expect(try await provider.metadata().issuer == acme.issuer)
        while await provider.hiddenFailures().isEmpty { await Task.yield() }
        #expect(await provider.hiddenFailures() == [.unavailable(.discovery, .noAnswer(.timedOut))])
        acme.advance(.seconds(7_200))
        for _ in 0..<5 { #expect(try await provider.metadata().issuer == acme.issuer) }
        #expect(acme.count(Self.discovery) == 3)
        acme.advance(.seconds(86_400))
        #expect(
            await failure { try await provider.metadata() } == .unavailable(.discovery, .noAnswer(.timedOut)))
        acme.fail(Self.discovery, nil)
        acme.advance(.seconds(30))
        _ = try await provider.metadata()
        #expect(await provider.hiddenFailures().isEmpty)
    }

    @Test("An unavailable provider is asked once per second")
    func down() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        acme.fail(Self.discovery, .noConnection("refused"))
        let (provider, token) = (try acme.acme(), try acme.token())
        let expected = ProviderFailure.unavailable(.discovery, .noAnswer(.noConnection("refused")))
        for _ in 0..<5 { #expect(await failure { try await provider.native(token) } == expected) }
        #expect(acme.count(Self.discovery) == 1)
        #expect(expected.isWorthRetrying)
        acme.fail(Self.discovery, nil)
        acme.advance(.seconds(1))
        #expect(try await provider.native(token).subject == "ada-1")
    }

    @Test(
        "A document that is not this issuer's discovery document is refused",
        arguments: [
            (["issuer": "https://evil.example"], .wrongIssuer),
            (["issuer": "https://id.example.org//"], .wrongIssuer),
            (["issuer": .null], .missing("issuer")), (["issuer": 1], .missing("issuer")),
            (["jwks_uri": .null], .missing("jwks_uri")), (["jwks_uri": 1], .malformed("jwks_uri")),
            (["jwks_uri": "not a url"], .malformed("jwks_uri")),
            (["jwks_uri": "file:///etc/passwd"], .malformed("jwks_uri")),
            (
                ["jwks_uri": "http://id.example.org/keys"],
                .noAnswer(.addressRefused(.notHTTPS(host: "id.example.org")))
            ),
            (
                ["token_endpoint": "https://169.254.169.254/latest"],
                .noAnswer(.addressRefused(.notPublic(host: "169.254.169.254")))
            ),
            (
                ["userinfo_endpoint": "https://[::1]/"], .noAnswer(.addressRefused(.notPublic(host: "::1")))
            ),
            (
                ["authorization_endpoint": "http://id.example.org/"],
                .noAnswer(.addressRefused(.notHTTPS(host: "id.example.org")))
            ),
            (["authorization_endpoint": "javascript:alert(1)"], .malformed("authorization_endpoint")),
        ] as [(AuthJSONObject, ProviderTrouble)])
    func refused(_ changes: AuthJSONObject, _ trouble: ProviderTrouble) async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256(), changes: changes)
        #expect(await failure { try await acme.acme().metadata() } == .unavailable(.discovery, trouble))
        #expect(acme.requests.count == 1)
    }

    @Test("A response that is too long, late, not JSON or an error means that the provider is unavailable")
    func answers() async throws {
        let blanks = { (count: Int) in [UInt8](repeating: UInt8(ascii: " "), count: count) }
        let acme = try ScriptedProvider(key: TestKeys.es256())
        func trouble(_ path: String) async throws -> ProviderFailure? {
            let (provider, token) = (try acme.acme(), try acme.token())
            return await failure { try await provider.native(token) }
        }
        for (status, body, expected) in [
            (200, Array("<html>".utf8), ProviderTrouble.unreadable), (200, Array("[]".utf8), .unreadable),
            (200, blanks(65_537), .noAnswer(.tooLong)), (302, [], .status(302)), (500, [], .status(500)),
        ] {
            acme.answer(Self.discovery, status: status, body: body)
            #expect(try await trouble(Self.discovery) == .unavailable(.discovery, expected))
        }
        let fresh = try ScriptedProvider(key: TestKeys.es256())
        for (status, body, expected) in [
            (200, Array("<html>".utf8), ProviderTrouble.unreadable), (200, blanks(262_145), .noAnswer(.tooLong)),
            (404, [], .status(404)),
        ] {
            fresh.answer("/keys", status: status, body: body)
            let (provider, token) = (try fresh.acme(), try fresh.token())
            #expect(await failure { try await provider.native(token) } == .unavailable(.keys, expected))
        }
        fresh.fail("/keys", .timedOut)
        let (provider, token) = (try fresh.acme(), try fresh.token())
        #expect(await failure { try await provider.native(token) } == .unavailable(.keys, .noAnswer(.timedOut)))
    }

    @Test("Every request has limits of time and size")
    func limits() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        _ = try await acme.acme().native(acme.token())
        #expect(acme.requests.map(\.maximumBytes) == [65_536, 262_144])
        #expect(acme.requests.allSatisfy { $0.timeLimit == .seconds(5) && $0.method == .get })
        #expect(acme.requests.allSatisfy { $0.headers == ["accept": "application/json"] && $0.body == nil })
    }

    @Test("A provider without a discovery document is configured completely")
    func fixedEndpoints() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let keys = try #require(ProviderURL("https://id.example.org/keys"))
        let provider = try acme.provider(
            .openID(
                name: "acme", issuer: acme.issuer, clientIDs: ["app"], credential: .none,
                endpoints: ProviderMetadata(issuer: acme.issuer, keys: keys)))
        #expect(try await provider.native(acme.token()).subject == "ada-1")
        #expect(acme.count(Self.discovery) == 0)
    }

    @Test("A callback that names another issuer is refused, and so is a missing name that was announced (RFC 9207)")
    func callbackIssuer() async throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let provider = try acme.acme()
        try await provider.checkCallback(issuer: nil)
        try await provider.checkCallback(issuer: acme.issuer)
        #expect(
            await failure { try await provider.checkCallback(issuer: "https://evil.example") }
                == .rejected(.foreignIssuer))
        let promising = try ScriptedProvider(
            key: TestKeys.es256(), changes: ["authorization_response_iss_parameter_supported": true])
        #expect(
            await failure { try await promising.acme().checkCallback(issuer: nil) } == .rejected(.foreignIssuer))
    }
}
