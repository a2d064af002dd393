import GatehouseServer
import PasswordHashing
import TestSupport
import Testing

@Suite("Settings of passwords")
struct PasswordSettingsTests {
    @Test(
        "The memory of a hash is one of OWASP's two",
        arguments: [("19MiB", Argon2Settings.owasp), ("46mib", .owaspMemory)])
    func memory(_ text: String, _ expected: Argon2Settings) throws {
        #expect(try GivenValues.settings(["GATEHOUSE_HASH_MEMORY": text]).hashCost == expected)
        #expect(try GivenValues.settings().hashCost == .owasp)
        #expect(GivenValues.problems(["GATEHOUSE_HASH_MEMORY": "64MiB"]).map(\.name) == ["GATEHOUSE_HASH_MEMORY"])
    }

    @Test("Breached passwords are looked up if that is switched on, and at a public https address")
    func breaches() throws {
        let on = ["GOTRUE_PASSWORD_HIBP_ENABLED": "true"]
        #expect(try GivenValues.settings().breachedPasswordsURL == nil)
        #expect(try GivenValues.settings(on).breachedPasswordsURL == "https://api.pwnedpasswords.com/range/")
        for url in ["http://pwned.example/range/", "https://10.0.0.1/range/", "https://pwned.example/range", "pwned"] {
            let given = on.merging(["GATEHOUSE_PASSWORD_HIBP_URL": url]) { $1 }
            #expect(GivenValues.problems(given).map(\.name) == ["GATEHOUSE_PASSWORD_HIBP_URL"], "\(url)")
        }
    }
}
