import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Google's token endpoint")
struct GoogleTokenTests {
    @Test(
        "A code is exchanged for tokens, and the ID token names the user (D3)",
        arguments: Known.all.filter { !$0.isRelay })
    func exchange(_ known: Known) async throws {
        let router = try DevRouter()
        let answer = try await router.googleToken(code: router.googleCode(known.person))
        #expect(answer.status == 200, "\(answer)")
        #expect(answer.headers[.cacheControl] == "no-store")
        #expect(answer.json["token_type"] == "Bearer")
        #expect(answer["scope"] == "email openid profile")
        #expect(answer["refresh_token"] == nil, "nobody asked for one")
        let claims = try await router.claims(of: answer["id_token"], DevRouter.googleKeys)
        #expect(claims["iss"] == .string(router.google.issuer))
        #expect(claims["aud"] == .string(router.google.webClient))
        #expect(claims["azp"] == .string(router.google.webClient))
        #expect(claims["nonce"] == "nonce-1")
        #expect(claims["at_hash"] == .string(halfHash(answer["access_token"] ?? "")))
        #expect(claims["exp"]?.intValue == router.now.seconds + 3_600)
        #expect(claims["sub"]?.stringValue?.contains(/^1\d{20}$/) == true)
        #expect(claims["email"] == known.email.map(AuthJSON.string))
        #expect(claims["email_verified"] == (known.email == nil ? nil : .bool(known.isVerified)))
        #expect(claims["given_name"]?.stringValue?.isEmpty == false)
        #expect(claims["picture"]?.stringValue?.hasPrefix("https://") == true)
    }

    @Test("Token and profile have the data of the scopes")
    func scopes() async throws {
        let router = try DevRouter()
        let folder = "https://www.googleapis.com/auth/"
        for (scope, email, name) in [
            ("openid", false, false), ("openid email", true, false), ("openid profile", false, true),
            ("openid \(folder)userinfo.email \(folder)calendar", true, false),
        ] {
            let answer = try await router.googleToken(code: router.googleCode("verified", ["scope": scope]))
            let claims = try await router.claims(of: answer["id_token"], DevRouter.googleKeys)
            let profile = try await router.userInfo(answer["access_token"])
            #expect(profile.status == 200)
            for members in [claims, profile.json.objectValue ?? [:]] {
                #expect((members["email"] != nil) == email, "\(scope)")
                #expect((members["name"] != nil) == name, "\(scope)")
                #expect(members["sub"] == claims["sub"])
            }
        }
    }

    @Test("The secret may be in Authorization instead, form-encoded")
    func basic() async throws {
        let router = try DevRouter()
        let pair = "\(router.google.webClient):\(router.google.secret.reveal())".replacing("-", with: "%2D")
        let answer = try await router.googleToken(
            code: router.googleCode(), ["client_secret": nil, "client_id": nil],
            headers: [.authorization: "Basic " + base64(pair)])
        #expect(answer.status == 200, "\(answer)")
    }

    @Test("An unauthenticated client is refused with 401 and a reason")
    func clients() async throws {
        let router = try DevRouter()
        let code = try await router.googleCode()
        var answers = [
            try await router.googleToken(code: code, ["client_secret": "wrong"]),
            try await router.googleToken(code: code, ["client_id": "other.apps.example.com"]),
        ]
        for header in ["Basic " + base64("\(router.google.webClient):wrong"), "Basic ???", "Bearer x"] {
            answers.append(
                try await router.googleToken(
                    code: code, ["client_secret": nil, "client_id": nil], headers: [.authorization: header]))
        }
        for answer in answers {
            #expect(answer.status == 401)
            #expect(answer.error == "invalid_client", "\(answer)")
            #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
        }
        let both = base64("\(router.google.webClient):\(router.google.secret.reveal())")
        let twice = try await router.googleToken(code: code, headers: [.authorization: "Basic " + both])
        #expect(twice.status == 400)
        #expect(twice.error == "invalid_request")
        let others = try await router.googleToken(
            code: code, ["client_secret": nil, "client_id": "other"], headers: [.authorization: "Basic " + both])
        #expect(others.error == "invalid_request")
        #expect(try await router.googleToken(code: code).status == 200, "the code was not used up")
    }

    @Test(
        "A token request that Google refuses",
        arguments: [
            ("client_id", nil, "invalid_request"), ("client_secret", nil, "invalid_request"),
            ("grant_type", nil, "invalid_request"), ("grant_type", "password", "unsupported_grant_type"),
            ("code", nil, "invalid_request"), ("code", "code-made-up", "invalid_grant"),
            ("redirect_uri", nil, "invalid_request"),
            ("redirect_uri", DevRouter.callback + "/", "redirect_uri_mismatch"),
            ("code_verifier", nil, "invalid_grant"), ("code_verifier", "short", "invalid_grant"),
            ("code_verifier", String(repeating: "v", count: 43), "invalid_grant"),
            ("code_verifier", DevRouter.challenge, "invalid_grant"),
        ] as [(String, String?, String)])
    func refuses(_ name: String, _ value: String?, _ error: String) async throws {
        let router = try DevRouter()
        let answer = try await router.googleToken(code: router.googleCode(), [name: value])
        #expect(answer.status == 400)
        #expect(answer.error == error, "\(answer)")
        #expect(answer["error_description"]?.isEmpty == false)
    }

    @Test("Without a challenge no verifier is required, and a verifier is refused")
    func withoutPKCE() async throws {
        let router = try DevRouter()
        let without: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
        let code = try await router.googleCode("verified", without)
        #expect(try await router.googleToken(code: code).error == "invalid_grant")
        #expect(try await router.googleToken(code: code, ["code_verifier": nil]).status == 200)
    }

    @Test("A code works once, for ten minutes")
    func once() async throws {
        let router = try DevRouter()
        let (code, late) = (try await router.googleCode(), try await router.googleCode())
        #expect(try await router.googleToken(code: code).status == 200)
        #expect(try await router.googleToken(code: code).error == "invalid_grant")
        router.advance(by: .seconds(600))
        #expect(try await router.googleToken(code: late).error == "invalid_grant")
    }

    @Test("Each person behaves as the title says")
    func people() async throws {
        let router = try DevRouter()
        #expect(try await router.googleToken(code: router.googleCode("provider-error")).status == 503)
        #expect(try await router.googleToken(code: router.googleCode("slow")).status == 200)
        #expect(router.waits.all == [.seconds(5)])
        let wrong = try await router.googleToken(code: router.googleCode("wrong-nonce"))
        let claims = try await router.claims(of: wrong["id_token"], DevRouter.googleKeys)
        #expect(claims["nonce"]?.stringValue?.isEmpty == false)
        #expect(claims["nonce"] != "nonce-1")
        let typed = try await router.chooseAtGoogle("existing", email: "ada@example.com").callback["code"] ?? ""
        let ada = try await router.claims(of: router.googleToken(code: typed)["id_token"], DevRouter.googleKeys)
        #expect(ada["email"] == "ada@example.com")
        #expect(ada["email_verified"] == true)
    }

    @Test("A refresh token comes with the first offline access, or when consent is requested again")
    func refresh() async throws {
        let router = try DevRouter()
        func tokens(_ changes: [String: String?]) async throws -> DevAnswer {
            try await router.googleToken(code: router.googleCode("verified", changes))
        }
        let first = try await tokens(["access_type": "offline"])
        #expect(first["refresh_token"]?.isEmpty == false)
        #expect(try await tokens(["access_type": "offline"])["refresh_token"] == nil)
        #expect(try await tokens(["access_type": "offline", "prompt": "consent"])["refresh_token"] != nil)
        let answer = try await router.googleRefresh(first["refresh_token"])
        #expect(answer.status == 200, "\(answer)")
        #expect(answer["refresh_token"] == nil)
        #expect(try await router.userInfo(answer["access_token"]).status == 200)
        #expect(try await router.claims(of: answer["id_token"], DevRouter.googleKeys)["nonce"] == nil)
        #expect(try await router.googleRefresh(first["access_token"]).error == "invalid_grant")
        #expect(try await router.googleRefresh(nil).error == "invalid_request")
    }

    private func base64(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let bare = Base64URL.text(bytes).replacing("-", with: "+").replacing("_", with: "/")
        return bare + String(repeating: "=", count: (3 - bytes.count % 3) % 3)
    }
}
