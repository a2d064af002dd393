import DevStack
import GatehouseWire
import HTTPTypes

extension DevRouter {
    static let googleKeys = "/dev/google/oauth2/v3/certs"
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636 appendix B.
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// nil omits a parameter.
    func googleQuery(_ changes: [String: String?] = [:]) -> [String: String] {
        let usual: [String: String?] = [
            "client_id": google.webClient, "redirect_uri": Self.callback, "response_type": "code",
            "scope": "openid email profile", "state": "state-1", "nonce": "nonce-1",
            "code_challenge": Self.challenge, "code_challenge_method": "S256",
        ]
        return usual.merging(changes) { _, change in change }.compactMapValues(\.self)
    }

    func chooseAtGoogle(
        _ person: String, email: String? = nil, _ changes: [String: String?] = [:]
    ) async throws -> DevAnswer {
        let form: [String: String?] = ["person": person, "email": email]
        return try await post(
            "/dev/google/o/oauth2/v2/auth", query: googleQuery(changes), form.compactMapValues(\.self))
    }

    func googleCode(_ person: String = "verified", _ changes: [String: String?] = [:]) async throws -> String {
        try await chooseAtGoogle(person, changes).callback["code"] ?? ""
    }

    /// nil omits a form field.
    func googleToken(
        code: String, _ changes: [String: String?] = [:], headers: HTTPFields = [:]
    ) async throws -> DevAnswer {
        let usual: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": google.webClient,
            "client_secret": google.secret.reveal(), "redirect_uri": Self.callback,
            "code_verifier": Self.verifier,
        ]
        let form = usual.merging(changes) { _, change in change }.compactMapValues(\.self)
        return try await post("/dev/google/token", form, headers: headers)
    }

    func googleRefresh(_ token: String?) async throws -> DevAnswer {
        try await googleToken(
            code: "",
            [
                "grant_type": "refresh_token", "refresh_token": token, "code": nil, "redirect_uri": nil,
                "code_verifier": nil,
            ])
    }

    func userInfo(_ accessToken: String?) async throws -> DevAnswer {
        try await get("/dev/google/userinfo", headers: accessToken.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }

    func googleCredential(_ changes: AuthJSONObject = [:]) async throws -> DevAnswer {
        let usual: AuthJSONObject = ["person": "verified", "nonce": "nonce-n"]
        return try await post(
            "/dev/google/native-credential", json: .object(usual.merging(changes) { _, change in change }))
    }
}
