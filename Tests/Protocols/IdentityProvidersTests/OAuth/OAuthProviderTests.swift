import Crypto
import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Synchronization
import Testing

@Suite("Providers without OpenID Connect")
struct OAuthProviderTests {
    /// Answers by URL, and keeps the requests.
    private final class Network: Sendable {
        private let state: Mutex<(answers: [String: ProviderResponse], requests: [ProviderRequest])>

        init(_ answers: [String: ProviderResponse]) { state = Mutex((answers, [])) }

        var requests: [ProviderRequest] { state.withLock { $0.requests } }

        func send(_ request: ProviderRequest) -> ProviderResponse {
            state.withLock {
                $0.requests.append(request)
                return $0.answers[request.url.text] ?? ProviderResponse(status: 404)
            }
        }
    }

    private static func known(_ name: String) throws -> KnownProvider {
        try #require(KnownProvider.all.first { $0.name == name })
    }

    private func settings(_ name: String, url: String? = nil) throws -> ProviderSettings {
        try Self.known(name).settings(clientIDs: ["web", "app"], credential: .secret(Secret("s3cret")), url: url)
    }

    private func provider(
        _ settings: ProviderSettings, _ network: Network, rule: OutgoingAddressRule = OutgoingAddressRule()
    ) throws -> OpenIDProvider {
        try OpenIDProvider(settings, rule: rule, now: { noon }, transport: { network.send($0) })
    }

    /// The identity after an exchange; the token endpoint issues `at`.
    private func identity(
        _ settings: ProviderSettings, _ documents: [String: String], _ network: (Network) -> Void = { _ in }
    ) async throws -> VerifiedIdentity {
        var answers = documents.mapValues { ProviderResponse(status: 200, body: Array($0.utf8)) }
        guard case .fixed(let endpoints) = settings.endpoints, let token = endpoints.token else { throw Missing() }
        answers[token.text] = ProviderResponse(
            status: 200, body: Array(#"{"access_token":"at","token_type":"bearer"}"#.utf8))
        let scripted = Network(answers)
        defer { network(scripted) }
        let provider = try provider(settings, scripted)
        let tokens = try await provider.exchange(
            code: Secret("code"), verifier: Secret("verifier"), redirectURL: "https://a.example/cb", at: noon)
        return try await provider.identity(of: tokens, nonce: "nonce", at: noon)
    }

    private struct Missing: Error {}

    @Test("Every row can be used, and has a recorded answer")
    func complete() throws {
        let names = KnownProvider.all.map(\.name)
        #expect(names.count == 15)
        for name in names { #expect(try settings(name).name == name) }
        #expect(Set(names) == Set(ProfileShape.all.map(\.provider) + ["azure", "facebook"]))
    }

    @Test("The provider's answer becomes an identity", arguments: ProfileShape.all)
    func shape(_ shape: ProfileShape) async throws {
        let identity = try await identity(settings(shape.provider), shape.documents)
        #expect(identity.provider == shape.provider && identity.subject == shape.subject)
        #expect(identity.email == shape.email && identity.isEmailVerified == shape.isVerified)
        #expect(identity.name == shape.name && identity.picture == shape.picture)
        #expect(identity.data["provider_id"] == .string(shape.subject))
        #expect(identity.data["email_verified"] == .bool(shape.isVerified))
        #expect(identity.data["user_name"]?.stringValue == shape.account)
        #expect(identity.data["preferred_username"]?.stringValue == shape.account)
        #expect(identity.data["avatar_url"]?.stringValue == shape.picture)
        #expect(identity.token == nil)
    }

    @Test("Facebook's profile is requested with a proof of the secret")
    func proof() async throws {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("at".utf8), using: SymmetricKey(data: Array("s3cret".utf8)))
        let url =
            "https://graph.facebook.com/me?fields=id,email,first_name,last_name,name,picture&appsecret_proof="
            + Array(code).hexadecimal
        let identity = try await identity(settings("facebook"), [url: ProfileShape.facebook])
        #expect(identity.subject == "1022" && identity.isEmailVerified)
        #expect((identity.givenName, identity.familyName) == ("Ada", "Lovelace"))
        #expect(identity.picture == "https://fb.example/ada.jpg")
    }

    @Test("Headers name the client where the provider wants it; the token is in Authorization")
    func headers() async throws {
        let twitch = try #require(ProfileShape.all.first { $0.provider == "twitch" })
        var requests: [ProviderRequest] = []
        _ = try await identity(settings("twitch"), twitch.documents) { requests = $0.requests }
        #expect(requests.last?.headers["client-id"] == "web")
        #expect(requests.last?.authorization?.reveal() == "Bearer at")
        let form = try #require(requests.first?.body?.reveal())
        #expect(form.contains("client_secret=s3cret") && !form.contains("code_verifier"))
    }

    @Test("The authorization URL has the row's scopes, separator and parameters, and no nonce")
    func authorization() async throws {
        let secrets = AuthorizationSecrets { [UInt8](repeating: 9, count: $0) }
        func url(_ name: String) async throws -> String {
            let request = AuthorizationRequest(state: "s", secrets: secrets, redirectURL: "https://a.example/cb")
            return try await provider(settings(name), Network([:])).authorizationURL(request)
        }
        let start = "https://zoom.us/oauth/authorize?client_id=web&redirect_uri=https%3A%2F%2Fa.example%2Fcb"
        #expect(try await url("zoom") == start + "&response_type=code&scope=user%3Aread%3Auser&state=s")
        #expect(try await url("github").contains("code_challenge_method=S256"))
        #expect(try await url("kakao").contains("scope=account_email%2Cprofile_image%2Cprofile_nickname"))
        #expect(try await url("notion").contains("owner=user"))
        #expect(try await url("x").contains("code_challenge_method=S256"))
        #expect(try await !url("linkedin_oidc").contains("nonce="))
    }

    @Test("Without a primary address the first verified one counts, or an unverified one as unverified")
    func addresses() async throws {
        let user = ["https://api.github.com/user": #"{"id":1,"login":"ada"}"#]
        func identity(_ list: String) async throws -> VerifiedIdentity {
            try await self.identity(
                settings("github"), user.merging(["https://api.github.com/user/emails?per_page=100": list]) { $1 })
        }
        let two = try await identity(#"[{"email":"a@x.org","verified":false},{"email":"b@x.org","verified":true}]"#)
        #expect(two.email == "b@x.org" && two.isEmailVerified)
        let one = try await identity(#"[{"email":"a@x.org","verified":false,"primary":true}]"#)
        #expect(one.email == "a@x.org" && !one.isEmailVerified)
        for list in ["[]", "{}", #"[{"email":7}]"#] {
            let none = try await identity(list)
            #expect(none.email == nil && !none.isEmailVerified)
        }
    }

    @Test(
        "A profile without an id, or with one of the wrong type, signs no one in",
        arguments: [
            #"{"login":"ada"}"#, #"{"id":null}"#, #"{"id":""}"#, #"{"id":true}"#, #"{"id":{"a":1}}"#, #"{"id":1.5}"#,
        ])
    func noSubject(_ document: String) async throws {
        let problem = await failure {
            try await identity(settings("github"), ["https://api.github.com/user": document])
        }
        #expect(problem == .rejected(.missingSubject))
    }

    @Test("An answer that is no object, an error and an outage are told apart")
    func failures() async throws {
        let url = "https://api.github.com/user"
        #expect(
            await failure { try await identity(settings("github"), [url: "[]"]) }
                == .unavailable(.userInfo, .unreadable))
        #expect(
            await failure { try await identity(settings("github"), [url: #"{"error":"bad_token"}"#]) }
                == .refused(.userInfo, error: "bad_token", description: nil))
        #expect(await failure { try await identity(settings("github"), [:]) } == .unavailable(.userInfo, .status(404)))
    }

    @Test("An own installation replaces every host; GitHub's API then has a path")
    func selfHosted() async throws {
        let settings = try settings("github", url: "https://git.example.org/")
        let documents = [
            "https://git.example.org/api/v3/user": #"{"id":5,"login":"ada"}"#,
            "https://git.example.org/api/v3/user/emails?per_page=100": "[]",
        ]
        #expect(try await identity(settings, documents).subject == "5")
        guard case .fixed(let endpoints) = settings.endpoints else { throw Missing() }
        #expect(endpoints.authorization?.text == "https://git.example.org/login/oauth/authorize")
        #expect(throws: ProviderSettingsProblems.self) { try self.settings("gitlab", url: "git.example.org") }
    }

    @Test("GitLab's own confirmation counts, an installation's does not: it may confirm without an email")
    func selfManaged() async throws {
        let document = #"{"id":7,"username":"ada","email":"victim@example.org","confirmed_at":"2012-05-23T09:05:22Z"}"#
        let hosted = try await identity(
            settings("gitlab", url: "https://git.example.org"), ["https://git.example.org/api/v4/user": document])
        #expect(hosted.email == "victim@example.org" && !hosted.isEmailVerified)
    }

    @Test(
        "Only true, 1 and a date verify an address",
        arguments: [
            ("true", true), ("1", true), (#""true""#, true), (#""1""#, true), (#""2012-05-23""#, true), ("0", false),
            ("false", false), ("null", false), (#""pending""#, false), (#""unverified""#, false), (#""no""#, false),
            (#""""#, false), ("{}", false), (#""2012""#, false),
        ])
    func verified(_ value: String, _ isVerified: Bool) async throws {
        let document = #"{"id":"1","username":"ada","email":"ada@example.org","verified":\#(value)}"#
        let ada = try await identity(settings("discord"), ["https://discord.com/api/users/@me": document])
        #expect(ada.isEmailVerified == isVerified)
    }

    @Test("A private network is refused for each address, the list of emails among them")
    func privateNetwork() throws {
        #expect(throws: ProviderSettingsProblems.self) {
            try provider(settings("github", url: "https://10.0.0.1"), Network([:]))
        }
    }

    @Test("Only providers that issue ID tokens accept them from apps")
    func idTokens() async throws {
        let acme = try ScriptedProvider(issuer: "https://www.facebook.com", key: TestKeys.es256())
        let token = try acme.token(["email_verified": .null])
        let keys = ProviderResponse(status: 200, body: try KeySet([acme.key]).publicDocument)
        let network = Network(["https://limited.facebook.com/.well-known/oauth/openid/jwks/": keys])
        let facebook = try provider(settings("facebook"), network)
        let ada = try await facebook.verify(idToken: token, nonce: .presented(nil), at: noon)
        #expect(ada.subject == "ada-1" && ada.isEmailVerified && ada.provider == "facebook")
        let denied = try acme.token(["email_verified": false])
        #expect(try await !facebook.verify(idToken: denied, nonce: .presented(nil), at: noon).isEmailVerified)
        let github = try provider(settings("github"), Network([:]))
        #expect(!github.settings.acceptsIDTokens && facebook.settings.acceptsIDTokens)
        #expect(
            await failure { try await github.verify(idToken: token, nonce: .presented(nil), at: noon) }
                == .rejected(.foreignIssuer))
    }
}
