import Foundation
import Gatehouse
import GatehouseWire

private let factorID = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!
private let challengeID = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000002")!
private let enrolled: AuthJSON = ["id": "a1b2c3d4-0000-4000-8000-000000000001", "type": "totp"]
private let challenge: AuthJSON = [
    "id": "a1b2c3d4-0000-4000-8000-000000000002", "type": "totp", "expires_at": 1_767_226_200,
]
private let codes: AuthJSON = ["id": "a1b2c3d4-0000-4000-8000-000000000001", "codes": ["abc"]]
private let passkey: AuthJSON = [
    "id": "a1b2c3d4-0000-4000-8000-000000000001", "created_at": "2026-01-01T00:00:00Z", "friendly_name": "Passkey",
]

extension GoldenRequest {
    static let factors: [GoldenRequest] = [
        GoldenRequest(
            name: "enroll an authenticator app",
            request: #"POST /factors {"factor_type":"totp","friendly_name":"phone","issuer":"Journal"}"#,
            bearer: "access", answer: enrolled,
            call: { _ = try await $0.mfa.enroll(params: .totp(issuer: "Journal", friendlyName: "phone")) }),
        GoldenRequest(
            name: "enroll a telephone", request: #"POST /factors {"factor_type":"phone","phone":"+491"}"#,
            bearer: "access", answer: enrolled, call: { _ = try await $0.mfa.enroll(params: .phone(phone: "+491")) }),
        GoldenRequest(
            name: "enroll a security key", request: #"POST /factors {"factor_type":"webauthn"}"#,
            bearer: "access", answer: enrolled, call: { _ = try await $0.mfa.enroll(params: .webAuthn()) }),
        GoldenRequest(
            name: "challenge a factor, without a body",
            request: "POST /factors/a1b2c3d4-0000-4000-8000-000000000001/challenge",
            bearer: "access", answer: challenge,
            call: { _ = try await $0.mfa.challenge(params: FactorChallengeParams(factorId: factorID)) }),
        GoldenRequest(
            name: "verify a code",
            request: #"""
                POST /factors/a1b2c3d4-0000-4000-8000-000000000001/verify {"challenge_id":"a1b2c3d4-0000-4000-\#
                8000-000000000002","code":"123456"}
                """#,
            bearer: "access", answer: session,
            call: {
                try await $0.mfa.verify(
                    params: FactorVerifyParams(factorId: factorID, challengeId: challengeID, code: "123456"))
            }),
        GoldenRequest(
            name: "verify the answer of an authenticator",
            request: #"""
                POST /factors/a1b2c3d4-0000-4000-8000-000000000001/verify {"challenge_id":"a1b2c3d4-0000-4000-\#
                8000-000000000002","webauthn":{"credential_response":{"id":"k"},"type":"create"}}
                """#,
            bearer: "access", answer: session,
            call: {
                try await $0.mfa.verify(
                    params: FactorVerifyParams(
                        factorId: factorID, challengeId: challengeID, credentialResponse: ["id": "k"], creates: true))
            }),
        GoldenRequest(
            name: "recovery codes: status", request: "GET /factors/recovery-codes", bearer: "access",
            answer: ["id": "a1b2c3d4-0000-4000-8000-000000000001", "total": 10, "remaining": 9],
            call: { _ = try await $0.mfa.recoveryCodes.status() }),
        GoldenRequest(
            name: "recovery codes: regenerate, without a body", request: "POST /factors/recovery-codes/regenerate",
            bearer: "access", answer: codes, call: { _ = try await $0.mfa.recoveryCodes.regenerate() }),
        GoldenRequest(
            name: "recovery codes: verify", request: #"POST /factors/recovery-codes/verify {"code":"abc def"}"#,
            bearer: "access", answer: session, call: { try await $0.mfa.recoveryCodes.verify(code: "abc def") }),
    ]

    static let passkeys: [GoldenRequest] = [
        GoldenRequest(
            name: "passkeys: options to register, without a body", request: "POST /passkeys/registration/options",
            bearer: "access", answer: PasskeyAnswers.registration,
            call: { _ = try await $0.getPasskeyRegistrationOptions() }),
        GoldenRequest(
            name: "passkeys: options for an automatic registration",
            request: #"POST /passkeys/registration/options {"mediation":"conditional"}"#,
            bearer: "access", answer: PasskeyAnswers.registration,
            call: { _ = try await $0.getPasskeyRegistrationOptions(style: .automatic) }),
        GoldenRequest(
            name: "passkeys: register",
            request: #"""
                POST /passkeys/registration/verify {"challenge_id":"a1b2c3d4-0000-4000-8000-000000000002",\#
                "credential":{"id":"k"}}
                """#,
            bearer: "access", answer: passkey,
            call: {
                try await $0.verifyPasskeyRegistration(challengeId: challengeID, credentialResponse: ["id": "k"])
            }),
        GoldenRequest(
            name: "passkeys: options to sign in, without a body", request: "POST /passkeys/authentication/options",
            answer: PasskeyAnswers.authentication, call: { _ = try await $0.getPasskeyAuthenticationOptions() }),
        GoldenRequest(
            name: "passkeys: options to sign in, with a captcha",
            request: #"POST /passkeys/authentication/options {"gotrue_meta_security":{"captcha_token":"c"}}"#,
            answer: PasskeyAnswers.authentication,
            call: { _ = try await $0.getPasskeyAuthenticationOptions(captchaToken: "c") }),
        GoldenRequest(
            name: "passkeys: sign in",
            request: #"""
                POST /passkeys/authentication/verify {"challenge_id":"a1b2c3d4-0000-4000-8000-000000000002",\#
                "credential":{"id":"k"}}
                """#,
            answer: session,
            call: {
                try await $0.verifyPasskeyAuthentication(challengeId: challengeID, credentialResponse: ["id": "k"])
            }),
        GoldenRequest(
            name: "passkeys: options to sign up, for a sheet that asks for the address",
            request: "POST /passkeys/signup/options {}", answer: PasskeyAnswers.registration,
            call: { _ = try await $0.getPasskeySignUpOptions() }),
        GoldenRequest(
            name: "passkeys: options to sign up",
            request: #"POST /passkeys/signup/options {"data":{"first_name":"Ada"},"email":"a@b.c"}"#,
            answer: PasskeyAnswers.registration,
            call: { _ = try await $0.getPasskeySignUpOptions(email: "a@b.c", data: ["first_name": "Ada"]) }),
        GoldenRequest(
            name: "passkeys: list", request: "GET /passkeys/", bearer: "access", answer: .array([passkey]),
            call: { _ = try await $0.listPasskeys() }),
        GoldenRequest(
            name: "passkeys: rename",
            request: #"PATCH /passkeys/a1b2c3d4-0000-4000-8000-000000000001 {"friendly_name":"Mine"}"#,
            bearer: "access", answer: passkey,
            call: { try await $0.renamePasskey(id: factorID, friendlyName: "Mine") }),
        GoldenRequest(
            name: "passkeys: delete", request: "DELETE /passkeys/a1b2c3d4-0000-4000-8000-000000000001",
            bearer: "access", call: { try await $0.deletePasskey(id: factorID) }),
    ]
}

/// Responses of the server, as recorded.
enum PasskeyAnswers {
    static let registration: AuthJSON = [
        "challenge_id": "a1b2c3d4-0000-4000-8000-000000000002", "expires_at": 1_767_226_200,
        "options": [
            "rp": ["name": "Example App", "id": "example.org"],
            "user": ["name": "ada@example.com", "displayName": "Ada", "id": "MGY2ZA"], "challenge": "AQID",
            "pubKeyCredParams": [["type": "public-key", "alg": -7]], "timeout": 300_000,
            "authenticatorSelection": ["residentKey": "required", "userVerification": "preferred"],
            "attestation": "none", "excludeCredentials": [["type": "public-key", "id": "BAU"]],
        ],
    ]

    static let authentication: AuthJSON = [
        "challenge_id": "a1b2c3d4-0000-4000-8000-000000000002", "expires_at": 1_767_226_200,
        "options": [
            "challenge": "AQID", "timeout": 300_000, "rpId": "example.org", "userVerification": "preferred",
        ],
    ]
}
