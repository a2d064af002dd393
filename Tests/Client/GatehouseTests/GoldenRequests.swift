import Foundation
import Gatehouse
import GatehouseWire

private let id = UUID(uuidString: "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10")!

extension GoldenRequest {
    static let user: AuthJSON = [
        "id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "aud": "authenticated", "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
    ]
    static let session: AuthJSON = [
        "access_token": "access", "refresh_token": "refresh", "token_type": "bearer", "expires_in": 3_600,
        "expires_at": 1_767_229_200, "user": user,
    ]

    static let all = signIn + flows + account + codes + signOut + admin + factors + passkeys + phones + oauth

    private static let signIn: [GoldenRequest] = [
        GoldenRequest(
            name: "sign up",
            request: #"POST /signup {"data":{"first_name":"Ada"},"email":"a@b.c","password":"p"}"#,
            answer: user,
            call: {
                try await $0.signUp(email: "a@b.c", password: "p", data: ["first_name": .string("Ada")])
            }),
        GoldenRequest(
            name: "sign in",
            request: #"POST /token?grant_type=password {"email":"a@b.c","password":"p"}"#,
            answer: session,
            call: {
                try await $0.signIn(email: "a@b.c", password: "p")
            }),
        GoldenRequest(
            name: "sign in anonymously",
            request: #"POST /signup {"data":{}}"#,
            answer: session,
            call: {
                try await $0.signInAnonymously()
            }),
        GoldenRequest(
            name: "sign in with an ID token",
            request: #"""
                POST /token?grant_type=id_token {"access_token":"x","id_token":"t","nonce":"n","provider":\#
                "google"}
                """#,
            answer: session,
            call: {
                try await $0.signInWithIdToken(
                    credentials: .init(provider: .google, idToken: "t", accessToken: "x", nonce: "n"))
            }),
        GoldenRequest(
            name: "link an ID token",
            request: #"""
                POST /token?grant_type=id_token {"id_token":"t","link_identity":true,"provider":"apple"}
                """#,
            bearer: "access",
            answer: session,
            call: {
                try await $0.linkIdentityWithIdToken(credentials: .init(provider: .apple, idToken: "t"))
            }),
        GoldenRequest(
            name: "sign in with what Apple gave",
            request: #"""
                POST /token?grant_type=id_token {"authorization_code":"c","id_token":"t","nonce":"n","provider":"apple",\#
                "user":{"name":{"firstName":"Ada","lastName":"Lovelace"}}}
                """#,
            answer: session,
            call: {
                try await $0.signInWithIdToken(
                    credentials: .init(
                        provider: .apple, idToken: "t", nonce: "n", name: AppleName(given: " Ada ", family: "Lovelace"),
                        authorizationCode: "c"))
            }),
        GoldenRequest(
            name: "confirm a link",
            request: #"POST /token?grant_type=link_confirmation {"link_ticket":"t"}"#,
            bearer: "access",
            answer: session,
            call: {
                try await $0.confirmLink(AuthLinkTicket("t"))
            }),
        GoldenRequest(
            name: "confirm a link with a password",
            request: #"POST /token?grant_type=link_confirmation {"email":"a@b.c","link_ticket":"t","password":"p"}"#,
            answer: session,
            call: {
                try await $0.confirmLink(AuthLinkTicket("t"), email: "a@b.c", password: "p")
            }),
        GoldenRequest(
            name: "mail the code of a link",
            request: #"POST /link/code {"link_ticket":"t"}"#,
            call: {
                try await $0.sendLinkCode(for: AuthLinkTicket("t"))
            }),
        GoldenRequest(
            name: "confirm a link with a code",
            request: #"POST /token?grant_type=link_confirmation {"link_ticket":"t","token":"123456"}"#,
            answer: session,
            call: {
                try await $0.confirmLink(AuthLinkTicket("t"), code: "123456")
            }),
        GoldenRequest(
            name: "take an address",
            request: #"POST /token?grant_type=link_recovery {"link_ticket":"t"}"#,
            answer: session,
            call: {
                try await $0.recoverAccount(with: AuthLinkTicket("t"))
            }),
        GoldenRequest(
            name: "refresh",
            request: #"POST /token?grant_type=refresh_token {"refresh_token":"other"}"#,
            answer: session,
            call: {
                try await $0.setSession(accessToken: "", refreshToken: "other")
            }),
    ]

    private static let flows: [GoldenRequest] = [
        GoldenRequest(
            name: "sign up, with a redirect and a captcha",
            request: #"""
                POST /signup?redirect_to=app%3A%2F%2Fback%3Fx%3D1%26y%3D%252B {"code_challenge":"3Ev4DHdHP\#
                RMPoN6GukAY_pi7IUAF5qWJHRK6kURvnoE","code_challenge_method":"s256","email":"a@b.c","gotrue\#
                _meta_security":{"captcha_token":"c"},"password":"p"}
                """#,
            answer: user,
            call: {
                try await $0.signUp(
                    email: "a@b.c", password: "p", redirectTo: URL(string: "app://back?x=1&y=%2B"), captchaToken: "c")
            }),
        GoldenRequest(
            name: "exchange a code",
            request: #"""
                POST /token?grant_type=pkce {"auth_code":"code","code_verifier":"BwcHBwcHBwcHBwcHBwcHBwcHB\#
                wcHBwcHBwcHBwcHBwc"}
                """#,
            answer: session,
            call: {
                _ = try await $0.getOAuthSignInURL(provider: .google)
                try await $0.exchangeCodeForSession(authCode: "code")
            }),
        GoldenRequest(
            name: "come back from a redirect",
            request: #"""
                POST /token?grant_type=pkce {"auth_code":"c-1","code_verifier":"BwcHBwcHBwcHBwcHBwcHBwcHBw\#
                cHBwcHBwcHBwcHBwc"}
                """#,
            answer: session,
            call: {
                _ = try await $0.getOAuthSignInURL(provider: .google)
                try await $0.session(from: URL(string: "app://back?code=c-1#sb=")!)
            }),
        GoldenRequest(
            name: "link with a browser",
            request: #"""
                GET /user/identities/authorize?provider=google&scopes=a%20b&redirect_to=app%3A%2F%2Fback&p\#
                rompt=consent&code_challenge=3Ev4DHdHPRMPoN6GukAY_pi7IUAF5qWJHRK6kURvnoE&code_challenge_me\#
                thod=s256&skip_http_redirect=true
                """#,
            bearer: "access",
            answer: ["url": "https://p.example/"],
            call: {
                _ = try await $0.getLinkIdentityURL(
                    provider: .google, scopes: "a b", redirectTo: URL(string: "app://back"),
                    queryParams: [("prompt", "consent")])
            }),
        GoldenRequest(
            name: "update the address",
            request: #"""
                PUT /user?redirect_to=app%3A%2F%2Fback {"code_challenge":"3Ev4DHdHPRMPoN6GukAY_pi7IUAF5qWJ\#
                HRK6kURvnoE","code_challenge_method":"s256","email":"n@b.c"}
                """#,
            bearer: "access",
            answer: user,
            call: {
                try await $0.update(user: AuthUserAttributes(email: "n@b.c"), redirectTo: URL(string: "app://back"))
            }),
        GoldenRequest(
            name: "recover",
            request: #"""
                POST /recover?redirect_to=app%3A%2F%2Fback {"code_challenge":"3Ev4DHdHPRMPoN6GukAY_pi7IUAF\#
                5qWJHRK6kURvnoE","code_challenge_method":"s256","email":"a@b.c"}
                """#,
            call: {
                try await $0.resetPasswordForEmail("a@b.c", redirectTo: URL(string: "app://back"))
            }),
    ]

    private static let account: [GoldenRequest] = [
        GoldenRequest(
            name: "user",
            request: #"GET /user"#,
            bearer: "access",
            answer: user,
            call: {
                try await $0.user()
            }),
        GoldenRequest(
            name: "update",
            request: #"""
                PUT /user {"current_password":"old","data":{"k":null},"nonce":"123456","password":"new"}
                """#,
            bearer: "access",
            answer: user,
            call: {
                try await $0.update(
                    user: AuthUserAttributes(
                        password: "new", currentPassword: "old", nonce: "123456", data: ["k": .null]))
            }),
        GoldenRequest(
            name: "reauthenticate",
            request: #"GET /reauthenticate"#,
            bearer: "access",
            call: {
                try await $0.reauthenticate()
            }),
        GoldenRequest(
            name: "links that can be taken back",
            request: #"GET /user/identities/undoable"#,
            bearer: "access",
            answer: ["links": []],
            call: {
                _ = try await $0.undoableLinks()
            }),
        GoldenRequest(
            name: "take a link back",
            request: #"POST /user/identities/0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10/undo"#,
            bearer: "access",
            answer: user,
            call: {
                try await $0.undoLink(identityID: id)
            }),
        GoldenRequest(
            name: "identities",
            request: #"GET /user"#,
            bearer: "access",
            answer: user,
            call: {
                _ = try await $0.userIdentities()
            }),
    ]

    private static let codes: [GoldenRequest] = [
        GoldenRequest(
            name: "verify a code",
            request: #"POST /verify {"email":"a@b.c","token":"123456","type":"signup"}"#,
            answer: session,
            call: {
                try await $0.verifyOTP(email: "a@b.c", token: "123456", type: .signup)
            }),
        GoldenRequest(
            name: "verify a code to a phone",
            request: #"POST /verify {"phone":"4912345","token":"123456","type":"phone_change"}"#,
            answer: session,
            call: {
                try await $0.verifyOTP(phone: "4912345", token: "123456", type: .phoneChange)
            }),
        GoldenRequest(
            name: "verify a hash",
            request: #"POST /verify {"token_hash":"h","type":"email_change"}"#,
            answer: ["msg": "one more", "code": "200"],
            call: {
                try await $0.verifyOTP(tokenHash: "h", type: .emailChange)
            }),
        GoldenRequest(
            name: "verify the code of a new address",
            request: #"POST /verify {"email":"a@b.c","token":"123456","type":"email_change"}"#,
            bearer: "access",
            answer: ["msg": "one more", "code": "200"],
            call: {
                try await $0.verifyOTP(email: "a@b.c", token: "123456", type: .emailChange)
            }),
        GoldenRequest(
            name: "one-time code",
            request: #"POST /otp {"create_user":false,"email":"a@b.c"}"#,
            call: {
                try await $0.signInWithOTP(email: "a@b.c", shouldCreateUser: false)
            }),
        GoldenRequest(
            name: "resend",
            request: #"POST /resend {"email":"a@b.c","type":"email_change"}"#,
            call: {
                try await $0.resend(email: "a@b.c", type: .emailChange)
            }),
    ]

    private static let signOut: [GoldenRequest] = [
        GoldenRequest(
            name: "sign out",
            request: #"POST /logout?scope=global"#,
            bearer: "access",
            call: {
                try await $0.signOut()
            }),
        GoldenRequest(
            name: "sign out here",
            request: #"POST /logout?scope=local"#,
            bearer: "access",
            call: {
                try await $0.signOut(scope: .local)
            }),
        GoldenRequest(
            name: "sign the others out",
            request: #"POST /logout?scope=others"#,
            bearer: "access",
            call: {
                try await $0.signOut(scope: .others)
            }),
    ]

    private static let admin: [GoldenRequest] = [
        GoldenRequest(
            name: "admin: read",
            request: #"GET /admin/users/0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"#,
            answer: user,
            call: {
                _ = try await $0.admin.user(id)
            }),
        GoldenRequest(
            name: "admin: list",
            request: #"GET /admin/users?page=2&per_page=10"#,
            answer: ["users": [], "aud": "authenticated"],
            call: {
                _ = try await $0.admin.listUsers(page: 2, perPage: 10)
            }),
        GoldenRequest(
            name: "admin: create",
            request: #"""
                POST /admin/users {"app_metadata":{"plan":"gold"},"email":"a@b.c","email_confirm":true,"pa\#
                ssword":"p"}
                """#,
            answer: user,
            call: {
                try await $0.admin.createUser(
                    attributes: .init(email: "a@b.c", password: "p", emailConfirm: true, appMetadata: ["plan": "gold"]))
            }),
        GoldenRequest(
            name: "admin: update",
            request: #"PUT /admin/users/0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10 {"ban_duration":"24h"}"#,
            answer: user,
            call: {
                try await $0.admin.updateUser(id, attributes: .init(banDuration: "24h"))
            }),
        GoldenRequest(
            name: "admin: delete",
            request: #"DELETE /admin/users/0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10 {"should_soft_delete":false}"#,
            call: {
                try await $0.admin.deleteUser(id)
            }),
    ]
}
