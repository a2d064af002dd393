import GatehouseWire
import IdentityProviders
import Testing

@Suite("Identities from providers (D2, D3, C6)")
struct VerifiedIdentityTests {
    private func acme(_ claims: AuthJSONObject, without name: String = "") async throws -> VerifiedIdentity {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        return try await acme.acme().native(acme.token(claims, without: name))
    }

    private func google(_ claims: AuthJSONObject, without name: String = "") async throws -> VerifiedIdentity {
        let google = try ScriptedProvider(key: TestKeys.es256())
        return try await google.google().native(google.token(claims, without: name))
    }

    private func apple(_ claims: AuthJSONObject, without name: String = "") async throws -> VerifiedIdentity {
        let apple = try ScriptedProvider(issuer: "https://appleid.apple.com", key: TestKeys.rsa())
        return try await apple.apple().native(apple.token(claims, without: name))
    }

    @Test("The data of any OpenID provider matches the recordings")
    func genericData() async throws {
        let ana = try await acme([
            "name": "Ana Example", "aud": ["other", "app"], "azp": "app", "at_hash": "x", "evil": "claim",
        ])
        #expect(
            ana.data == [
                "aud": ["other", "app"], "email": "ada@example.org", "email_verified": true,
                "exp": .integer(noon.seconds + 300), "iat": .integer(noon.seconds), "iss": "https://id.example.org",
                "name": "Ana Example", "phone_verified": false, "sub": "ada-1",
            ])
        #expect(ana.client == "app")
        #expect(try await acme([:]).data["aud"] == ["app"])
        let more = try await acme([
            "given_name": "Ana", "locale": "de", "updated_at": .integer(5), "picture": "https://x.example/a.png",
            "nickname": 7, "website": .string(String(repeating: "w", count: 600)),
        ])
        #expect(more.data["given_name"] == "Ana")
        #expect(more.data["locale"] == "de")
        #expect(more.data["updated_at"] == .integer(5))
        #expect(more.data["picture"] == "https://x.example/a.png")
        #expect(more.data["nickname"] == nil)
        #expect(more.data["website"] == nil)
    }

    @Test("The data of Google's users matches Supabase Auth, with either form of the issuer")
    func googleData() async throws {
        for issuer in ["https://id.example.org", "id.example.org"] {
            let ada = try await google([
                "iss": .string(issuer), "name": "Ada", "given_name": "Ada", "picture": "https://x.example/a.png",
                "hd": "example.org", "locale": "en",
            ])
            #expect(
                ada.data == [
                    "iss": "https://id.example.org", "sub": "ada-1", "provider_id": "ada-1", "name": "Ada",
                    "full_name": "Ada", "picture": "https://x.example/a.png", "avatar_url": "https://x.example/a.png",
                    "email": "ada@example.org", "email_verified": true, "phone_verified": false,
                    "custom_claims": ["hd": "example.org"],
                ])
            #expect(ada.issuer == "https://id.example.org")
            #expect((ada.name, ada.givenName, ada.picture) == ("Ada", "Ada", "https://x.example/a.png"))
        }
        #expect(try await google([:]).data["custom_claims"] == nil)
    }

    @Test("The data of Apple's users matches Supabase Auth", arguments: [true, "true"] as [AuthJSON])
    func appleData(_ flag: AuthJSON) async throws {
        let ada = try await apple([
            "email": "x@privaterelay.appleid.com", "email_verified": flag, "is_private_email": flag,
            "auth_time": .integer(noon.seconds - 9), "transfer_sub": "t", "name": "ignored",
        ])
        #expect(
            ada.data == [
                "iss": "https://appleid.apple.com", "sub": "ada-1", "provider_id": "ada-1",
                "email": "x@privaterelay.appleid.com", "email_verified": true, "phone_verified": false,
                "custom_claims": [
                    "is_private_email": true, "auth_time": .integer(noon.seconds - 9), "transfer_sub": "t",
                ],
            ])
        #expect(ada.isPrivateRelay)
        #expect(ada.authenticatedAt == noon - .seconds(9))
    }

    @Test("Both of Apple's issuers are Apple")
    func appleIssuers() async throws {
        let other = try await apple(["iss": "https://account.apple.com"])
        #expect(other.issuer == "https://account.apple.com")
        #expect(other.data["iss"] == "https://account.apple.com")
    }

    @Test(
        "An address is verified if the provider says so; Apple's is unless Apple denies it",
        arguments: [
            (true, true, true, true), ("true", true, true, true), (false, false, false, false),
            ("false", false, false, false), (nil, false, false, true), (.null, false, false, true),
            (1, false, false, false), ("yes", false, false, false),
        ] as [(AuthJSON?, Bool, Bool, Bool)])
    func verified(_ claim: AuthJSON?, _ acme: Bool, _ google: Bool, _ apple: Bool) async throws {
        let claims: AuthJSONObject = claim.map { ["email_verified": $0] } ?? [:]
        let name = claim == nil ? "email_verified" : ""
        let three = try await [
            self.acme(claims, without: name), self.google(claims, without: name), self.apple(claims, without: name),
        ]
        #expect(three.map(\.isEmailVerified) == [acme, google, apple])
        #expect(three.map { $0.data["email_verified"] } == [.bool(acme), .bool(google), .bool(apple)])
    }

    @Test("Google's older claim counts too")
    func verifiedEmail() async throws {
        #expect(try await google(["verified_email": true], without: "email_verified").isEmailVerified)
    }

    @Test(
        "An invalid address is dropped, and nothing is verified then",
        arguments: ["", "@", "a@", "@b", "no address", "a @b.c", "a@b\n", 7, .null] as [AuthJSON])
    func emails(_ email: AuthJSON) async throws {
        let nobody = try await acme(["email": email])
        #expect(nobody.email == nil)
        #expect(!nobody.isEmailVerified)
        #expect(nobody.data["email"] == nil)
        #expect(nobody.data["email_verified"] == false)
        let long = AuthJSON.string(String(repeating: "a", count: 250) + "@b.org")
        #expect(try await acme(["email": long]).email == nil)
    }

    @Test(
        "A relay address is recognized by Apple's claim or by its domain",
        arguments: [
            ("a@privaterelay.appleid.com", nil, true), ("A@PrivateRelay.AppleID.com", nil, true),
            ("a@example.org", true, true), ("a@example.org", "true", true), ("a@example.org", "false", false),
            ("a@example.org", nil, false), ("a@xprivaterelay.appleid.com", nil, false),
            ("a@privaterelay.appleid.com.example", nil, false),
        ] as [(String, AuthJSON?, Bool)])
    func relay(_ email: String, _ claim: AuthJSON?, _ expected: Bool) async throws {
        var claims: AuthJSONObject = ["email": .string(email)]
        claims["is_private_email"] = claim
        #expect(try await apple(claims).isPrivateRelay == expected)
        #expect(try await google(claims).isPrivateRelay == (expected && email.lowercased().hasSuffix("leid.com")))
    }

    @Test("Names are readable text, and pictures are https")
    func names() async throws {
        let long = String(repeating: "n", count: 300)
        let ada = try await acme([
            "name": .string("  Ada\u{202E} \u{7}King\n "), "given_name": .string(long), "family_name": 1,
            "picture": "http://x.example/a.png",
        ])
        #expect(ada.name == "Ada King")
        #expect(ada.givenName == String(long.prefix(100)))
        #expect(ada.familyName == nil)
        #expect(ada.picture == nil)
        #expect(try await acme(["name": "   "]).name == nil)
        let family = String(repeating: "👨‍👩‍👧", count: 30)
        #expect(try await acme(["name": .string(family)]).name == String(family.prefix(20)))
    }

    @Test("A name beside the token is used if the provider gave none (pitfall 6)")
    func naming() async throws {
        let person = try #require(PersonName(given: " Ada ", family: "King"))
        let ada = try await apple([:]).naming(person)
        #expect((ada.name, ada.givenName, ada.familyName) == ("Ada King", "Ada", "King"))
        #expect(ada.data["name"] == "Ada King")
        #expect(ada.data["full_name"] == "Ada King")
        #expect(try await acme(["name": "Own"]).naming(person).name == "Own")
        #expect(try await apple([:]).naming(nil) == apple([:]))
    }

    @Test(
        "Apple's user field is read with bounds, and its address is ignored",
        arguments: [
            (#"{"name":{"firstName":"Ada","lastName":"King"},"email":"evil@example.org"}"#, "Ada King"),
            (#"{"name":{"firstName":"Ada"}}"#, "Ada"), (#"{"name":{"lastName":"King","firstName":""}}"#, "King"),
            (#"{"name":{"firstName":" ","lastName":"\u0007"}}"#, nil), (#"{"name":{}}"#, nil), ("{}", nil),
            ("", nil), ("null", nil), (#"{"name":"Ada"}"#, nil), (#"{"name":{"firstName":["Ada"]}}"#, nil),
        ])
    func appleUser(_ text: String, _ expected: String?) {
        #expect(PersonName(appleUser: text)?.full == expected)
        let padded = String(repeating: " ", count: 4_096) + text
        #expect(PersonName(appleUser: padded) == nil)
    }
}
