import Foundation
import Gatehouse
import GatehouseWire

private let factorID = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000001")!

extension GoldenRequest {
    static let phones: [GoldenRequest] = [
        GoldenRequest(
            name: "sign up with a telephone number",
            request: #"""
                POST /signup {"channel":"sms","data":{"first_name":"Ada"},"password":"p","phone":"+4912345678"}
                """#,
            answer: user,
            call: { try await $0.signUp(phone: "+4912345678", password: "p", data: ["first_name": "Ada"]) }),
        GoldenRequest(
            name: "sign in with a telephone number and a password",
            request: #"POST /token?grant_type=password {"password":"p","phone":"+4912345678"}"#, answer: session,
            call: { try await $0.signIn(phone: "+4912345678", password: "p") }),
        GoldenRequest(
            name: "text a code", request: #"POST /otp {"channel":"sms","create_user":true,"phone":"+4912345678"}"#,
            call: { try await $0.signInWithOTP(phone: "+4912345678") }),
        GoldenRequest(
            name: "send a code by WhatsApp, to an existing account",
            request: #"""
                POST /otp {"channel":"whatsapp","create_user":false,"gotrue_meta_security":{"captcha_token":"c"},\#
                "phone":"+4912345678"}
                """#,
            call: {
                try await $0.signInWithOTP(
                    phone: "+4912345678", channel: .whatsapp, shouldCreateUser: false, captchaToken: "c")
            }),
        GoldenRequest(
            name: "verify a texted code with a password",
            request: #"POST /verify {"password":"p","phone":"+4912345678","token":"123456","type":"sms"}"#,
            answer: session,
            call: { try await $0.verifyOTP(phone: "+4912345678", token: "123456", type: .sms, password: "p") }),
        GoldenRequest(
            name: "verify the code of a new number",
            request: #"POST /verify {"phone":"+4912345678","token":"123456","type":"phone_change"}"#,
            bearer: "access", answer: session,
            call: { try await $0.verifyOTP(phone: "+4912345678", token: "123456", type: .phoneChange) }),
        GoldenRequest(
            name: "text a code again", request: #"POST /resend {"phone":"+4912345678","type":"phone_change"}"#,
            call: { try await $0.resend(phone: "+4912345678", type: .phoneChange) }),
        GoldenRequest(
            name: "change the number",
            request: #"PUT /user {"channel":"whatsapp","current_password":"p","nonce":"123456","phone":"+4912345678"}"#,
            bearer: "access", answer: user,
            call: {
                var change = AuthUserAttributes(phone: "+4912345678", currentPassword: "p", nonce: "123456")
                change.channel = .whatsapp
                try await $0.update(user: change)
            }),
        GoldenRequest(
            name: "challenge a telephone",
            request: #"POST /factors/a1b2c3d4-0000-4000-8000-000000000001/challenge {"channel":"whatsapp"}"#,
            bearer: "access",
            answer: ["id": "a1b2c3d4-0000-4000-8000-000000000002", "type": "phone", "expires_at": 1_767_226_200],
            call: {
                _ = try await $0.mfa.challenge(
                    params: FactorChallengeParams(factorId: factorID, channel: .whatsapp))
            }),
    ]
}
