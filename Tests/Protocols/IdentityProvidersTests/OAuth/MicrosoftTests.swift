import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Testing

@Suite("Microsoft: one discovery document for all tenants")
struct MicrosoftTests {
    private static let tenant = "9188040d-6c67-4c5b-b112-36a304b66dad"
    private static let common = "https://login.microsoftonline.com/{tenantid}/v2.0"

    private func microsoft(url: String? = nil) throws -> (ScriptedProvider, OpenIDProvider) {
        let acme = try ScriptedProvider(issuer: "https://login.microsoftonline.com", key: TestKeys.es256())
        let folder = url.map { String($0.split(separator: "/").last ?? "") } ?? "common"
        let issuer = url.map { $0 + "/v2.0" } ?? Self.common
        acme.answer(
            "/\(folder)/v2.0/.well-known/openid-configuration",
            [
                "issuer": .string(issuer), "jwks_uri": "https://login.microsoftonline.com/keys",
                "authorization_endpoint": "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
                "token_endpoint": "https://login.microsoftonline.com/common/oauth2/v2.0/token",
                "id_token_signing_alg_values_supported": ["ES256"],
            ])
        let known = try #require(KnownProvider.all.first { $0.name == "azure" })
        let settings = try known.settings(clientIDs: ["app"], credential: .secret(Secret("s")), url: url)
        return (acme, try acme.provider(settings))
    }

    private func token(_ acme: ScriptedProvider, tenant: String, _ claims: AuthJSONObject = [:]) throws -> Secret {
        let issuer: AuthJSONObject = ["iss": .string("https://login.microsoftonline.com/\(tenant)/v2.0")]
        return try acme.token(issuer.merging(claims) { $1 })
    }

    @Test("Every tenant's tokens are accepted, with the tenant's own issuer")
    func tenants() async throws {
        let (acme, microsoft) = try microsoft()
        let ada = try await microsoft.native(token(acme, tenant: Self.tenant))
        #expect(ada.issuer.contains(Self.tenant) && ada.provider == "azure")
    }

    @Test(
        "Only xms_edov vouches for an address: email_verified is the tenant's own claim",
        arguments: [
            (["email_verified": true] as AuthJSONObject, false), (["xms_edov": true], true), (["xms_edov": "1"], true),
            (["xms_edov": false], false), (["xms_edov": 0], false), ([:], false),
        ] as [(AuthJSONObject, Bool)])
    func verification(_ claims: AuthJSONObject, _ isVerified: Bool) async throws {
        let (acme, microsoft) = try microsoft()
        let ada = try await microsoft.native(token(acme, tenant: Self.tenant, claims))
        #expect(ada.email == "ada@example.org" && ada.isEmailVerified == isVerified)
    }

    @Test(
        "An issuer that only looks like a tenant's is refused",
        arguments: [
            "{tenantid}", "common", "9188040D-6C67-4C5B-B112-36A304B66DAD", "9188040d-6c67-4c5b-b112-36a304b66da",
            "evil/9188040d-6c67-4c5b-b112-36a304b66dad", "",
        ])
    func strangers(_ tenant: String) async throws {
        let (acme, microsoft) = try microsoft()
        let token = try token(acme, tenant: tenant)
        #expect(await failure { try await microsoft.native(token) } == .rejected(.foreignIssuer))
    }

    @Test("An access token, which has the form of an ID token, is refused", arguments: ["scp", "azpacr", "idtyp"])
    func accessTokens(_ claim: String) async throws {
        let (acme, microsoft) = try microsoft()
        let token = try token(acme, tenant: Self.tenant, [claim: "x"])
        #expect(await failure { try await microsoft.native(token) } == .rejected(.notAccepted(.malformedClaim(claim))))
    }

    @Test("Work and school accounts of every tenant can be chosen")
    func organizations() throws {
        let known = try #require(KnownProvider.all.first { $0.name == "azure" })
        let settings = try known.settings(
            clientIDs: ["app"], credential: .none, url: "https://login.microsoftonline.com/organizations/")
        #expect(settings.issuers == [Self.common])
    }

    @Test("With a tenant's address only that tenant signs in")
    func single() async throws {
        let (acme, microsoft) = try microsoft(url: "https://login.microsoftonline.com/\(Self.tenant)")
        #expect(try await microsoft.native(token(acme, tenant: Self.tenant)).subject == "ada-1")
        let other = try token(acme, tenant: "00000000-0000-0000-0000-000000000001")
        #expect(await failure { try await microsoft.native(other) } == .rejected(.foreignIssuer))
        let known = try #require(KnownProvider.all.first { $0.name == "azure" })
        #expect(throws: ProviderSettingsProblems.self) {
            try known.settings(
                clientIDs: ["app"], credential: .none, url: "https://login.microsoftonline.com/contoso.example")
        }
    }
}
