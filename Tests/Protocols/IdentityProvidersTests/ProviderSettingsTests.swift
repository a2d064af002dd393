import GatehouseWire
import IdentityProviders
import Testing

@Suite("Settings of providers")
struct ProviderSettingsTests {
    private func problems(_ make: () throws -> ProviderSettings) -> [ProviderSettingsProblem] {
        do {
            _ = try make()
            return []
        } catch {
            return (error as? ProviderSettingsProblems)?.problems ?? []
        }
    }

    @Test("All faults are found at once")
    func all() {
        let found = problems { try .openID(name: "Bad Name", issuer: "not a url", clientIDs: [""], credential: .none) }
        #expect(found == [.missingClientID, .name("Bad Name"), .url("not a url")])
        #expect(problems { try .apple(clientIDs: [], credential: .none, base: "x") } == [.missingClientID, .url("x")])
        #expect(problems { try .google(clientIDs: [], credential: .none) } == [.missingClientID])
    }

    @Test(
        "Names have a simple form, and those of other sign-in methods are taken",
        arguments: [
            ("acme", true), ("custom:acme-2", true), ("my_idp", true), ("", false), ("Acme", false), ("email", false),
            ("phone", false), ("sso:1", false), ("anonymous", false), ("a b", false), ("ä", false),
        ])
    func names(_ name: String, _ isGood: Bool) {
        let found = problems {
            try .openID(name: name, issuer: "https://a.org", clientIDs: ["a"], credential: .none)
        }
        #expect(found == (isGood ? [] : [.name(name)]))
        let long = String(repeating: "a", count: 65)
        #expect(
            problems { try .openID(name: long, issuer: "https://a.org", clientIDs: ["a"], credential: .none) }
                == [.name(long)])
    }

    @Test("A forbidden address is found when the provider is created, not at the first sign-in")
    func addresses() throws {
        let acme = try ScriptedProvider(key: TestKeys.es256())
        let settings = try ProviderSettings.openID(
            name: "acme", issuer: "https://10.0.0.1", clientIDs: ["a"], credential: .none)
        let expected = ProviderSettingsProblem.addressRefused(.notPublic(host: "10.0.0.1"))
        #expect(throws: ProviderSettingsProblems([expected])) { try acme.provider(settings) }
        let (keys, door) = (ProviderURL("https://id.example.org/keys"), ProviderURL("http://id.example.org/"))
        let metadata = ProviderMetadata(
            issuer: acme.issuer, keys: try #require(keys), authorization: door, token: ProviderURL("https://10.0.0.1/"))
        let fixed = try ProviderSettings.openID(
            name: "acme", issuer: acme.issuer, clientIDs: ["a"], credential: .none, endpoints: metadata)
        let insecure = ProviderSettingsProblem.addressRefused(.notHTTPS(host: "id.example.org"))
        #expect(throws: ProviderSettingsProblems([expected, insecure])) { try acme.provider(fixed) }
        let allowed = try OutgoingAddressRule(allowedNetworks: [#require(IPNetwork("10.0.0.0/8"))])
        _ = try acme.provider(settings, rule: allowed)
    }

    @Test("Secrets in the settings do not print")
    func secrets() throws {
        let settings = try ProviderSettings.google(clientIDs: ["a"], credential: .secret(Secret("s3cret")))
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!dumped.contains("s3cret"))
    }
}
