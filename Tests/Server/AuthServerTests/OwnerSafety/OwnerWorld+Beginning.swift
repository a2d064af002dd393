import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SQLDatabase
import SoftAuthenticator
import TestSupport

// How the account came to be.
extension OwnerWorld {
    mutating func begin() async throws {
        _ = try await server.deliveredMails()
        switch dice.roll(confirms ? 6 : 3) {
        case 0: try await administrators()
        case 1 where !confirms, 2 where !confirms: try await automatic()
        case 1: try await invited()
        case 2: try await anonymous()
        case 3: try await byPasskey()
        case 4: try await signedUp(afterStranger: true)
        default: try await signedUp(afterStranger: false)
        }
        if dice.roll(2) == 0 { try await enroll() }
        if passkey == nil, dice.roll(3) == 0 { try await addPasskey() }
    }

    private mutating func administrators() async throws {
        let made = try await server.admin(
            .post, "/users",
            json: [
                "email": .string(email), "password": .string(password), "email_confirm": true,
                "user_metadata": ["marker": .string(marker)],
            ])
        history.append("administrator: POST /admin/users → \(made.status)")
        hasPassword = true
        // Confirmed without a proof, as by an earlier release.
        if dice.roll(3) == 0 {
            let email = email
            try await server.database.write { db in
                _ = try db.run("UPDATE users SET email_proven_at = NULL WHERE email = \(email)")
            }
            history.append("the address is not proven")
        }
        try adopt(try await signIn("owner", password))
    }

    private mutating func automatic() async throws {
        try adopt(try await call("owner", "/signup", signUpBody(password, marker)))
        hasPassword = true
    }

    private mutating func invited() async throws {
        _ = try await server.send(
            .post, "/auth/v1/invite", bearer: TestServer.secretKey,
            json: ["email": .string(email), "data": ["marker": .string(marker)]])
        history.append("administrator: POST /invite")
        guard let code = try await emailedCode() else { throw broken("no invitation arrived") }
        if dice.roll(2) == 0 { try await strangerSignsUp() }
        try adopt(try await verify("owner", code, type: "invite"))
        let set = try await call(
            "owner", .put, "/user", bearer: devices[0].session.accessToken, ["password": .string(password)])
        hasPassword = set.status == 200
    }

    private mutating func anonymous() async throws {
        try adopt(try await call("owner", "/signup", ["data": ["marker": .string(marker)]]))
        let bearer = devices[0].session.accessToken
        _ = try await call(
            "owner", .put, "/user", bearer: bearer, ["email": .string(email), "password": .string(password)])
        guard let code = try await emailedCode() else { throw broken("no code for a new address") }
        let typed = try await verify("owner", code, type: "email_change", bearer: bearer)
        // As at Supabase Auth, the old access token still says `is_anonymous`; clients keep the new session.
        guard let session = TestSession(typed) else {
            throw broken("the session that asked could not prove its address: \(typed)")
        }
        devices[0].session = session
        hasPassword = true
    }

    private mutating func byPasskey() async throws {
        var client = PasskeyClient(server)
        let answer = try await client.signUp(["email": .string(email), "data": ["marker": .string(marker)]])
        history.append("owner: sign-up with a passkey → \(answer.status)")
        passkey = client
        try adopt(answer)
        guard let code = try await emailedCode() else { throw broken("no code after a passkey's sign-up") }
        let typed = try await verify("owner", code, type: "email_change", bearer: devices[0].session.accessToken)
        guard typed.status == 200 else { throw broken("the session that asked could not prove its address: \(typed)") }
    }

    /// Perhaps twice. Types the latest email's code, with the form's password.
    private mutating func signedUp(afterStranger: Bool) async throws {
        if afterStranger { try await strangerSignsUp() }
        if dice.roll(2) == 0 { server.passInterval() }
        let first = try await call("owner", "/signup", signUpBody(password, marker))
        if dice.roll(2) == 0 {
            let again = try await call("owner", "/signup", signUpBody(password, marker))
            guard first.status == 200, again.status == 200 else {
                throw broken("a repeated sign-up was refused: \(again)")
            }
        }
        guard let code = try await emailedCode() else { throw broken("no code after a sign-up") }
        switch dice.roll(4) {
        case 0: try await strangerAsks()
        case 1: try await strangerSignsUp()
        default: break
        }
        // A client that knows only Supabase sends no password. With a stranger's sign-up, it then keeps none.
        let isAlone = strangersPasswords.isEmpty
        try adopt(
            try await verify("owner", code, type: "signup", password: isAlone && dice.roll(2) == 0 ? nil : password))
        hasPassword = true
    }

    func signUpBody(_ password: String, _ marker: String) -> AuthJSON {
        [
            "email": .string(email), "password": .string(password), "data": ["marker": .string(marker)],
        ]
    }

    private mutating func enroll() async throws {
        guard let session = devices.first?.session else { return }
        let answer = try await call(
            "owner", "/factors", bearer: session.accessToken,
            ["factor_type": "totp", "friendly_name": "app", "issuer": "example.org"])
        guard let made = TestApp(answer) else { throw Unexpected(answer: answer) }
        app = made
        guard let raised = try await raise("owner", session).flatMap(TestSession.init) else {
            throw broken("the new factor was not verified")
        }
        devices[0].session = raised
    }

    private mutating func addPasskey() async throws {
        var client = PasskeyClient(server)
        let answer = try await client.register(devices[0].session)
        history.append("owner: adds a passkey → \(answer.status)")
        if answer.status == 200 { passkey = client }
    }
}
