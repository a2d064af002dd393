import AuthServer
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("What gatehouse dev makes up")
struct DevFolderTests {
    private static let created = Instant(seconds: 1_800_000_000)

    private func secrets() -> DevSecrets {
        DevSecrets(at: Self.created) { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) } }
    }

    @Test("Its secrets are the same after a restart")
    func roundTrip() throws {
        let made = secrets()
        let read = try #require(DevSecrets(json: made.json))
        #expect(read.json == made.json)
        #expect(try read.roleKey("anon") == made.roleKey("anon"))
    }

    @Test("A damaged file is not read as something else", arguments: ["", "{}", "[]", #"{"server_secrets":"1:x"}"#])
    func damaged(text: String) {
        #expect(DevSecrets(json: text) == nil)
    }

    @Test("The settings it starts with are complete, and those of a development server")
    func settings() throws {
        let address = ListenAddress(host: "127.0.0.1", port: 1_234)
        let environment = secrets().environment(database: "d/gatehouse.sqlite", address: address)
        let settings = try ServerSettings(GivenSettings(environment: environment))
        #expect(settings.listen == address)
        #expect(settings.auth.issuer == "http://127.0.0.1:1234/auth/v1")
        #expect(settings.auth.confirmsAutomatically && settings.auth.allowsAnonymousSignIn)
        #expect(settings.rates == nil)
        #expect(!settings.tokens.signsWithSharedSecret && settings.tokens.sharedSecret != nil)
        #expect(settings.auth.apiKeys.secret.count == 1 && settings.auth.apiKeys.publishable.count == 1)
    }

    @Test("A role key names the role, an issuer and ten years")
    func roleKey() throws {
        let parts = try secrets().roleKey("service_role").split(separator: ".")
        #expect(parts.count == 3)
        // {"alg":"HS256","typ":"JWT"}
        #expect(parts[0] == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9")
        // {"role":"service_role","iss":"gatehouse","iat":1800000000,"exp":2115360000}
        let claims =
            "eyJyb2xlIjoic2VydmljZV9yb2xlIiwiaXNzIjoiZ2F0ZWhvdXNlIiwiaWF0IjoxODAwMDAwMDAwLCJleHAiOjIxMTUzNjAwMDB9"
        #expect(parts[1] == claims)
    }

    @Test("--json is one line with exactly the seven names")
    func json() throws {
        let text = DevAddresses(
            url: "http://127.0.0.1:1", publishableKey: "p", secretKey: Secret("s"), anonKey: "a", serviceRoleKey: "r",
            folder: ".gatehouse"
        ).json
        #expect(!text.contains("\n"))
        let members = try #require(try JSONReader.read(text).objectValue)
        #expect(
            members == [
                "url": "http://127.0.0.1:1", "auth_url": "http://127.0.0.1:1/auth/v1",
                "gateway_url": "http://127.0.0.1:1", "publishable_key": "p", "secret_key": "s", "anon_key": "a",
                "service_role_key": "r",
            ])
    }
}
