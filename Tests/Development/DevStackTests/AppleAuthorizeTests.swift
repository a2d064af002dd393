import DevStack
import GatehouseWire
import HTTPTypes
import Testing

@Suite("Apple's authorization page")
struct AppleAuthorizeTests {
    @Test("A valid request shows the people, and names the company that the page is not")
    func shows() async throws {
        let router = try DevRouter()
        let answer = try await router.get("/dev/apple/auth/authorize", router.appleQuery())
        #expect(answer.status == 200)
        #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
        #expect(answer.headers[.cacheControl] == "no-store")
        for person in Person.cast(of: .apple) { #expect(answer.text.contains(person.title), "\(person.id)") }
        #expect(answer.text.contains("This is not Apple’s page."))
        #expect(answer.text.contains(router.apple.webClient))
    }

    @Test(
        "A request that Apple refuses gets a page and no response to the app",
        arguments: [
            ("client_id", nil, "invalid_request"), ("client_id", "com.example.other", "invalid_client"),
            // A bundle id is for devices.
            ("client_id", "com.example.app", "invalid_client"),
            ("redirect_uri", nil, "invalid_request"),
            ("redirect_uri", "https://attacker.example/callback", "invalid_request"),
            ("redirect_uri", DevRouter.callback + "/", "invalid_request"),
            ("redirect_uri", DevRouter.callback + "?next=1", "invalid_request"),
            ("redirect_uri", DevRouter.callback.uppercased(), "invalid_request"),
            ("response_type", nil, "invalid_request"), ("response_type", "token", "invalid_request"),
            ("response_type", "id_token", "invalid_request"),
            ("response_mode", "web_message", "invalid_request"), ("response_mode", "query", "invalid_request"),
            ("response_mode", "fragment", "invalid_request"), ("response_mode", nil, "invalid_request"),
            ("scope", "name email phone", "invalid_scope"),
        ] as [(String, String?, String)])
    func refuses(_ name: String, _ value: String?, _ error: String) async throws {
        let router = try DevRouter()
        for answer in [
            try await router.get("/dev/apple/auth/authorize", router.appleQuery([name: value])),
            try await router.chooseAtApple("verified", [name: value]),
        ] {
            #expect(answer.status == 400)
            #expect(answer.location == nil)
            #expect(answer.text.contains("This request is refused"))
            #expect(answer.text.contains("<code>\(error)</code>"), "\(answer)")
            #expect(answer.hiddenFields.isEmpty)
        }
    }

    @Test("A duplicate parameter is refused")
    func twice() async throws {
        let router = try DevRouter()
        let query = DevRouter.form(router.appleQuery()) + "&state=state-2"
        let answer = try await router.send(.get, "/dev/apple/auth/authorize?" + query)
        #expect(answer.status == 400)
        #expect(answer.text.contains("<code>invalid_request</code>"))
    }

    @Test("A broken escape in the query is refused")
    func brokenEscape() async throws {
        let answer = try await DevRouter().send(.get, "/dev/apple/auth/authorize?client_id=%zz")
        #expect(answer.status == 400)
    }

    @Test("The chosen person returns in a form post with code, state and, once, name and address (E8)")
    func formPost() async throws {
        let router = try DevRouter()
        let first = try await router.chooseAtApple("verified")
        #expect(first.status == 200)
        #expect(first.text.contains(#"<form method="post" action="\#(DevRouter.callback)">"#))
        #expect(first.text.contains("<script>document.forms[0].submit()</script>"))
        #expect(first.text.contains("Continue</button>"))
        #expect(first.hiddenFields.keys.sorted() == ["code", "state", "user"])
        #expect(first.hiddenFields["state"] == "state-1")
        let user = try JSONReader.read(first.hiddenFields["user"] ?? "")
        #expect(
            user == [
                "name": ["firstName": "Verified", "lastName": "Example"], "email": "verified@example.com",
            ])
        let second = try await router.chooseAtApple("verified")
        #expect(second.hiddenFields.keys.sorted() == ["code", "state"])
        #expect(second.hiddenFields["code"] != first.hiddenFields["code"])
        #expect(try await router.chooseAtApple("hidden").hiddenFields["user"] != nil, "somebody else's first time")
    }

    @Test(
        "The first response has only the requested data",
        arguments: [
            ("name", ["name"]), ("email", ["email"]), ("openid", []), (nil, []),
        ] as [(String?, [String])])
    func asked(_ scope: String?, _ members: [String]) async throws {
        let answer = try await DevRouter().chooseAtApple("verified", ["scope": scope])
        let user = try answer.hiddenFields["user"].map { try JSONReader.read($0) }
        #expect((user?.objectValue?.keys.sorted() ?? []) == members)
    }

    @Test("Without an address the first response has none either")
    func addressless() async throws {
        let user = try await DevRouter().chooseAtApple("no-address").hiddenFields["user"] ?? ""
        #expect(try JSONReader.read(user).objectValue?.keys.sorted() == ["name"])
    }

    @Test("Cancellation returns Apple's error and the state (E7)")
    func cancels() async throws {
        let answer = try await DevRouter().chooseAtApple("cancels")
        #expect(answer.hiddenFields == ["error": "user_cancelled_authorize", "state": "state-1"])
    }

    @Test("Without scopes the response may use the query or the fragment", arguments: ["query", "fragment"])
    func otherModes(_ mode: String) async throws {
        let router = try DevRouter()
        let answer = try await router.chooseAtApple("verified", ["scope": nil, "response_mode": mode])
        #expect(answer.status == 303)
        #expect(answer.location?.hasPrefix(DevRouter.callback + (mode == "query" ? "?" : "#")) == true)
        #expect(answer.callback.keys.sorted() == ["code", "state"])
        #expect(try await router.appleToken(code: answer.callback["code"] ?? "").status == 200)
    }

    @Test("A requested ID token comes with the code and is bound to it")
    func hybrid() async throws {
        let router = try DevRouter()
        let fields = try await router.chooseAtApple("verified", ["response_type": "code id_token"]).hiddenFields
        let claims = try await router.claims(of: fields["id_token"], DevRouter.appleKeys)
        #expect(claims["c_hash"] == .string(halfHash(fields["code"] ?? "")))
        #expect(claims["nonce"] == "nonce-1")
        let inQuery = try await router.chooseAtApple(
            "verified", ["response_type": "code id_token", "scope": nil, "response_mode": "query"])
        #expect(inQuery.status == 400)
        let unsaid = try await router.chooseAtApple(
            "verified", ["response_type": "code id_token", "scope": nil, "response_mode": nil])
        #expect(unsaid.location?.contains("#") == true)
    }

    @Test("Without a state the response has none")
    func stateless() async throws {
        let fields = try await DevRouter().chooseAtApple("verified", ["state": nil]).hiddenFields
        #expect(fields.keys.sorted() == ["code", "user"])
    }

    @Test("An unknown person is refused", arguments: ["nobody", ""])
    func stranger(_ person: String) async throws {
        #expect(try await DevRouter().chooseAtApple(person).status == 400)
    }

    @Test(
        "An invalid address is shown again with an error",
        arguments: [
            (nil, "Type the address"), ("  ", "Type the address"), ("ada", "not an email address"),
            ("ada@@example.com", "not an email address"), ("ada@localhost", "not an email address"),
            ("a da@example.com", "not an email address"), ("@example.com", "not an email address"),
            (String(repeating: "a", count: 65) + "@example.com", "not an email address"),
        ] as [(String?, String)])
    func typed(_ email: String?, _ sentence: String) async throws {
        let answer = try await DevRouter().chooseAtApple("existing", email: email)
        #expect(answer.status == 400)
        #expect(answer.text.contains(#"role="alert""#))
        #expect(answer.text.contains(sentence))
        #expect(answer.text.contains(#"value="\#(email ?? "")" aria-invalid="true""#))
    }

    @Test("A typed address belongs to the person: another address is another person")
    func typedSubjects() async throws {
        let router = try DevRouter()
        func claims(_ email: String) async throws -> AuthJSONObject {
            let code = try await router.chooseAtApple("existing", email: email).hiddenFields["code"] ?? ""
            return try await router.claims(of: router.appleToken(code: code)["id_token"], DevRouter.appleKeys)
        }
        let ada = try await claims(" ada@example.com ")
        #expect(ada["email"] == "ada@example.com")
        #expect(ada["email_verified"] == true)
        #expect(try await claims("Ada@example.com")["sub"] == ada["sub"])
        #expect(try await claims("bob@example.com")["sub"] != ada["sub"])
    }
}
