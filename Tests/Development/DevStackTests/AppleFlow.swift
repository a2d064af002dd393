import Crypto
import DevStack
import Foundation
import GatehouseWire
import HTTPTypes
import JSONWebTokens

extension DevRouter {
    static let appleKeys = "/dev/apple/auth/keys"

    /// nil omits a parameter.
    func appleQuery(_ changes: [String: String?] = [:]) -> [String: String] {
        let usual: [String: String?] = [
            "client_id": apple.webClient, "redirect_uri": Self.callback, "response_type": "code",
            "response_mode": "form_post", "scope": "name email", "state": "state-1", "nonce": "nonce-1",
        ]
        return usual.merging(changes) { _, change in change }.compactMapValues(\.self)
    }

    func chooseAtApple(
        _ person: String, email: String? = nil, _ changes: [String: String?] = [:]
    ) async throws -> DevAnswer {
        let form: [String: String?] = ["person": person, "email": email]
        return try await post(
            "/dev/apple/auth/authorize", query: appleQuery(changes), form.compactMapValues(\.self))
    }

    func appleCode(_ person: String = "verified") async throws -> String {
        try await chooseAtApple(person).hiddenFields["code"] ?? ""
    }

    /// null omits a claim.
    func appleSecret(
        client: String? = nil, _ changes: AuthJSONObject = [:], key: P256.Signing.PrivateKey? = nil,
        keyID: String? = nil
    ) throws -> String {
        let registered = try P256.Signing.PrivateKey(pemRepresentation: apple.privateKey.reveal())
        let signer = try TokenSigner(
            JSONWebKey(es256: Array((key ?? registered).rawRepresentation), id: keyID ?? apple.keyID))
        var claims: AuthJSONObject = [
            "iss": .string(apple.teamID), "sub": .string(client ?? apple.webClient),
            "aud": "https://appleid.apple.com", "iat": .integer(now.seconds),
            "exp": .integer(now.seconds + 3_600),
        ]
        claims.merge(deletingNulls: changes)
        return try signer.sign(payload: Array(AuthJSON.object(claims).text.utf8))
    }

    /// nil omits a form field.
    func appleToken(
        code: String, client: String? = nil, _ changes: [String: String?] = [:]
    ) async throws -> DevAnswer {
        let usual: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": client ?? apple.webClient,
            "client_secret": try appleSecret(client: client), "redirect_uri": Self.callback,
        ]
        let form = usual.merging(changes) { _, change in change }.compactMapValues(\.self)
        return try await post("/dev/apple/auth/token", form)
    }

    func appleRefresh(_ token: String?) async throws -> DevAnswer {
        try await appleToken(
            code: "", ["grant_type": "refresh_token", "refresh_token": token, "code": nil, "redirect_uri": nil])
    }

    func revokeAtApple(
        _ token: String?, client: String? = nil, hint: String? = "refresh_token"
    ) async throws -> DevAnswer {
        let form: [String: String?] = [
            "client_id": client ?? apple.webClient, "client_secret": try appleSecret(client: client),
            "token": token, "token_type_hint": hint,
        ]
        return try await post("/dev/apple/auth/revoke", form.compactMapValues(\.self))
    }

    func appleCredential(_ changes: AuthJSONObject = [:]) async throws -> DevAnswer {
        let usual: AuthJSONObject = ["person": "verified", "nonce": "nonce-n"]
        return try await post(
            "/dev/apple/native-credential", json: .object(usual.merging(changes) { _, change in change }))
    }
}
