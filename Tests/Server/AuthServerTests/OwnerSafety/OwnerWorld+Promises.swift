import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import TestSupport

// What every sequence must leave true.
extension OwnerWorld {
    mutating func check() async throws {
        guard let user else { return }
        let stored = try await server.admin(.get, "/users/\(user)")
        guard stored.status == 200 else { throw broken("the account is gone") }
        guard stored["user_metadata"]?["marker"]?.stringValue == marker else {
            throw broken("the account's data are gone: \(stored)")
        }
        try await checkDevices()
        if hasPassword { try await enter(byPassword: user) }
        if passkey != nil { try await enter(byPasskey: user) }
        try await checkStrangers(user)
        try await checkAgents(user)
    }

    private mutating func checkDevices() async throws {
        var allowed = ["address_proven", "password_changed", "second_factor_verified"]
        // A thief of the password is signed in as well, but ends no session that had the second factor.
        if isSignedOutByThief { allowed.append("others_signed_out") }
        for device in devices where !device.isCompromised {
            let answer = try await refresh("owner", device.session.refreshToken)
            if answer.status == 200 { continue }
            let reason = answer.headers[.sessionEndReason] ?? "without a reason"
            // Only the first session with the factor ends those without it.
            guard allowed.contains(reason) else { throw broken("a device was signed out \(reason): \(answer)") }
        }
    }

    /// With the password on a new device, after at most one emailed code.
    private mutating func enter(byPassword user: String) async throws {
        var answer = try await signIn("new device", password)
        if answer.status == 429, hasMoved {
            // No more codes are emailed. The limit of guesses expires.
            server.clock.advance(by: .seconds(7_200))
            answer = try await signIn("new device", password)
        } else if answer.status == 429 || answer.code == "credential_set_aside" {
            guard !hasMoved else {
                throw broken("the password of an account without its address was refused: \(answer)")
            }
            let code = try await code("new device")
            answer = try await verify("new device", code, password: password)
            guard let entered = TestSession(answer) else { throw broken("the right code was refused: \(answer)") }
            // The factor completes what the mailbox began.
            try await passFactor(entered, user)
            let again = try await signIn("new device", password)
            // Guesses may block the password for a while; the code has let its owner in.
            if again.status != 429 { answer = again }
        }
        guard let session = TestSession(answer), session.userID == user else {
            throw broken("the owner's password does not open the account: \(answer)")
        }
        try await passFactor(session, user)
    }

    private mutating func passFactor(_ session: TestSession, _ user: String) async throws {
        guard app != nil else { return }
        guard let raised = try await raise("new device", session), let high = TestSession(raised),
            PasskeyClient.level(raised) == "aal2"
        else { throw broken("the owner's factor is gone, or not accepted") }
        let seen = try await call("new device", .get, "/user", bearer: high.accessToken)
        let factors = seen["factors"]?.arrayValue?.filter { $0["status"] == "verified" }
        guard seen["id"]?.stringValue == user, factors?.count == 1 else { throw broken("the factor is gone: \(seen)") }
    }

    private mutating func enter(byPasskey user: String) async throws {
        guard var client = passkey else { return }
        var answer = try await client.signIn()
        history.append("new device: signs in with the passkey → \(answer.status) \(answer.code ?? "")")
        if answer.code == "credential_set_aside", !hasMoved {
            let code = try await code("new device")
            let json: AuthJSON = [
                "type": "email", "token": .string(code), "set_aside_ticket": answer["set_aside_ticket"] ?? .null,
            ]
            let restored = try await call("new device", "/verify", json)
            guard let entered = TestSession(restored) else {
                throw broken("the passkey's ticket was refused: \(restored)")
            }
            try await passFactor(entered, user)
            answer = try await client.signIn()
        }
        guard TestSession(answer)?.userID == user else {
            throw broken("the owner's passkey does not open the account: \(answer)")
        }
    }

    private mutating func checkStrangers(_ user: String) async throws {
        for session in strangersSessions {
            let seen = try await call("stranger", .get, "/user", bearer: session.accessToken)
            if seen["id"]?.stringValue == user { throw broken("a stranger's session opens the account") }
            let refreshed = try await refresh("stranger", session.refreshToken)
            if refreshed["user"]?["id"]?.stringValue == user { throw broken("a stranger's token opens the account") }
        }
        for password in strangersPasswords {
            let answer = try await signIn("stranger", password)
            if answer["user"]?["id"]?.stringValue == user { throw broken("a stranger's password opens the account") }
        }
        if var client = strangersPasskey {
            let answer = try await client.signIn()
            if answer["user"]?["id"]?.stringValue == user { throw broken("a stranger's passkey opens the account") }
        }
    }
}
