import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport
import Testing

/// Routes of the protocol whose feature this server lacks.
@Suite("Missing features")
struct AbsentFeatureTests {
    enum Caller: Sendable { case anyone, user, admin }
    typealias Row = (method: HTTPRequest.Method, path: String, caller: Caller, status: Int, code: String?)

    static let factor = "6f1c2a34-5b6d-4e7f-8a9b-0c1d2e3f4a5b"
    static let stranger = "6b1c8a2e-3f0d-4a53-9f0e-1b2c3d4e5f60"

    static let mail: [Row] = [
        (.post, "/recover", .anyone, 400, "email_provider_disabled"),
        (.post, "/magiclink", .anyone, 422, "email_provider_disabled"),
        (.get, "/verify?token=a&type=signup", .anyone, 403, "otp_expired"),
        (.post, "/verify/", .anyone, 403, "otp_expired"),
        (.get, "/reauthenticate", .user, 400, "email_provider_disabled"),
        (.get, "/reauthenticate/", .user, 400, "email_provider_disabled"),
        (.post, "/invite", .admin, 422, "email_provider_disabled"),
        (.post, "/admin/generate_link", .admin, 422, "email_provider_disabled"),
    ]

    static let factors: [Row] = [
        (.delete, "/factors/\(factor)", .user, 404, "mfa_factor_not_found"),
        (.delete, "/factors/abc", .user, 404, "validation_failed"),
        (.post, "/factors/\(factor.uppercased())/challenge", .user, 404, "mfa_factor_not_found"),
        (.post, "/factors/abc/challenge", .user, 404, "validation_failed"),
        (.post, "/factors/\(factor)/verify", .user, 404, "mfa_factor_not_found"),
        (.get, "/factors/recovery-codes", .user, 404, "mfa_factor_not_found"),
        (.post, "/factors/recovery-codes", .user, 422, "mfa_recovery_codes_enroll_not_enabled"),
        (.delete, "/factors/recovery-codes", .user, 403, "insufficient_aal"),
        (.post, "/factors/recovery-codes/verify", .user, 422, "mfa_recovery_codes_verify_not_enabled"),
        (.post, "/factors/recovery-codes/regenerate", .user, 422, "mfa_recovery_codes_enroll_not_enabled"),
        (.get, "/admin/users/{user}/factors", .admin, 200, nil),
        (.get, "/admin/users/\(stranger)/factors", .admin, 404, "user_not_found"),
        (.get, "/admin/users/abc/factors", .admin, 404, "validation_failed"),
        (.put, "/admin/users/{user}/factors/\(factor)", .admin, 404, "mfa_factor_not_found"),
        (.put, "/admin/users/{user}/factors/abc", .admin, 404, "validation_failed"),
        (.delete, "/admin/users/{user}/factors/\(factor)", .admin, 404, "mfa_factor_not_found"),
        (.delete, "/admin/users/\(stranger)/factors/abc", .admin, 404, "user_not_found"),
    ]

    static let passkeys: [Row] = [
        (.get, "/passkeys", .anyone, 404, "passkey_disabled"),
        (.get, "/passkeys/", .anyone, 404, "passkey_disabled"),
        (.patch, "/passkeys/abc", .anyone, 404, "passkey_disabled"),
        (.delete, "/passkeys/\(factor)", .anyone, 404, "passkey_disabled"),
        (.post, "/passkeys/registration/options", .anyone, 404, "passkey_disabled"),
        (.post, "/passkeys/registration/verify", .anyone, 404, "passkey_disabled"),
        (.post, "/passkeys/authentication/options", .anyone, 404, "passkey_disabled"),
        (.post, "/passkeys/authentication/verify", .anyone, 404, "passkey_disabled"),
        (.get, "/admin/users/{user}/passkeys", .admin, 200, nil),
        (.get, "/admin/users/\(stranger)/passkeys", .admin, 404, "user_not_found"),
        (.delete, "/admin/users/{user}/passkeys/\(factor)", .admin, 404, "validation_failed"),
    ]

    static let partners: [Row] = [
        (.get, "/.well-known/oauth-authorization-server", .anyone, 404, "feature_disabled"),
        (.get, "/oauth/authorize?client_id=x", .anyone, 404, "feature_disabled"),
        (.get, "/oauth/authorizations/\(factor)", .anyone, 404, "feature_disabled"),
        (.post, "/oauth/authorizations/\(factor)/consent", .anyone, 404, "feature_disabled"),
        (.post, "/oauth/token", .anyone, 404, "feature_disabled"),
        (.get, "/oauth/userinfo", .anyone, 404, "feature_disabled"),
        (.post, "/oauth/clients/register", .anyone, 404, "feature_disabled"),
        (.get, "/user/oauth/grants", .user, 404, "feature_disabled"),
        (.delete, "/user/oauth/grants?client_id=x", .user, 404, "feature_disabled"),
        (.get, "/admin/oauth/clients", .admin, 404, "feature_disabled"),
        (.post, "/admin/oauth/clients", .admin, 404, "feature_disabled"),
        (.get, "/admin/oauth/clients/\(factor)", .admin, 404, "feature_disabled"),
        (.post, "/admin/oauth/clients/\(factor)/regenerate_secret", .admin, 404, "feature_disabled"),
        (.post, "/sso", .anyone, 404, "saml_provider_disabled"),
        (.get, "/sso/saml/metadata", .anyone, 404, "saml_provider_disabled"),
        (.post, "/sso/saml/acs", .anyone, 404, "saml_provider_disabled"),
        (.get, "/admin/sso/providers", .admin, 200, nil),
        (.post, "/admin/sso/providers", .admin, 404, "saml_provider_disabled"),
        (.put, "/admin/sso/providers/\(factor)", .admin, 404, "sso_provider_not_found"),
        (.get, "/admin/custom-providers", .admin, 404, "feature_disabled"),
        (.delete, "/admin/custom-providers/custom:a", .admin, 404, "feature_disabled"),
        (.get, "/scim/v2/Users", .anyone, 404, "feature_disabled"),
    ]

    @Test(
        "Each answers in JSON with its code, after the check of the caller and before the body is read",
        arguments: [mail, factors, passkeys, partners])
    func answers(_ rows: [Row]) async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            for row in rows {
                let path = "/auth/v1" + row.path.replacing("{user}", with: ada.userID)
                let bearers = [Caller.user: ada.accessToken, .admin: TestServer.secretKey]
                let answer = try await server.send(
                    row.method, path, bearer: bearers[row.caller], raw: Array("{".utf8))
                #expect(answer.status == row.status && answer.code == row.code, "\(row.method) \(path): \(answer)")
                #expect(answer.headers[.contentType] == "application/json")
                guard row.caller != .anyone else { continue }
                #expect(try await server.send(row.method, path).code == "no_authorization", "\(path)")
                guard row.caller == .admin else { continue }
                let person = try await server.send(row.method, path, bearer: ada.accessToken)
                #expect(person.code == "not_admin", "\(path)")
            }
        }
    }

    @Test("Without mail its routes have no limits")
    func unlimited() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            let ada = try await server.signUp()
            for row in Self.mail where row.caller != .admin {
                for _ in 0..<40 {
                    let answer = try await server.send(
                        row.method, "/auth/v1" + row.path, bearer: row.caller == .user ? ada.accessToken : nil)
                    #expect(answer.status == row.status, "\(row.path)")
                }
            }
        }
    }

    @Test("A code by mail is refused by the provider that is off, which the body names, and has no limits")
    func codes() async throws {
        try await TestServer.with(limits: AuthRates()) { server in
            for _ in 0..<40 {
                let code = try await server.post("/otp", ["email": "ada@example.com"])
                #expect(code.status == 422 && code.code == "email_provider_disabled")
                let again = try await server.post("/resend", ["type": "signup", "email": "ada@example.com"])
                #expect(again.status == 400 && again.code == "email_provider_disabled")
            }
        }
    }

    @Test("An administrator's lists are empty")
    func lists() async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            #expect(try await server.admin(.get, "/users/\(ada.userID)/factors").text == "[]")
            #expect(try await server.admin(.get, "/users/\(ada.userID)/passkeys/").text == "[]")
            #expect(try await server.admin(.get, "/sso/providers").text == #"{"items":[]}"#)
        }
    }

    @Test(
        "A factor by text message or by security key cannot be enrolled",
        arguments: [
            (#"{"factor_type":"phone","phone":"1"}"#, 422, "mfa_phone_enroll_not_enabled"),
            (#"{"factor_type":"webauthn"}"#, 422, "mfa_webauthn_enroll_not_enabled"),
            (#"{"factor_type":"recovery_code"}"#, 400, "validation_failed"), ("{}", 400, "validation_failed"),
            ("", 400, "bad_json"),
        ])
    func enrolling(_ body: String, _ status: Int, _ code: String) async throws {
        try await TestServer.with { server in
            let ada = try await server.signUp()
            for path in ["/auth/v1/factors", "/auth/v1/factors/"] {
                let answer = try await server.send(.post, path, bearer: ada.accessToken, raw: Array(body.utf8))
                #expect(answer.status == status && answer.code == code, "\(answer)")
                #expect(try await server.send(.post, path, raw: Array(body.utf8)).code == "no_authorization")
            }
        }
    }

    @Test("Anonymous accounts have no second factors, and a wrong method is refused after the bearer")
    func callers() async throws {
        try await TestServer.with { server in
            let signedUp = try await server.send(.post, "/auth/v1/signup", json: [:])
            let anonymous = try #require(TestSession(signedUp))
            for path in ["/auth/v1/factors", "/auth/v1/factors/recovery-codes", "/auth/v1/factors/x/verify"] {
                let refused = try await server.send(.post, path, bearer: anonymous.accessToken)
                #expect(refused.status == 403 && refused.code == "no_authorization", "\(path): \(refused)")
            }
            let ada = try await server.signUp()
            for path in ["/auth/v1/factors", "/auth/v1/reauthenticate"] {
                #expect(try await server.send(.put, path).status == 401)
                #expect(try await server.send(.put, path, bearer: ada.accessToken).status == 405)
            }
        }
    }

    @Test("With required keys, the mail routes need one; links and passkeys do not")
    func requiredKeys() async throws {
        try await TestServer.with(change: { $0.apiKeys.areRequired = true }) { server in
            let mail = try await server.send(.post, "/auth/v1/otp", json: [:])
            #expect(mail.code == "no_api_key")
            let link = try await server.send(.get, "/auth/v1/verify?token=a&type=signup")
            #expect(link.code == "otp_expired")
            let passkey = try await server.send(.get, "/auth/v1/passkeys")
            #expect(passkey.code == "passkey_disabled")
        }
    }
}
