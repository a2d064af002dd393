import AccountDomain
import AuthServer
import GatehouseWire
import HTTPTypes
import PasswordHashing
import SQLDatabase
import TestSupport

/// The explorer must find these faults: a wrong rule's effect on the stored account, or the response.
enum PlantedFault: String, CaseIterable, Sendable {
    case proofDeletesFactors, proofDeletesPassword, proofDeletesPasskeys, proofDeletesData, proofEndsAccount
    case mailboxCountsAsFactor, proofKeepsStrangersPassword, proofKeepsStrangersSession
    case repeatedSignUpErasesPassword, codeRequestErasesPassword, codeRequestSignsOut, newCodeVoidsEarlier
    case guessesRefuseRightCode, lostRaiseIsTheft, startingOverDeletes, startingOverErasesPassword
    case passwordThiefChangesPassword
    case approvalWidensScope, lookIsApproval, denialSignsOut, codeNeedsNoVerifier, tokenIsAnyClients
    case revocationKeepsAgent, revocationKeepsCode, signOutKeepsAgent

    /// Few sequences lead to the state that these faults need.
    var first: Int {
        switch self {
        case .mailboxCountsAsFactor: 1_200
        case .proofEndsAccount: 140
        case .startingOverDeletes, .startingOverErasesPassword: 60
        default: 0
        }
    }

    /// A response in place of the server's.
    func refusal(of path: String, in world: OwnerWorld) -> TestAnswer? {
        guard self == .guessesRefuseRightCode, path == "/verify", world.wrongPasswords > 4 else { return nil }
        return TestAnswer(status: 429, headers: [:], bytes: Array(#"{"code":"over_request_rate_limit"}"#.utf8))
    }

    func before(_ path: String, in world: OwnerWorld) async throws {
        guard self == .passwordThiefChangesPassword, path == "/user", let user = world.user else { return }
        // As if changes asked for no factor.
        try await world.server.database.write { db in
            _ = try db.run("UPDATE users SET has_second_factor = 0 WHERE id = \(user)")
        }
    }

    func after(_ path: String, _ answer: TestAnswer, in world: OwnerWorld) async throws {
        guard answer.status == 200 else { return }
        let (email, user) = (world.email, world.user ?? "00000000-0000-0000-0000-000000000000")
        func run(_ statements: SQL...) async throws {
            try await world.server.database.write { db in for statement in statements { try db.run(statement) } }
        }
        switch (self, path) {
        case (.proofDeletesFactors, "/verify"):
            try await run(
                "DELETE FROM factors WHERE user_id = \(user)",
                "UPDATE users SET factors = NULL, has_second_factor = 0 WHERE id = \(user)")
        case (.proofDeletesPassword, "/verify"):
            try await run("UPDATE users SET password_hash = NULL, set_aside = NULL WHERE id = \(user)")
        case (.proofDeletesPasskeys, "/verify"): try await run("DELETE FROM passkeys WHERE user_id = \(user)")
        case (.proofDeletesData, "/verify"): try await run("UPDATE users SET user_metadata = '{}' WHERE id = \(user)")
        case (.proofEndsAccount, "/verify") where world.devices.count > 2:
            try await run("DELETE FROM users WHERE id = \(user)")
        case (.mailboxCountsAsFactor, "/verify"): try await raiseAll(of: world)
        case (.proofKeepsStrangersPassword, "/verify") where !world.strangersPasswords.isEmpty:
            let hash = try await Self.hash(Secret(world.strangersPasswords[0]))
            try await run("UPDATE users SET password_hash = \(hash.reveal()), set_aside = NULL WHERE email = \(email)")
        case (.proofKeepsStrangersSession, "/verify"):
            let session = world.strangersSessions.first?.sessionID
            try await run("UPDATE sessions SET user_id = \(user) WHERE id = \(session)")
        case (.repeatedSignUpErasesPassword, "/signup") where answer["access_token"] == nil,
            (.codeRequestErasesPassword, "/otp"):
            try await run("UPDATE users SET password_hash = NULL, set_aside = NULL WHERE email = \(email)")
        case (.codeRequestSignsOut, "/recover"), (.codeRequestSignsOut, "/otp"):
            try await run("DELETE FROM sessions WHERE user_id = \(user)")
        case (.lostRaiseIsTheft, "/token?grant_type=refresh_token") where PasskeyClient.level(answer) == "aal1":
            let id = TestSession(answer)?.sessionID
            try await run("DELETE FROM sessions WHERE id = \(id) AND level_counter > 0")
        case (.startingOverDeletes, "/user/start-over"): try await run("DELETE FROM users WHERE id = \(user)")
        case (.startingOverErasesPassword, "/user/start-over"):
            try await run("UPDATE users SET password_hash = NULL WHERE id = \(user)")
        default: break
        }
    }

    private static func hash(_ password: Secret) async throws -> Secret {
        let hasher = PasswordHasher(
            settings: Argon2Settings(memoryKiB: 64, passes: 1) ?? .owasp, threads: 1,
            randomBytes: { Array(repeating: 7, count: $0) })
        let hash = try await hasher.hash(password)
        await hasher.shutdown()
        return hash
    }

    func afterEmails(in world: OwnerWorld) async throws {
        guard self == .newCodeVoidsEarlier else { return }
        let email = world.email
        try await world.server.database.write { db in
            _ = try db.run("DELETE FROM one_time_tokens WHERE address = \(email) AND slot LIKE '%/%'")
        }
    }

    /// As if proven just now.
    private func raiseAll(of world: OwnerWorld) async throws {
        guard let user = world.user, world.app != nil else { return }
        let seconds = world.server.clock.now.seconds
        let amr = #"[{"method":"totp","timestamp":\#(seconds)}]"#
        try await world.server.database.write { db in
            _ = try db.run("UPDATE sessions SET aal = 'aal2', amr = \(amr) WHERE user_id = \(user)")
        }
    }
}

extension TestSession {
    /// The session that the access token names.
    var sessionID: String? {
        let parts = accessToken.split(separator: ".")
        // Ignored: text that is not a token names no session.
        guard parts.count == 3, let bytes = Base64URL.decode(String(parts[1])), let json = try? JSONReader.read(bytes)
        else { return nil }
        return json["session_id"]?.stringValue
    }
}
