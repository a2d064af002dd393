import AuthServer
import GatehouseCLI
import GatehouseWire
import IdentityProviders
import Testing
import WebAuthn

@Suite("Checks of the passkeys' domain")
struct PasskeyChecksTests {
    private struct NoAnswer: Error {}

    private func findings(
        id: String = "example.org", related: Bool = false, pages: String? = nil, _ published: [String: String]
    ) async throws -> [Finding] {
        let origins = ["https://\(id)"] + (related ? ["https://example.com"] : [])
        let identity = AppIdentity(
            party: try RelyingParty(id: id, name: "E", origins: origins, allowsRelatedOrigins: true),
            apps: AppIdentifiers(apple: ["A1B2C3D4E5.org.example.app"]))
        let checks = PasskeyChecks(identity, files: WellKnownFiles(identity, accountPage: nil), pages: pages) { url in
            guard let body = published[url.text] else { throw NoAnswer() }
            return ProviderResponse(status: body.isEmpty ? 404 : 200, body: Array(body.utf8))
        }
        return await checks.all()
    }

    private static let association = "https://example.org/.well-known/apple-app-site-association"
    private static let origins = "https://example.org/.well-known/webauthn"

    @Test("A domain that publishes at least what the settings say is right")
    func right() async throws {
        let findings = try await findings([
            Self.association:
                #"{"applinks":{},"webcredentials":{"apps":["X","A1B2C3D4E5.org.example.app"]}}"#,
            Self.origins: #"{"origins":["https://other.example","https://example.org"]}"#,
        ])
        #expect(findings.map(\.state) == [.ok])
    }

    @Test("A missing or different file of apps is a problem; one of related origins only if there are some")
    func wrong() async throws {
        for body in [nil, "", "{}", #"{"webcredentials":{"apps":["A1B2C3D4E5.org.example.other"]}}"#, "no JSON"] {
            let findings = try await findings(body.map { [Self.association: $0] } ?? [:])
            #expect(findings.map(\.state) == [.problem, .warning])
            #expect(findings[0].advice?.contains("A1B2C3D4E5.org.example.app") == true)
        }
        #expect(try await findings(related: true, [:]).map(\.state) == [.problem, .problem])
    }

    @Test("Account pages whose origin has no passkeys are a warning, and this machine publishes nothing")
    func pages() async throws {
        let findings = try await findings(id: "localhost", pages: "https://accounts.example.org", [:])
        #expect(findings.map(\.state) == [.warning])
        #expect(try await self.findings(id: "localhost", pages: "https://localhost", [:]).isEmpty)
    }
}
