package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Only `done` has changed anything.
package enum FactorAdministration: Sendable {
    case done(Factor)
    case unknown
    case nameTaken
}

extension FactorStore {
    /// - Parameter name: nil or empty keeps the name.
    package func renameFactor(
        _ id: FactorID, of user: UserID, to name: String?, from device: Device, at now: Instant
    ) async throws -> FactorAdministration {
        try await database.write { db in
            guard let account = try db.account(user) else { return .unknown }
            let factors = try db.factors(of: user)
            guard var factor = factors.first(where: { $0.id == id }) else { return .unknown }
            guard let name, !name.isEmpty, !factor.hasName(name) else { return .done(factor) }
            if factors.contains(where: { $0.hasName(name) }) { return .nameTaken }
            (factor.name, factor.updatedAt) = (name, now)
            try db.run("UPDATE factors SET name = \(name), updated_at = \(now) WHERE id = \(id)")
            try db.showFactors(of: user)
            try accounts.record([adminEntry(.factorUpdated, account.user, factor, from: device)], at: now, in: db)
            return .done(factor)
        }
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
