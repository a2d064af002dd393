import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport
import Testing
import WebAuthn

struct PasskeyClient {
    static let origin = "https://app.example.org"

    let server: TestServer
    var device = SoftAuthenticator()

    init(_ server: TestServer) { self.server = server }

    /// Switches passkeys on for a test.
    static func settings(
        _ change: @escaping (inout PasskeyRules) -> Void = { _ in }
    ) -> (inout AuthSettings) -> Void {
        { settings in
            var rules = PasskeyRules()
            rules.allowsSignUp = true
            change(&rules)
            settings.passkeys = rules
            // Ignored: these values are valid.
            settings.identity = (try? RelyingParty(id: "example.org", name: "Example", origins: [origin])).map {
                AppIdentity(party: $0)
            }
        }
    }

    func post(_ path: String, bearer: String? = nil, _ json: AuthJSON? = nil) async throws -> TestAnswer {
        try await server.send(.post, "/auth/v1/passkeys\(path)", bearer: bearer, json: json)
    }

    /// Registers a passkey for a signed-in user.
    mutating func register(_ session: TestSession, _ changes: SoftChanges = SoftChanges()) async throws -> TestAnswer {
        let begun = try await post("/registration/options", bearer: session.accessToken)
        guard let options = begun.json["options"] else { return begun }
        let credential = try device.create(options, origin: Self.origin, changes)
        return try await post(
            "/registration/verify", bearer: session.accessToken, Self.answer(begun, credential))
    }

    /// Signs in with the newest passkey.
    mutating func signIn(_ changes: SoftChanges = SoftChanges()) async throws -> TestAnswer {
        let begun = try await post("/authentication/options")
        return try await post("/authentication/verify", get(begun, changes))
    }

    mutating func get(_ begun: TestAnswer, _ changes: SoftChanges = SoftChanges()) throws -> AuthJSON {
        Self.answer(begun, try device.get(#require(begun.json["options"]), origin: Self.origin, changes))
    }

    /// Signs up without a password.
    mutating func signUp(_ members: AuthJSONObject = [:]) async throws -> TestAnswer {
        let begun = try await post("/signup/options", .object(members))
        guard let options = begun.json["options"] else { return begun }
        let credential = try device.create(options, origin: Self.origin)
        guard case .object(var answer) = Self.answer(begun, credential) else { return begun }
        answer.merge(members) { $1 }
        return try await post("/signup/verify", .object(answer))
    }

    /// nil without a session.
    static func level(_ answer: TestAnswer) -> String? {
        let token = answer.json["access_token"]?.stringValue ?? ""
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])) else { return nil }
        // Ignored: an unreadable token has no level.
        return (try? JSONReader.read(bytes))?["aal"]?.stringValue
    }

    static func answer(_ begun: TestAnswer, _ credential: AuthJSON) -> AuthJSON {
        ["challenge_id": begun.json["challenge_id"] ?? .null, "credential": credential]
    }
}
