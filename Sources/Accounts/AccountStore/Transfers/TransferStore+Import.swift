package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum ImportOutcome: Equatable, Sendable {
    case added
    /// Not changed.
    case alreadyThere
    case emailTaken, phoneTaken, identityTaken
    /// Refused by a constraint. The text is the driver's and contains no values.
    case refused(String)
}

package enum ImportedConfirmations: Sendable {
    /// Only the account's own times: see ``Account/wasConfirmedByEmail``. The other server may have confirmed addresses
    /// without an email, so anyone could have registered them.
    case proveWhatTheyShow
    /// The operator states that the other server confirmed addresses only by email.
    case proveAddresses
}

package struct ImportedAccount: Sendable {
    package var account: Account
    package var profile: ImportedProfile?
    /// nil if the source has no session data; an earlier import's sessions then stay.
    package var sessions: [ImportedSession]?
    package var factors: [TransferredFactor] = []
    package var passkeys: [Passkey] = []
    package var removals: [TransferredRemoval] = []
    /// Whether the user answered an email at the source, to sign in or to reset the password.
    package var hasAnsweredRecovery = false

    package init(_ account: Account, profile: ImportedProfile? = nil, sessions: [ImportedSession]? = nil) {
        self.account = account
        self.profile = profile
        self.sessions = sessions
    }
}

package struct ImportedAccountOutcome: Equatable, Sendable {
    package var account: ImportOutcome
    package var sessions = ImportedSessionCounts()
    /// The account already existed and stays as it is, although the source has changed since.
    package var hasChanged = false
    /// The account already existed, and lacks some of the source's verified second factors or passkeys.
    package var lacksFactors = false
    /// A passkey was left out, because another account has its credential.
    package var hasTakenPasskeys = false
    /// For an added account; nil without a confirmed address.
    package var isProven: Bool?
}

extension TransferStore {
    /// A violated constraint is an outcome, not an error.
    ///
    /// - Parameter confirmations: What `email_confirmed_at` proves.
    package func add(
        _ account: Account, _ confirmations: ImportedConfirmations = .proveWhatTheyShow, at now: Instant
    ) async throws -> ImportOutcome {
        let account = try Self.withProofs(account, confirmations)
        return try await add(refused: ImportOutcome.refused) { db in try db.add(account, at: now) }
    }

    private func add<Outcome: Sendable>(
        refused: (String) -> Outcome, _ body: @escaping @Sendable (any Connection) throws -> Outcome
    ) async throws -> Outcome {
        do {
            return try await database.write(body)
        } catch let failure as DatabaseFailure where failure.isConstraintViolation {
            // A concurrent write may have taken a unique value. A second attempt finds out which.
            do {
                return try await database.write(body)
            } catch let failure as DatabaseFailure where failure.isConstraintViolation {
                return refused(Self.reason(failure))
            }
        }
    }

    /// Without the database's message.
    private static func reason(_ failure: DatabaseFailure) -> String {
        failure.reason == .constraint(.unique)
            ? "a value that may exist once, such as an identity, is there twice (code \(failure.code))"
            : "a value breaks a rule of the schema (code \(failure.code))"
    }

    /// Imports an account with its profile and sessions. Existing data stays, except sessions that were never used here
    /// and have since been refreshed at the source.
    ///
    /// - Parameters:
    ///   - confirmations: What `email_confirmed_at` proves.
    ///   - isDryRun: Changes nothing.
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the import key's secret, except in a dry run.
    package func add(
        _ imported: ImportedAccount, _ confirmations: ImportedConfirmations = .proveWhatTheyShow,
        isDryRun: Bool = false, at now: Instant
    ) async throws -> ImportedAccountOutcome {
        var imported = imported
        imported.account = try Self.withProofs(imported.account, confirmations, imported.hasAnsweredRecovery)
        for passkey in imported.passkeys {
            guard let at = passkey.setAsideAt else { continue }
            imported.account.user.setAside.passkeys.append(SetAside.Passkey(id: passkey.id, name: passkey.name, at: at))
        }
        let key = imported.sessions == nil ? nil : try await makeImportKey(isDryRun: isDryRun, at: now)
        let sessions = key.map {
            SessionImport(imported.sessions ?? [], of: imported.account.user.id, accounts, key: $0)
        }
        let whole = imported
        let factors = try imported.factors.map { (factor: $0, sealed: try sealed($0)) }
        do {
            return try await add(refused: { ImportedAccountOutcome(account: .refused($0)) }) { db in
                var outcome = try db.add(whole, factors, sessions, at: now)
                if outcome.account == .added {
                    let free = try whole.passkeys.filter(db.isFree)
                    for passkey in free { try db.insert(passkey) }
                    outcome.hasTakenPasskeys = free.count < whole.passkeys.count
                    let times = whole.account.user.times
                    outcome.isProven = times.emailConfirmedAt.map { _ in times.emailProvenAt != nil }
                } else if outcome.account == .alreadyThere {
                    outcome.lacksFactors = try db.lacksFactors(of: whole)
                }
                // Only an error rolls the transaction back.
                if isDryRun { throw Rehearsed(outcome: outcome) }
                return outcome
            }
        } catch let rehearsed as Rehearsed {
            return rehearsed.outcome
        }
    }

    private struct Rehearsed: Error { let outcome: ImportedAccountOutcome }

    /// Marks addresses as proven that the account's providers verified, and those that the other server confirmed if
    /// the operator says so. Another Gatehouse's proof stays.
    private static func withProofs(
        _ account: Account, _ confirmations: ImportedConfirmations, _ hasAnsweredRecovery: Bool = false
    ) throws -> Account {
        var account = account
        for index in account.identities.indices where account.identities[index].isOfProvider {
            let data = try JSONReader.read(account.identities[index].data)
            account.identities[index].isEmailVerified =
                account.identities[index].email != nil && data["email_verified"]?.boolValue == true
        }
        let isProven =
            account.user.email != nil
            && (confirmations == .proveAddresses || hasAnsweredRecovery || account.wasConfirmedByEmail)
            || account.identities.contains { $0.vouches(for: account.user.email) }
        if confirmations == .proveAddresses, account.user.phone != nil {
            account.user.times.phoneProvenAt =
                account.user.times.phoneProvenAt ?? account.user.times.phoneConfirmedAt
        }
        account.user.times.emailProvenAt =
            account.user.times.emailProvenAt ?? (isProven ? account.user.times.emailConfirmedAt : nil)
        return account
    }

    /// After `last`, in order of id; empty at the end.
    package func accounts(after last: UserID?, limit: Int) async throws -> [Account] {
        try await database.read { db in try db.accounts(after: last, limit: limit) }
    }
}

extension Account {
    /// Whether the other server's times show that an email confirmed the address: it came first, and the confirmation
    /// was not merely part of the account's creation.
    package var wasConfirmedByEmail: Bool {
        guard let confirmedAt = user.times.emailConfirmedAt, confirmedAt > user.times.createdAt else { return false }
        return [user.times.confirmationSentAt, user.times.invitedAt].contains { sentAt in
            sentAt.map { $0 < confirmedAt } ?? false
        }
    }

    /// Ignores the last sign-in.
    fileprivate func isNewer(than other: Account) -> Bool {
        guard user.times.updatedAt > other.user.times.updatedAt else { return false }
        let hashes = (user.passwordHash ?? Secret(""), other.user.passwordHash ?? Secret(""))
        let names = (identities.map(\.fullName), other.identities.map(\.fullName))
        return !hashes.0.matches(hashes.1) || Set<[ExternalName]>(names.0) != Set<[ExternalName]>(names.1)
            || user.email != other.user.email
            || user.phone != other.user.phone || user.userMetadata != other.user.userMetadata
            || user.appMetadata != other.user.appMetadata || user.times.bannedUntil != other.user.times.bannedUntil
            || user.times.emailConfirmedAt != other.user.times.emailConfirmedAt
    }
}

extension Identity {
    fileprivate var fullName: [ExternalName] { [provider, providerID].map(ExternalName.init(trusted:)) }
}

extension Connection {
    func accounts(after last: UserID?, limit: Int) throws -> [Account] {
        // Two statements: a single one with "or `last` is null" would scan from the beginning for each page.
        let page: SQL =
            last.map { "SELECT id FROM users WHERE id > \($0) ORDER BY id LIMIT \(limit)" }
            ?? "SELECT id FROM users ORDER BY id LIMIT \(limit)"
        let ids = try rows(page) { $0.text() }
        return try ids.compactMap { try account(UserID(trusted: $0)) }
    }

    /// false for an account that was erased here.
    fileprivate func lacksFactors(of imported: ImportedAccount) throws -> Bool {
        if imported.factors.isEmpty, imported.passkeys.isEmpty { return false }
        if try isErased(imported.account.user.id) { return false }
        let verified = try rows(
            "SELECT id FROM factors WHERE user_id = \(imported.account.user.id) AND is_verified = 1"
        ) { $0.id() as FactorID }
        if imported.factors.contains(where: { !verified.contains($0.factor.id) }) { return true }
        return try imported.passkeys.contains(where: isFree)
    }

    private func isErased(_ user: UserID) throws -> Bool {
        try row("SELECT 1 FROM users WHERE id = \(user) AND deleted_at IS NOT NULL") { _ in true } ?? false
    }

    fileprivate func add(
        _ imported: ImportedAccount, _ factors: [(factor: TransferredFactor, sealed: [UInt8]?)],
        _ sessions: SessionImport?, at now: Instant
    ) throws -> ImportedAccountOutcome {
        let account = imported.account
        var outcome = ImportedAccountOutcome(account: try add(account, at: now))
        switch outcome.account {
        case .added:
            if let profile = imported.profile { try apply(profile, to: account.user.id) }
            try insert(imported.removals, of: account)
            // Before the sessions, whose level depends on them.
            for (factor, sealed) in factors { try insert(factor, sealed: sealed) }
            if !factors.isEmpty { try showFactors(of: account.user.id) }
        case .alreadyThere:
            // Nothing of an erased person may come back.
            if try isErased(account.user.id) { return outcome }
            outcome.hasChanged = try self.account(account.user.id).map { account.isNewer(than: $0) } ?? false
        case .emailTaken, .phoneTaken, .identityTaken, .refused: return outcome
        }
        if var sessions {
            try sessions.run(at: now, in: self)
            outcome.sessions = sessions.counts
        }
        return outcome
    }

    fileprivate func add(_ account: Account, at now: Instant) throws -> ImportOutcome {
        let user = account.user
        if try row("SELECT 1 FROM users WHERE id = \(user.id)", { _ in true }) == true { return .alreadyThere }
        if let email = user.email.flatMap(EmailAddress.init), try isTaken(email, besides: user.id) {
            return .emailTaken
        }
        if let phone = user.phone.flatMap(PhoneNumber.init), try isTaken(phone, besides: user.id) {
            return .phoneTaken
        }
        for identity in account.identities {
            let taken = try row(
                """
                SELECT 1 FROM identities
                WHERE provider = \(identity.provider) AND provider_id = \(identity.providerID)
                """
            ) { _ in true }
            if taken == true { return .identityTaken }
        }
        try insert(user)
        // An account with this id may have been deleted recently, and its tokens revoked.
        if user.times.deletedAt == nil,
            try row("SELECT 1 FROM revocations WHERE id = \(user.id)", { _ in true }) == true
        {
            try revoke(user.id, until: user.times.bannedUntil ?? now, at: now)
        }
        for identity in account.identities { try insert(identity) }
        return .added
    }
}
