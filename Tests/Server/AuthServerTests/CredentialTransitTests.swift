import AccountStore
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

@Suite("Credentials in transit")
struct CredentialTransitTests {
    @Test("A secret key is accepted only in a header, and no link repeats a key")
    func secretInAddress() async throws {
        try await TestServer.with(providers: TestProviders()) { server in
            let ada = try await server.signUp()
            let key = try server.sharedToken(["role": "service_role"])
            let start = "/auth/v1/authorize?provider=google&\(AppKey.query)&"
            for secret in ["apikey=\(TestServer.secretKey)", "apikey=\(key)", "x=sb%5Fsecret_of_another_year"] {
                for (path, bearer) in [
                    ("/auth/v1/settings?", nil), (start, nil), ("/auth/v1/user?", ada.accessToken),
                    ("/auth/v1/admin/users?", TestServer.secretKey), ("/auth/v1/callback?", nil),
                    ("/auth/v1/nowhere?", nil),
                ] {
                    let answer = try await server.send(.get, path + secret, bearer: bearer)
                    #expect(answer.status == 401 && answer.code == "invalid_api_key", "\(path)")
                    #expect(answer.location == nil)
                }
            }
            #expect(try await server.count("flow_states") == 0)
            let publishable = "apikey=sb_publishable_test"
            let sent = try #require(try await server.send(.get, start + publishable).location)
            #expect(!sent.contains("publishable"))
            for phone in ["49301", "49302"] {
                _ = try await server.admin(.post, "/users", json: ["phone": .string(phone)])
            }
            for path in ["/users", "/audit"] {
                let answer = try await server.admin(.get, "\(path)?\(publishable)&per_page=1")
                #expect(answer.status == 200)
                let link = try #require(answer.headers[.init("link")!])
                #expect(!link.contains("apikey"))
            }
        }
    }

    @Test("Responses with tokens or user data are not cached, whatever the outcome")
    func noStore() async throws {
        try await TestServer.with { server in
            let session = try await server.signUp()
            let refreshed = try await server.refresh(session.refreshToken)
            let token = session.accessToken
            let answers = [
                refreshed, try await server.refresh("nothing"), try await server.signIn(),
                try await server.send(.get, "/auth/v1/user", bearer: token),
                try await server.send(.get, "/auth/v1/sessions", bearer: token),
                try await server.send(.put, "/auth/v1/user", bearer: token, json: ["data": ["a": 1]]),
                try await server.admin(.get, "/users"), try await server.admin(.get, "/users/\(session.userID)"),
                try await server.admin(.get, "/audit"),
            ]
            for answer in answers { #expect(answer.headers[.cacheControl] == "no-store", "\(answer)") }
        }
    }

    @Test("A sign-up cannot set a picture that a profile change would refuse", arguments: TestDatabase.all)
    func pictures(_ kind: TestDatabase) async throws {
        let long = "https://a.example/" + String(repeating: "x", count: 2_031)
        let pictures: [(AuthJSON, AuthJSON)] = [
            (["avatar_url": "https://a.example/p.png"], "https://a.example/p.png"),
            (["picture": "HTTPS://a.example/p"], "HTTPS://a.example/p"),
            (["avatar_url": .null, "picture": "https://a.example/p"], "https://a.example/p"),
            (["avatar_url": #"https://a.example/"><script>"#], .null), (["picture": "https://a@b.example/"], .null),
            (["avatar_url": "https://"], .null), (["avatar_url": .string(long)], .null),
            (["avatar_url": "javascript:alert(1)", "picture": "https://a.example/p"], .null),
            (["avatar_url": 5], .null),
        ]
        try await TestServer.with(on: kind) { server in
            for (number, (data, picture)) in pictures.enumerated() {
                let session = try await server.signUp("p\(number)@example.com", data: data)
                let profile = try await server.send(.get, "/api/v1/profile", bearer: session.accessToken)
                #expect(profile["avatar_url"] == picture, "\(data)")
                // The user's own value stays.
                let user = try await server.send(.get, "/auth/v1/user", bearer: session.accessToken)
                #expect(user["user_metadata"]?["picture"] == data["picture"])
            }
        }
    }
}
