import GatehouseWire
import Testing
import WebAuthn

@Suite("Relying parties and options")
struct OptionTests {
    @Test(
        "A domain with its origins is accepted",
        arguments: ["example.org", "localhost", "EXAMPLE.org", "a.b-c.example"])
    func domains(id: String) throws {
        let host = id.lowercased()
        let scheme = host == "localhost" ? "http" : "https"
        let party = try RelyingParty(id: id, name: "Example", origins: ["\(scheme)://\(host):3000"])
        #expect(party.id == host)
    }

    @Test(
        "An RP ID that browsers refuse is refused",
        arguments: [
            "", "127.0.0.1", "[::1]", "https://example.org", "example.org:443", ".example.org", "a..b", "-a.org",
            "é.org",
        ])
    func ids(id: String) {
        #expect(throws: RelyingPartyProblem.invalidID) {
            try RelyingParty(id: id, name: "Example", origins: ["https://example.org"])
        }
    }

    @Test("Origins outside of the domain, of other schemes or with a path are refused")
    func origins() throws {
        func problem(_ origin: String) -> RelyingPartyProblem? {
            do throws(RelyingPartyProblem) {
                _ = try RelyingParty(id: "example.org", name: "Example", origins: [origin])
                return nil
            } catch { return error }
        }
        #expect(problem("https://app.example.org:8443") == nil)
        #expect(problem("HTTPS://EXAMPLE.org") == nil)
        for text in ["https://evilexample.org", "https://example.org.evil.example", "https://example.com"] {
            #expect(problem(text) == .foreignOrigin(text))
        }
        for text in [
            "", "https://", "https://example.org/", "https://example.org/a", "http://example.org", "ftp://example.org",
            "https://a@example.org", "https://example.org:0", "https://example.org:65536", "https://example.org:",
            "android:apk-key-hash:short", "ios:bundle-id:", "ios:bundle-id:a b", "null",
        ] { #expect(problem(text) == .invalidOrigin(text), "\(text)") }
        #expect(throws: RelyingPartyProblem.noOrigin) { try RelyingParty(id: "example.org", name: "", origins: []) }
        let related = try RelyingParty(
            id: "example.org", name: "", origins: ["https://example.com"], allowsRelatedOrigins: true)
        #expect(related.origins.count == 1)
    }

    @Test("Origins are compared without case and default port")
    func equalOrigins() {
        #expect(CeremonyOrigin("https://Example.org:443") == CeremonyOrigin("https://example.org"))
        #expect(CeremonyOrigin("http://localhost:80") == CeremonyOrigin("http://localhost"))
        #expect(CeremonyOrigin("https://example.org:80") != CeremonyOrigin("https://example.org"))
    }

    @Test("The creation options have the members of Supabase's")
    func creation() throws {
        let ceremonies = try Ceremonies()
        let options = CreationOptions(
            relyingParty: ceremonies.party, user: .init(handle: [1], name: "ada@example.com", displayName: "Ada"),
            challenge: [2, 3], algorithms: [.es256, .rs256], excluded: [CredentialDescriptor(id: [4])])
        #expect(
            options.json
                == #"{"rp":{"name":"Example","id":"example.org"},"#
                + #""user":{"name":"ada@example.com","displayName":"Ada","id":"AQ"},"challenge":"AgM","#
                + #""pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"#
                + #""timeout":300000,"excludeCredentials":[{"type":"public-key","id":"BA"}],"#
                + #""authenticatorSelection":{"residentKey":"required","userVerification":"preferred"},"#
                + #""attestation":"none"}"#)
        #expect(COSEAlgorithm.allCases.map(\.rawValue) == [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8])
    }

    @Test("The options of a factor have no selection and no attestation")
    func factor() throws {
        let ceremonies = try Ceremonies()
        let options = CreationOptions(
            relyingParty: ceremonies.party, user: .init(handle: [1], name: "a", displayName: "a"), challenge: [2],
            algorithms: [.es256], selection: .anyAuthenticator, namesAttestation: false)
        #expect(options.json.hasSuffix(#""timeout":300000,"authenticatorSelection":{}}"#))
    }

    @Test("The request options have the members of Supabase's")
    func request() throws {
        let ceremonies = try Ceremonies()
        let passkey = RequestOptions(relyingParty: ceremonies.party, challenge: [2])
        #expect(
            passkey.json
                == #"{"challenge":"Ag","timeout":300000,"rpId":"example.org","userVerification":"preferred"}"#)
        let allowed = CredentialDescriptor(id: [4], transports: ["usb", "nfc"])
        let factor = RequestOptions(
            relyingParty: ceremonies.party, challenge: [2], allowed: [allowed], userVerification: nil)
        #expect(
            factor.json
                == #"{"challenge":"Ag","timeout":300000,"rpId":"example.org","allowCredentials":"#
                + #"[{"type":"public-key","id":"BA","transports":["usb","nfc"]}]}"#)
    }
}
