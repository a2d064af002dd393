import AccountDomain
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

extension TestServer {
    func factors(_ path: String, _ session: TestSession, _ json: AuthJSON? = nil) async throws -> TestAnswer {
        try await send(.post, "/auth/v1/factors\(path)", bearer: session.accessToken, json: json)
    }

    /// Through the API, not the pages.
    func addApp(_ session: TestSession, named name: String = "app") async throws -> TimeCode {
        let made = try await factors("", session, ["factor_type": "totp", "friendly_name": .string(name)])
        let codes = TimeCode(secret: try #require(Base32.decode((made["totp"]?["secret"]?.stringValue ?? "").utf8)))
        let path = "/\(made["id"]?.stringValue ?? "")"
        let challenge = try await factors(path + "/challenge", session)
        let raised = try await factors(
            path + "/verify", session,
            ["challenge_id": challenge["id"] ?? .null, "code": .string(codes.code(at: clock.now))])
        #expect(raised.status == 200)
        return codes
    }

    static let keyOrigin = "https://example.org"

    static var keyParty: RelyingParty {
        get throws {
            let party = try RelyingParty(id: "example.org", name: "Example", origins: [keyOrigin])
            return try #require(Optional(party))
        }
    }

    static var keyRules: FactorRules {
        var rules = FactorRules()
        rules.enrolling = [.totp, .webAuthn]
        rules.verifying = [.totp, .webAuthn]
        return rules
    }

    /// Through the API, not the pages.
    func addKey(_ session: TestSession, _ device: inout SoftAuthenticator) async throws {
        let made = try await factors("", session, ["factor_type": "webauthn", "friendly_name": "key"])
        let path = "/\(made["id"]?.stringValue ?? "")"
        let asked = try await factors(path + "/challenge", session)
        let options = try #require(asked["webauthn"]?["credential_options"]?["publicKey"])
        let credential = try device.create(options, origin: Self.keyOrigin)
        let raised = try await factors(
            path + "/verify", session,
            ["challenge_id": asked["id"] ?? .null, "webauthn": ["type": "create", "credential_response": credential]])
        #expect(raised.status == 200)
    }

    /// Each code is single-use.
    func nextCode(_ codes: TimeCode) -> String {
        clock.advance(by: .seconds(60))
        return codes.code(at: clock.now)
    }
}

extension TimeCode {
    func code(at now: Instant) -> String { code(of: Self.step(at: now)) }
}

extension WebPage {
    /// For a passkey or a security key.
    var keyOptions: AuthJSON {
        get throws {
            let text = try #require(WebPage.between("data-options=\"", "\"", in: text).first)
            let json = try JSONReader.read(text.replacing("&quot;", with: "\"").replacing("&amp;", with: "&"))
            return json["publicKey"] ?? json
        }
    }
}
