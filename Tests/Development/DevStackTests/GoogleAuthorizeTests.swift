import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Google's authorization page")
struct GoogleAuthorizeTests {
    @Test("A valid request shows the people that Google can have")
    func shows() async throws {
        let router = try DevRouter()
        let answer = try await router.get("/dev/google/o/oauth2/v2/auth", router.googleQuery())
        #expect(answer.status == 200)
        #expect(answer.text.contains("This is not Google’s page."))
        for person in Person.cast(of: .google) { #expect(answer.text.contains(person.title), "\(person.id)") }
        #expect(!answer.text.contains("Hidden address"), "the relay is Apple's")
    }

    @Test(
        "A request that Google refuses gets a page and no response to the app",
        arguments: [
            ("client_id", nil, "invalid_request"), ("client_id", "other.apps.example.com", "invalid_client"),
            ("client_id", "ios.apps.example.com", "invalid_client"),
            ("redirect_uri", nil, "invalid_request"),
            ("redirect_uri", "https://attacker.example/callback", "redirect_uri_mismatch"),
            ("redirect_uri", DevRouter.callback + "/", "redirect_uri_mismatch"),
            ("redirect_uri", "javascript:alert(1)", "redirect_uri_mismatch"),
            ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
            ("response_type", "code id_token", "unsupported_response_type"),
            ("response_mode", "form_post", "invalid_request"),
            ("scope", nil, "invalid_scope"), ("scope", "email profile", "invalid_scope"),
            ("scope", "openid everything", "invalid_scope"),
            ("prompt", "login", "invalid_request"), ("prompt", "none consent", "invalid_request"),
            ("access_type", "sometimes", "invalid_request"),
            ("code_challenge_method", nil, "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
            ("code_challenge", nil, "invalid_request"), ("code_challenge", "short", "invalid_request"),
            ("code_challenge", String(repeating: "+", count: 43), "invalid_request"),
        ] as [(String, String?, String)])
    func refuses(_ name: String, _ value: String?, _ error: String) async throws {
        let router = try DevRouter()
        for answer in [
            try await router.get("/dev/google/o/oauth2/v2/auth", router.googleQuery([name: value])),
            try await router.chooseAtGoogle("verified", [name: value]),
        ] {
            #expect(answer.status == 400)
            #expect(answer.location == nil)
            #expect(answer.text.contains("<code>\(error)</code>"), "\(answer)")
        }
    }

    @Test("The chosen person returns with code, state, scopes and issuer (E9)")
    func redirect() async throws {
        let router = try DevRouter()
        let answer = try await router.chooseAtGoogle("verified", ["state": "a b&c=d#e/ü"])
        #expect(answer.status == 303)
        #expect(answer.location?.hasPrefix(DevRouter.callback + "?") == true)
        let fields = answer.callback
        #expect(fields.keys.sorted() == ["authuser", "code", "iss", "scope", "state"])
        #expect(fields["state"] == "a b&c=d#e/ü")
        #expect(fields["iss"] == router.google.issuer)
        #expect(fields["scope"] == "email openid profile")
    }

    @Test("A redirect address with a query keeps it")
    func ownQuery() async throws {
        let url = "http://127.0.0.1:9999/callback?app=1"
        let router = try DevRouter { $0.redirectURIs = [url] }
        let answer = try await router.chooseAtGoogle("verified", ["redirect_uri": url])
        #expect(answer.location?.hasPrefix(url + "&code=") == true)
    }

    @Test("Cancellation returns access_denied and the state (E7)")
    func cancels() async throws {
        let router = try DevRouter()
        let fields = try await router.chooseAtGoogle("cancels").callback
        #expect(fields == ["error": "access_denied", "state": "state-1", "iss": router.google.issuer])
    }

    @Test("With prompt=none there is no page and no sign-in")
    func silent() async throws {
        let router = try DevRouter()
        let answer = try await router.get("/dev/google/o/oauth2/v2/auth", router.googleQuery(["prompt": "none"]))
        #expect(answer.status == 303)
        #expect(answer.callback["error"] == "interaction_required")
        #expect(answer.callback["state"] == "state-1")
    }

    @Test("The address that the app suggests is already in the field")
    func hint() async throws {
        let router = try DevRouter()
        let answer = try await router.get(
            "/dev/google/o/oauth2/v2/auth", router.googleQuery(["login_hint": "ada@example.com"]))
        #expect(answer.text.contains(#"value="ada@example.com""#))
    }

    @Test("Google has no relay addresses")
    func relay() async throws {
        #expect(try await DevRouter().chooseAtGoogle("hidden").status == 400)
    }
}
