import AuthServer
import GatehouseWire
import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("The protocol's forms")
struct ProtocolTests {
    @Test("An older client gets the first error format, a newer one the second")
    func versions() async throws {
        try await TestServer.with { server in
            let version = HTTPField.Name("x-supabase-api-version")!
            for (sent, isNew) in [
                ("", false), ("banana", false), ("2023-12-31", false), ("2024-01-01", true), ("2030-06-01", true),
            ] {
                let answer = try await server.send(.get, "/auth/v1/user", headers: [version: sent])
                #expect(answer.status == 401)
                #expect(answer["code"] == (isNew ? "no_authorization" : 401))
                #expect(answer["error_code"] == (isNew ? nil : "no_authorization"))
                #expect(answer.headers[version] == (isNew ? "2024-01-01" : nil))
                #expect(answer.headers[.init("x-sb-error-code")!] == "no_authorization")
            }
        }
    }

    @Test("Settings, health and discovery describe the server")
    func fixed() async throws {
        try await TestServer.with { server in
            let settings = try await server.send(.get, "/auth/v1/settings")
            #expect(settings["external"]?["email"] == true)
            #expect(settings["external"]?["google"] == false)
            #expect(settings["mailer_autoconfirm"] == true)
            #expect(settings["external"]?.objectValue?.count == 26)
            #expect(settings["mailer_enabled"] == false && settings["password_min_length"] == 8)
            #expect(settings["mailer_otp_length"] == 6)
            let health = try await server.send(.get, "/auth/v1/health")
            #expect(health["name"] == "GoTrue")
            #expect(health["server"] == "Gatehouse")
            #expect(health["version"]?.stringValue?.isEmpty == false)
            let discovery = try await server.send(.get, "/auth/v1/.well-known/openid-configuration")
            #expect(discovery["issuer"] == .string(TestServer.issuer))
            #expect(discovery["jwks_uri"] == .string("\(TestServer.issuer)/.well-known/jwks.json"))
        }
    }

    @Test(
        "With required keys, a request without a known one is refused",
        arguments: [
            (nil, nil, 401), ("sb_publishable_test", nil, 200), ("sb_publishable_wrong", nil, 401),
            (nil, "sb_publishable_test", 200), ("", nil, 401),
        ] as [(String?, String?, Int)])
    func requiredKeys(_ header: String?, _ bearer: String?, _ status: Int) async throws {
        try await TestServer.with(change: { $0.apiKeys.areRequired = true }) { server in
            var headers: HTTPFields = [:]
            headers[.init("apikey")!] = header
            let settings = try await server.send(.get, "/auth/v1/settings", bearer: bearer, headers: headers)
            #expect(settings.status == status)
            let health = try await server.send(.get, "/auth/v1/health")
            #expect(health.status == 200)
        }
    }

    @Test("A key in the query works, and so does a legacy key")
    func otherKeys() async throws {
        try await TestServer.with(change: { $0.apiKeys.areRequired = true }) { server in
            let byQuery = try await server.send(.get, "/auth/v1/settings?apikey=sb_publishable_test")
            #expect(byQuery.status == 200)
            for end in [.integer(server.clock.now.seconds + 1), .null] as [AuthJSON] {
                let legacy = try server.sharedToken(["role": "anon", "exp": end])
                #expect(try await server.send(.get, "/auth/v1/settings", bearer: legacy).status == 200)
            }
        }
    }

    @Test("D9: Every limited route refuses requests beyond its burst, by address")
    func limits() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            for _ in 0..<30 {
                let answer = try await server.refresh("abcdefghijkl")
                #expect(answer.status == 400)
            }
            let refused = try await server.refresh("abcdefghijkl")
            #expect(refused.status == 429)
            #expect(refused.headers[.init("x-ratelimit-bucket")!] == "token")
            #expect(refused.headers[.retryAfter] == "2")
            for _ in 0..<30 { _ = try await server.send(.post, "/auth/v1/signup", json: ["email": "x"]) }
            #expect(try await server.send(.post, "/auth/v1/signup", json: ["email": "x"]).status == 429)
        }
    }

    @Test("The metrics count sign-ins and refreshes by outcome")
    func metrics() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            _ = try await server.signIn(password: "wrong")
            _ = try await server.refresh(session.refreshToken)
            _ = try await server.refresh(session.refreshToken)
            let text = server.metrics.render()
            #expect(text.contains(#"gatehouse_sign_ins_total{method="password",outcome="signed_up"} 1"#))
            #expect(text.contains(#"gatehouse_sign_ins_total{method="password",outcome="wrong_credentials"} 1"#))
            #expect(text.contains(#"gatehouse_refreshes_total{verdict="rotate"} 1"#))
            #expect(text.contains(#"gatehouse_refreshes_total{verdict="reissue"} 1"#))
        }
    }
}
