package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `done` has changed anything.
package enum FactorAdministration: Sendable {
    case done(Factor)
    case unknown
    case nameTaken
    /// Another verified factor of the user has the number.
    case phoneTaken
    /// A delay of removals keeps a verified factor's number.
    case isDelayed
}

/// nil or empty keeps a field.
package struct FactorChange: Sendable {
    package var name: String?
    package var phone: PhoneNumber?

    package init(name: String? = nil, phone: PhoneNumber? = nil) { (self.name, self.phone) = (name, phone) }
}

extension FactorStore {
    /// A verified factor stays so with a new number. Codes sent to the previous one, and sessions that it raised, lose
    /// their effect, as if the factor had been replaced.
    package func updateFactor(
        _ id: FactorID, of user: UserID, _ change: FactorChange, from device: Device, at now: Instant
    ) async throws -> FactorAdministration {
        try await database.write { db in
            guard let account = try db.account(user) else { return .unknown }
            let factors = try db.factors(of: user)
            guard let before = factors.first(where: { $0.id == id }) else { return .unknown }
            var factor = before
            if let name = change.name, !name.isEmpty { factor.name = name }
            // Supabase Auth also ignores a number for another kind.
            if let phone = change.phone, before.kind == .phone { factor.phone = phone.text }
            let movesPhone = factor.phone != before.phone
            if movesPhone, let refusal = refusal(of: factor, before, factors) { return refusal }
            if !before.hasName(factor.name), factors.contains(where: { $0.hasName(factor.name) }) { return .nameTaken }
            guard movesPhone || !before.hasName(factor.name) else { return .done(before) }
            factor.updatedAt = now
            try db.run(
                """
                UPDATE factors SET name = \(factor.name), phone = \(factor.phone), updated_at = \(now)
                WHERE id = \(id)
                """)
            if movesPhone { try replaceNumber(of: before, among: factors, account.user, by: factor, at: now, in: db) }
            try db.showFactors(of: user)
            try accounts.record([adminEntry(.factorUpdated, account.user, factor, from: device)], at: now, in: db)
            return .done(factor)
        }
    }

    private func refusal(of factor: Factor, _ before: Factor, _ factors: [Factor]) -> FactorAdministration? {
        if factors.contains(where: { $0.phone == factor.phone && $0.isVerified }) { return .phoneTaken }
        return before.isVerified && factorRules.removalDelay != nil ? .isDelayed : nil
    }

    private func replaceNumber(
        of before: Factor, among factors: [Factor], _ user: User, by factor: Factor, at now: Instant,
        in db: any Connection
    ) throws {
        try db.run("DELETE FROM factor_challenges WHERE factor_id = \(factor.id)")
        guard before.isVerified else { return }
        try db.lowerSessions(
            raisedBy: before, hasOther: factors.contains { $0.isVerified && $0.kind == .phone && $0.id != factor.id })
        try accounts.mails.notifyPhone(before.phone, to: factor.phone, user, from: nil, at: now, in: db)
    }

    /// Removes a factor that its user has lost. With ``FactorRules/removalDelay``, a verified factor is removed later:
    /// its owner gets an email, and using the factor cancels the removal. Until then, a repeated call changes nothing.
    ///
    /// - Returns: The factor as it was, or with its removal time.
    package func removeFactor(
        _ id: FactorID, of user: UserID, byAdministratorOn device: Device, at now: Instant
    ) async throws -> FactorAdministration {
        try await database.write { db in
            guard let account = try db.account(user),
                var factor = try db.factors(of: user).first(where: { $0.id == id })
            else { return .unknown }
            if factor.isVerified, let delay = factorRules.removalDelay, factor.removalAt.map({ now < $0 }) ?? true {
                guard factor.removalAt == nil else { return .done(factor) }
                factor.removalAt = now + delay
                try db.run("UPDATE factors SET removal_at = \(factor.removalAt) WHERE id = \(id)")
                try db.showFactors(of: user)
                try accounts.mails.notify(
                    .factorRemoval, account.user, factor: factor.kind, removalAt: factor.removalAt, from: nil, at: now,
                    in: db)
                try accounts.record(
                    [adminEntry(.factorRemovalBegun, account.user, factor, from: device)], at: now, in: db)
                return .done(factor)
            }
            try db.remove(factor)
            try accounts.record([adminEntry(.factorDeleted, account.user, factor, from: device)], at: now, in: db)
            return .done(factor)
        }
    }

    /// - Returns: The factors removed.
    package func removeDueFactors(limit: Int = 200, at now: Instant) async throws -> Int {
        let lookup = Self.dueRemovals(limit: limit, at: now)
        // Most calls find none, and write nothing.
        guard try await database.row(lookup, { _ in true }) == true else { return 0 }
        return try await database.write { db in
            let due = try db.rows(lookup) { $0.factor() }
            for factor in due {
                guard let account = try db.account(factor.user) else { continue }
                try db.remove(factor)
                let entry = adminEntry(.factorDeleted, account.user, factor, from: nil)
                try accounts.record([entry], at: now, in: db)
            }
            return due.count
        }
    }

    static func dueRemovals(limit: Int, at now: Instant) -> SQL {
        """
        SELECT \(columns: factorColumns) FROM factors
        WHERE factors.removal_at <= \(now) ORDER BY factors.removal_at LIMIT \(limit)
        """
    }

    private func adminEntry(
        _ action: AuditEntry.Action, _ user: User, _ factor: Factor, from device: Device?
    ) -> AuditEntry {
        AdminStore.adminEntry(
            action, user,
            ["factor_id": .string(factor.id.text), "factor_type": .string(factor.kind.rawValue)], from: device)
    }
}
