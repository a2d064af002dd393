import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import SoftAuthenticator
import TestSupport

// What people do to the account.
extension OwnerWorld {
    mutating func step() async throws {
        let acts: [(inout OwnerWorld) async throws -> Void] = [
            { try await $0.ownerEnters() }, { try await $0.ownerRefreshes() }, { try await $0.ownerLosesRaise() },
            { try await $0.ownerRaises() }, { try await $0.ownerTapsCode() }, { try await $0.ownerForgets() },
            { try await $0.ownerSignsUpAgain() }, { try await $0.ownerAsksTwice() }, { $0.timePasses() },
            { try await $0.strangerAsks() }, { try await $0.strangerSignsUp() }, { try await $0.strangerGuesses() },
            { try await $0.strangerTakesAddress() }, { try await $0.strangerTriesRoutes() },
            { try await $0.thiefOfPassword() }, { try await $0.thiefOfToken() }, { try await $0.thiefOfMailbox() },
            { try await $0.administratorConfirms() },
        ]
        try await dice.pick(acts)(&self)
    }

    private mutating func device() -> Int? { devices.isEmpty ? nil : dice.roll(devices.count) }

    // The owner.

    private mutating func ownerEnters() async throws {
        guard hasPassword else { return }
        let answer = try await signIn("owner", password)
        if answer.status == 200 { try adopt(answer) }
    }

    private mutating func ownerRefreshes() async throws {
        guard let index = device() else { return }
        let before = devices[index].session
        let answer = try await refresh("owner", before.refreshToken)
        // Half of the responses are lost.
        guard dice.roll(2) == 0, let session = TestSession(answer) else { return }
        devices[index].earlier = before.refreshToken
        devices[index].session = session
    }

    private mutating func ownerRaises() async throws {
        guard let index = device() else { return }
        guard let session = try await raise("owner", devices[index].session).flatMap(TestSession.init) else { return }
        devices[index].session = session
    }

    private mutating func ownerLosesRaise() async throws {
        guard app != nil, !hasMoved, let fresh = TestSession(try await signIn("owner", password)) else { return }
        guard let answer = try await raise("owner", fresh), answer.status == 200 else { return }
        timePasses()
        let low = try await refresh("owner", fresh.refreshToken)
        guard low.status == 200 else { throw broken("a lost response of a second factor ended the session: \(low)") }
        try adopt(low)
    }

    private mutating func ownerTapsCode() async throws {
        guard !hasMoved else { return }
        let code = try await code("owner", dice.pick(["/otp", "/recover", "/magiclink"]))
        let knowsPassword = hasPassword && dice.roll(2) == 0
        let answer = try await verify("owner", code, password: knowsPassword ? password : nil)
        guard answer.status == 200 else { throw broken("the right code was refused: \(answer)") }
        try adopt(answer)
    }

    /// To the same one: the owner remembers it while typing.
    private mutating func ownerForgets() async throws {
        guard !hasMoved else { return }
        let code = try await code("owner", "/recover")
        guard let session = TestSession(try await verify("owner", code, type: "recovery")) else {
            throw broken("the right code of a reset was refused")
        }
        devices.append(OwnersDevice(session: session))
        var bearer = session
        if app != nil, let raised = try await raise("owner", session).flatMap(TestSession.init) { bearer = raised }
        devices[devices.count - 1].session = bearer
        let set = try await call("owner", .put, "/user", bearer: bearer.accessToken, ["password": .string(password)])
        guard set.status == 200 || set.code == "same_password" else { throw broken("no new password: \(set)") }
        hasPassword = true
    }

    private mutating func ownerSignsUpAgain() async throws {
        _ = try await call("owner", "/signup", signUpBody(password, marker))
    }

    private mutating func ownerAsksTwice() async throws {
        guard !hasMoved else { return }
        let first = try await code("owner", "/recover")
        let before = wrongCodes
        switch dice.roll(3) {
        case 0: _ = try await code("owner", "/otp")
        case 1: _ = try await code("stranger", "/otp")
        default: try await strangerGuesses()
        }
        let answer = try await verify("owner", first, type: "recovery")
        // Five wrong guesses use up a code.
        if answer.status == 403, wrongCodes - before >= 5 { return }
        guard answer.status == 200 else { throw broken("the code that the owner asked for was refused: \(answer)") }
        try adopt(answer)
    }

    mutating func timePasses() {
        let seconds = dice.pick([1, 9, 12, 61, 700, 4_000, 86_400])
        server.clock.advance(by: .seconds(seconds))
        history.append("\(seconds) seconds pass")
    }

    // Strangers, who know the address.

    mutating func strangerAsks() async throws {
        let requests: [(String, AuthJSONObject)] = [
            ("/otp", [:]), ("/otp", ["create_user": false]), ("/recover", [:]), ("/magiclink", [:]),
            ("/resend", ["type": "signup"]), ("/resend", ["type": "email_change"]),
        ]
        let (path, more) = dice.pick(requests)
        server.passInterval()
        _ = try await call("stranger", path, .object(more.merging(["email": .string(email)]) { $1 }))
        _ = try await server.deliveredMails()
    }

    mutating func strangerSignsUp() async throws {
        let own = "the stranger's password \(strangersPasswords.count)"
        if dice.roll(2) == 0 { server.passInterval() }
        let answer = try await call("stranger", "/signup", signUpBody(own, "the stranger's"))
        strangersPasswords.append(own)
        if let session = TestSession(answer) { strangersSessions.append(session) }
        if user != nil { _ = try await server.deliveredMails() }
    }

    private mutating func strangerGuesses() async throws {
        for person in ["stranger", "other stranger"] {
            for _ in 0..<4 {
                if dice.roll(4) == 0 {
                    wrongCodes += 1
                    _ = try await verify(person, "000000", type: "email")
                } else {
                    wrongPasswords += 1
                    _ = try await signIn(person, "a wrong password 1")
                }
            }
        }
    }

    private mutating func strangerTakesAddress() async throws {
        var client = PasskeyClient(server)
        if confirms, dice.roll(2) == 0 {
            let answer = try await client.signUp(["email": .string(email)])
            strangersPasskey = client
            if let session = TestSession(answer) { strangersSessions.append(session) }
        } else if let session = TestSession(try await call("stranger", "/signup", [:])) {
            let own = "the stranger's password \(strangersPasswords.count)"
            strangersPasswords.append(own)
            strangersSessions.append(session)
            _ = try await call(
                "stranger", .put, "/user", bearer: session.accessToken,
                ["email": .string(email), "password": .string(own)])
        }
        _ = try await server.deliveredMails()
    }

    /// With made-up parameters and no credential.
    private mutating func strangerTriesRoutes() async throws {
        for _ in 0..<4 {
            let route = dice.pick(server.routes.filter { $0.path.hasPrefix("/auth/v1/") })
            let id = user ?? "00000000-0000-4000-8000-000000000000"
            let path = route.path.dropFirst("/auth/v1".count).split(separator: "/").map { part in
                part.hasPrefix("{") ? id : String(part)
            }
            let json: AuthJSON = ["email": .string(email), "password": "x", "token": "000000", "type": "email"]
            let body = route.method == .get || route.method == .head ? nil : json
            _ = try await call("stranger", route.method, "/" + path.joined(separator: "/"), body)
        }
        _ = try await server.deliveredMails()
    }

    // Thieves. Without a second factor, a password and a mailbox are the account; with one they must not be.

    private mutating func thiefOfPassword() async throws {
        guard app != nil, hasPassword else { return }
        guard let session = TestSession(try await signIn("thief", password)) else { return }
        try await tryChanges(session)
        _ = try await call("thief", "/logout?scope=others", bearer: session.accessToken)
        isSignedOutByThief = true
    }

    private mutating func thiefOfToken() async throws {
        guard let index = devices.firstIndex(where: { $0.earlier != nil }), let token = devices[index].earlier else {
            return
        }
        devices[index].isCompromised = true
        _ = try await refresh("thief", token)
    }

    private mutating func thiefOfMailbox() async throws {
        guard app != nil, !hasMoved else { return }
        let before = try await server.admin(.get, "/users/\(user ?? "")")
        guard let session = TestSession(try await verify("thief", try await code("thief"))) else { return }
        try await tryChanges(session)
        guard dice.roll(2) == 0 else { return }
        let answer = try await call("thief", "/user/start-over", bearer: session.accessToken)
        if let made = TestSession(answer) {
            strangersSessions.append(made)
            hasMoved = true
            // Credentials set aside earlier wait for the mailbox, to which their owner has lost access.
            let waiting = (before["set_aside"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
            if waiting.contains("password") { hasPassword = false }
            if waiting.contains("passkey") { passkey = nil }
        }
    }

    /// None may succeed without the second factor.
    private mutating func tryChanges(_ session: TestSession) async throws {
        let bearer = session.accessToken
        let tries: [(HTTPRequest.Method, String, AuthJSON?)] = [
            (.put, "/user", ["password": "the thief's password 1"]), (.put, "/user", ["email": "thief@example.com"]),
            (.delete, "/factors/\(app?.factor ?? "")", nil), (.get, "/user/export", nil),
        ]
        for (method, path, json) in tries {
            let answer = try await call("thief", method, path, bearer: bearer, json)
            guard answer.status >= 400 else { throw broken("a thief changed the account without its factor: \(path)") }
        }
    }

    private mutating func administratorConfirms() async throws {
        guard let user else { return }
        let answer = try await server.admin(.put, "/users/\(user)", json: ["email_confirm": true])
        history.append("administrator: PUT /admin/users/{id} → \(answer.status)")
    }
}
