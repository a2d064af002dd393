package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A sign-in that is done but for the app, which fetches its session with a code (RFC 6749 §4.1, RFC 7636).
package struct AuthorizationCode: Sendable {
    let user: UserID
    /// What opened it; nil for the account's own address.
    let identity: IdentityID?
    let method: AuthenticationMethod
    let key: ProofKey
    let provider: String?
    let rule: LinkingRule
    let handout: ProviderHandout?
}

package enum CodeOutcome: Sendable {
    /// The provider's tokens are given out with it, once.
    case signedIn(IssuedSession, ProviderHandout?)
    /// Used, or never made.
    case unknown
    case expired
    /// The code stays good: whoever has the right secret may still come.
    case wrongVerifier
    case banned
}

extension Accounts {
    /// Opens the session that a code stands for.
    package func redeem(
        code: Secret, verifier: Secret, from device: Device, at now: Instant
    ) async throws -> CodeOutcome {
        let digest = TokenDigest.of(code)
        return try await database.write { db in
            guard let found = try db.row(Self.codeLookup(digest), CodeRow.init) else { return .unknown }
            guard now < found.expiresAt else { return .expired }
            guard found.key?.isAnswered(by: verifier) == true, let method = found.method else { return .wrongVerifier }
            guard var account = try db.account(found.user) else { return .unknown }
            guard try db.run("DELETE FROM authorization_codes WHERE digest = \(digest)") == 1 else { return .unknown }
            if account.user.isBanned(at: now) { return .banned }
            let session = newSession(of: account.user.id, by: method, at: now)
            account.user.times.lastSignInAt = now
            try db.run("UPDATE users SET last_sign_in_at = \(now) WHERE id = \(account.user.id)")
            try db.insert(session, from: device, by: found.identity)
            var traits: [String: AnyJSON] = ["rule": .string(found.rule), "user_id": .string(account.user.id.text)]
            traits["provider"] = found.provider.map(AnyJSON.string)
            let login = AuditEntry(
                .login, actor: account.user.id, actorName: account.user.email ?? "", traits: traits)
            try record([login], at: now, in: db)
            let handout = try found.sealed.flatMap { try self.handout($0, digest) }
            return .signedIn(issue(session, to: account), handout)
        }
    }

    func insert(_ code: AuthorizationCode, code text: Secret, at now: Instant, in db: any Connection) throws {
        let digest = TokenDigest.of(text)
        var sealed: SQLValue = .null
        if let handout = code.handout, !handout.isEmpty {
            let tokens: [String: AnyJSON?] = [
                "access_token": (handout.accessToken?.reveal()).map(AnyJSON.string),
                "refresh_token": (handout.refreshToken?.reveal()).map(AnyJSON.string),
            ]
            sealed = .bytes(try seal(.object(tokens.compactMapValues(\.self)), as: "authorization code", digest))
        }
        try db.removeExpired(from: .codes, at: now)
        try db.run(
            """
            INSERT INTO authorization_codes (
                digest, user_id, identity_id, method, challenge, challenge_method, provider, rule, sealed, created_at,
                expires_at)
            VALUES (
                \(digest), \(code.user), \(code.identity), \(code.method.rawValue), \(code.key.challenge),
                \(code.key.method.rawValue), \(code.provider), \(code.rule.rawValue), \(sealed), \(now),
                \(now + Self.codeLifetime))
            """)
    }

    private func handout(_ sealed: [UInt8], _ digest: [UInt8]) throws -> ProviderHandout? {
        let tokens = try unseal(sealed, as: "authorization code", digest)
        return ProviderHandout(
            accessToken: (tokens["access_token"]?.stringValue).map(Secret.init),
            refreshToken: (tokens["refresh_token"]?.stringValue).map(Secret.init))
    }

    static func codeLookup(_ digest: [UInt8]) -> SQL {
        """
        SELECT user_id, identity_id, method, challenge, challenge_method, provider, rule, sealed, expires_at
        FROM authorization_codes WHERE digest = \(digest)
        """
    }
}

/// The columns of ``Accounts/codeLookup(_:)``.
private struct CodeRow {
    let user: UserID
    let identity: IdentityID?
    /// nil for one that a newer program knows.
    let method: AuthenticationMethod?
    let key: ProofKey?
    let provider: String?
    let rule: String
    let sealed: [UInt8]?
    let expiresAt: Instant

    init(_ row: any Row) {
        user = row.id(0)
        identity = row.textIfPresent(1).map(IdentityID.init(trusted:))
        method = AuthenticationMethod(rawValue: row.text(2))
        key = ProofKey(challenge: row.text(3), method: row.text(4))
        provider = row.textIfPresent(5)
        rule = row.text(6)
        sealed = row.isNull(7) ? nil : row.bytes(7)
        expiresAt = row.instant(8)
    }
}
