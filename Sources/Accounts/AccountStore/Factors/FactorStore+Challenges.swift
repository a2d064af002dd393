package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Only `made` has changed anything.
package enum ChallengeOutcome: Sendable {
    case made(FactorChallenge)
    case unknown
    case ended
}

extension FactorStore {
    package func factor(_ id: FactorID, of user: UserID) async throws -> Factor? {
        try await database.row(Self.factorLookup(id, of: user)) { $0.factor() }
    }

    static func factorLookup(_ id: FactorID, of user: UserID) -> SQL {
        """
        SELECT \(columns: factorColumns) FROM factors WHERE factors.id = \(id) AND factors.user_id = \(user)
        """
    }

    /// A factor can have several open challenges; any of the user's sessions may answer them.
    ///
    /// - Parameters:
    ///   - data: The expected values of a WebAuthn response.
    ///   - message: For a number, which gets a code.
    package func challenge(
        _ factor: FactorID, of user: UserID, in session: SessionID?, data: String? = nil,
        by message: MailRequest? = nil,
        at now: Instant
    ) async throws -> ChallengeOutcome {
        let challenge = FactorChallenge(id: accounts.newID(), expiresAt: now + factorRules.challengeLifetime)
        let minted = message.map { MintedToken(hasProofKey: false, fixedCode: $0.fixedCode, randomBytes: randomBytes) }
        let data = minted.map { Base64URL.text(secrets.codeDigest($0.code, of: Self.codeOwner(challenge.id))) } ?? data
        return try await database.write { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            try db.removeExpired(from: .challenges, at: now)
            let changed = try db.run(
                """
                UPDATE factors SET challenged_at = \(now) WHERE id = \(factor) AND user_id = \(user)
                    AND kind <> 'recovery_code'
                """)
            guard changed == 1 else { return .unknown }
            try db.run(
                """
                INSERT INTO factor_challenges (id, factor_id, created_at, expires_at, data)
                VALUES (\(challenge.id), \(factor), \(now), \(challenge.expiresAt), \(data))
                """)
            if let message, let minted {
                try queue(minted.code, message, to: factor, of: user, until: challenge.expiresAt, at: now, in: db)
            }
            try db.showFactors(of: user)
            let entry = AuditEntry(
                .challengeCreated, actor: user, actorName: current.account.user.name,
                traits: ["factor_id": .string(factor.text), "challenge_id": .string(challenge.id.text)])
            try accounts.record([entry], at: now, in: db)
            return .made(challenge)
        }
    }
}

extension FactorStore {
    static func codeOwner(_ challenge: ChallengeID) -> String { "factor challenge \(challenge.text)" }

    private func queue(
        _ code: Secret, _ message: MailRequest, to factor: FactorID, of user: UserID, until expiresAt: Instant,
        at now: Instant, in db: any Connection
    ) throws {
        let factor = try db.row(Self.factorLookup(factor, of: user)) { $0.factor() }
        guard let phone = factor?.phone.flatMap(PhoneNumber.init) else { return }
        var content = MailContent(kind: .textFactor, recipient: .phone(phone), redirectTo: "")
        content.code = code
        (content.channel, content.language) = (message.channel, message.language)
        (content.isTest, content.isToConfirmed) = (message.fixedCode != nil, factor?.isVerified == true)
        try accounts.mailQueue.queue(content, of: user, until: expiresAt, at: now, in: db)
    }

    func isCode(_ code: Secret, of challenge: ChallengeID, digest: String?) -> Bool {
        guard let stored = digest.flatMap({ Base64URL.decode($0) }) else { return false }
        return secrets.isDigest(stored, ofCode: code, of: Self.codeOwner(challenge))
    }

    static func challengeLookup(_ challenge: ChallengeID, to factor: FactorID) -> SQL {
        """
        SELECT \(columns: challengeColumns) FROM factor_challenges
        WHERE factor_challenges.id = \(challenge) AND factor_challenges.factor_id = \(factor)
        """
    }

    static let challengeColumns = Columns(
        of: "factor_challenges", from: FoundChallenge(),
        [
            .init("expires_at") { $0.expiresAt = $1.instantIfPresent() },
            .init("used_at") { $0.isUsed = $1.instantIfPresent() != nil },
            .init("data") { $0.data = $1.textIfPresent() },
        ])
}

enum ChallengeState: Sendable {
    case open(data: String?)
    case unknown
    case used
    /// Deleted, except in a read.
    case expired
}

extension Connection {
    func state(of challenge: ChallengeID, to factor: FactorID, at now: Instant) throws -> ChallengeState {
        try row(FactorStore.challengeLookup(challenge, to: factor)) { $0.challengeState(at: now) } ?? .unknown
    }

    /// Uses up a challenge. The answer is accepted only if this returns true.
    func use(_ challenge: ChallengeID, to factor: FactorID, at now: Instant) throws -> Bool {
        try run(
            """
            UPDATE factor_challenges SET used_at = \(now)
            WHERE id = \(challenge) AND factor_id = \(factor) AND used_at IS NULL AND expires_at >= \(now)
            """) == 1
    }
}

/// null without a challenge.
struct FoundChallenge: Sendable {
    var expiresAt: Instant?
    var isUsed = false
    var data: String?

    func state(at now: Instant) -> ChallengeState {
        guard let expiresAt else { return .unknown }
        if isUsed { return .used }
        return now > expiresAt ? .expired : .open(data: data)
    }
}

extension Row {
    mutating func challengeState(at now: Instant) -> ChallengeState {
        FactorStore.challengeColumns.read(&self).state(at: now)
    }
}
