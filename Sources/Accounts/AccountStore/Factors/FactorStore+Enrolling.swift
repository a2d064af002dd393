package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct NewFactor: Sendable {
    package let kind: Factor.Kind
    package let name: String
    /// An authenticator app's.
    package let secret: [UInt8]?
    /// That gets the codes.
    package let phone: PhoneNumber?

    package init(_ kind: Factor.Kind, name: String, secret: [UInt8]? = nil, phone: PhoneNumber? = nil) {
        (self.kind, self.name, self.secret, self.phone) = (kind, name, secret, phone)
    }
}

/// Only `enrolled` has changed anything.
package enum EnrollingOutcome: Sendable {
    case enrolled(Factor)
    case nameTaken, tooMany
    /// Another verified factor has the number.
    case phoneTaken
    case ended
    /// The session lacks the user's second factor.
    case tooLow
}

extension FactorStore {
    /// The factor protects nothing until its owner verifies it.
    package func enroll(
        _ new: NewFactor, of user: UserID, in session: SessionID?, at now: Instant
    ) async throws -> EnrollingOutcome {
        let id: FactorID = accounts.newID()
        let sealed = try new.secret.map { try seal($0, of: id) }
        return try await database.write { db in
            let caller = try factorCaller(user, in: session, needsLevel: false, at: now, in: db)
            guard case .good(let current) = caller else { return .ended }
            try db.removeUnverified(at: now)
            try db.removeExpired(from: .challenges, at: now)
            try db.removeUnanswered(before: now - factorRules.unansweredStay)
            var factors = try db.factors(of: user)
            if let phone = new.phone, factors.contains(where: { $0.phone == phone.text && $0.isVerified }) {
                return .phoneTaken
            }
            let replaced = factors.filter { $0.phone != nil && $0.phone == new.phone?.text }
            factors.removeAll { factor in replaced.contains { $0.id == factor.id } }
            if factors.contains(where: { $0.hasName(new.name) }) { return .nameTaken }
            guard factorRules.admitsAnother(to: factors) else { return .tooMany }
            if current.isTooLow { return .tooLow }
            var factor = Factor(id: id, user: user, kind: new.kind, name: new.name, at: now)
            factor.phone = new.phone?.text
            for old in replaced { try db.run("DELETE FROM factors WHERE id = \(old.id)") }
            try db.insert(factor, sealedSecret: sealed)
            try db.showFactors(of: user)
            let entry = AuditEntry(
                .factorEnrolled, actor: user, actorName: current.account.user.name,
                traits: ["factor_id": .string(id.text), "factor_type": .string(new.kind.rawValue)])
            try accounts.record([entry], at: now, in: db)
            return .enrolled(factor)
        }
    }

    func seal(_ secret: [UInt8], of factor: FactorID) throws -> [UInt8] {
        try secrets.seal(secret, name: Self.sealName(of: factor), nonce: randomBytes(12))
    }

    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    func unseal(_ sealed: [UInt8], of factor: FactorID) throws -> [UInt8] {
        try secrets.open(sealed, name: Self.sealName(of: factor))
    }

    static func sealName(of factor: FactorID) -> String { "factor \(factor.text)" }
}

extension Connection {
    func insert(_ factor: Factor, sealedSecret: [UInt8]? = nil) throws {
        try run(
            """
            INSERT INTO factors (id, user_id, kind, is_verified, name, created_at, updated_at, sealed_secret, phone)
            VALUES (\(factor.id), \(factor.user), \(factor.kind.stored), \(factor.isVerified), \(factor.name),
                \(factor.createdAt), \(factor.updatedAt), \(sealedSecret.map(SQLValue.bytes) ?? .null), \(factor.phone))
            """)
    }

    /// Deletes any user's unverified factors without a challenge, or whose challenge was answered late.
    func removeUnanswered(before moment: Instant, limit: Int = 20) throws {
        try removeFactors(
            of: """
                SELECT user_id, id FROM factors WHERE is_verified = 0 AND created_at < \(moment)
                    AND NOT EXISTS (SELECT 1 FROM factor_challenges WHERE factor_id = factors.id)
                ORDER BY created_at LIMIT \(limit) \(.skippingLocked)
                """)
    }

    /// Challenged or not.
    @discardableResult
    func removeUnverified(at now: Instant, limit: Int = 20) throws -> Int {
        try removeFactors(
            of: """
                SELECT user_id, id FROM factors WHERE is_verified = 0 AND created_at < \(now - FactorRules.unverifiedStay)
                ORDER BY created_at LIMIT \(limit) \(.skippingLocked)
                """)
    }

    @discardableResult
    private func removeFactors(of lookup: SQL) throws -> Int {
        let found = try rows(lookup) { row -> (user: UserID, id: FactorID) in (row.id(), row.id()) }
        for factor in found { try run("DELETE FROM factors WHERE id = \(factor.id) AND is_verified = 0") }
        // In order, to avoid deadlocks.
        for user in Set<UserID>(found.map(\.user)).sorted(by: { $0.text < $1.text }) { try showFactors(of: user) }
        return found.count
    }
}

extension Factor.Kind {
    /// See ``Accounts/phones``.
    var stored: String { self == .phone ? Factor.Kind.totp.rawValue : rawValue }

    var hasNumber: SQL { self == .phone ? "phone IS NOT NULL" : "phone IS NULL" }
}
