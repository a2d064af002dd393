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
        try await TestServer.with(change: { $0.apiKeys.areRequired = true }) { server in
            let inAddress = "?apikey=\(TestServer.secretKey)"
            #expect(try await server.send(.get, "/auth/v1/admin/users" + inAddress).status == 401)
            let key = try server.sharedToken(["role": "service_role"])
            for address in [inAddress, "?apikey=\(key)"] {
                let settings = try await server.send(.get, "/auth/v1/settings" + address)
                #expect(settings.status == 401)
                #expect(settings.code == "invalid_api_key")
            }
            for phone in ["49301", "49302"] {
                _ = try await server.admin(.post, "/users", json: ["phone": .string(phone)])
            }
            for path in ["/users", "/audit"] {
                let answer = try await server.admin(.get, path + inAddress + "&per_page=1")
                #expect(answer.status == 200)
                #expect(answer.headers[.init("link")!]?.contains("apikey") == false)
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
        let pictures: [(AnyJSON, AnyJSON)] = [
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
