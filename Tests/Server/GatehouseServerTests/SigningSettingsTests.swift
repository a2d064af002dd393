import GatehouseServer
import TestSupport
import Testing

@Suite("The signing key")
struct SigningSettingsTests {
    @Test("By default the database's keys sign")
    func database() throws {
        let tokens = try GivenValues.settings().tokens
        #expect(tokens.imported.isEmpty && !tokens.signsWithSharedSecret)
    }

    @Test("A shared secret alone signs, as in Supabase")
    func sharedSecret() throws {
        let tokens = try GivenValues.settings(["GOTRUE_JWT_SECRET": GivenValues.jwtSecret]).tokens
        #expect(tokens.signsWithSharedSecret && tokens.sharedSecret != nil)
    }

    @Test("With ES256 the shared secret only verifies")
    func es256() throws {
        let tokens = try GivenValues.settings([
            "GOTRUE_JWT_SECRET": GivenValues.jwtSecret, "GATEHOUSE_JWT_ALGORITHM": "ES256",
        ]).tokens
        #expect(!tokens.signsWithSharedSecret && tokens.sharedSecret != nil)
    }

    @Test("Imported keys override the shared secret")
    func imported() throws {
        let tokens = try GivenValues.settings([
            "GOTRUE_JWT_SECRET": GivenValues.jwtSecret, "GOTRUE_JWT_KEYS": GivenValues.signingKey,
        ]).tokens
        #expect(tokens.imported.count == 1 && !tokens.signsWithSharedSecret && tokens.sharedSecret != nil)
    }

    @Test("Imported keys and an algorithm contradict each other", arguments: ["ES256", "HS256"])
    func contradiction(algorithm: String) {
        let problems = GivenValues.problems([
            "GOTRUE_JWT_KEYS": GivenValues.signingKey, "GOTRUE_JWT_SECRET": GivenValues.jwtSecret,
            "GATEHOUSE_JWT_ALGORITHM": algorithm,
        ])
        #expect(problems.map(\.name) == ["GATEHOUSE_JWT_ALGORITHM"])
    }

    @Test("Exactly one key signs")
    func signerCount() {
        let key = GivenValues.signingKey.dropFirst().dropLast()
        let two = "[\(key),\(key.replacing(#""kid":"a""#, with: #""kid":"b""#))]"
        let none = GivenValues.signingKey.replacing(#"["sign","verify"]"#, with: #"["verify"]"#)
        for keys in [two, none] {
            let problems = GivenValues.problems(["GOTRUE_JWT_KEYS": keys])
            #expect(problems.map(\.name) == ["GOTRUE_JWT_KEYS"])
            #expect(problems.first?.expected.contains("exactly one key") == true)
        }
    }

    @Test("A gateway alone needs its issuer and no server secret")
    func gatewayAlone() throws {
        let names = GivenValues.problems(["GATEHOUSE_SECRETS": ""], parts: [.gateway]).map(\.name)
        #expect(names == ["GATEHOUSE_JWKS_URL", "GATEHOUSE_JWT_ISSUER", "GATEHOUSE_ISSUER_SECRET_KEY"])
        let remote = [
            "GATEHOUSE_JWKS_URL": "https://a.example/jwks.json", "GATEHOUSE_JWT_ISSUER": "https://a.example",
            "GATEHOUSE_ISSUER_SECRET_KEY": "sb_secret_0123456789abcdef", "GATEHOUSE_SECRETS": "",
        ]
        let settings = try ServerSettings(GivenValues.given(remote), parts: [.gateway])
        #expect(settings.issuer?.issuer == "https://a.example")
        #expect(settings.secrets == nil)
    }

    @Test(
        "The issuer is reached over https, or over http on this machine",
        arguments: [
            ("https://a.example", true), ("http://127.0.0.1:9999/auth/v1", true), ("http://localhost", true),
            ("http://a.example", false), ("http://127.0.0.1.a.example", false),
        ])
    func issuerScheme(url: String, isAllowed: Bool) {
        let problems = GivenValues.problems(
            [
                "GATEHOUSE_JWKS_URL": "https://a.example/jwks.json", "GATEHOUSE_JWT_ISSUER": url,
                "GATEHOUSE_ISSUER_SECRET_KEY": "sb_secret_0123456789abcdef",
            ], parts: [.gateway])
        #expect(problems.isEmpty == isAllowed)
    }
}
