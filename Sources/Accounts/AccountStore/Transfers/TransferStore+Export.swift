package import AccountDomain
import GatehouseWire
import SQLDatabase

package struct ExportedAccount: Sendable {
    package let account: Account
    /// The verified ones, oldest first.
    package var factors: [TransferredFactor]
    package var passkeys: [Passkey]
    package var removals: [TransferredRemoval]

    package init(
        _ account: Account, factors: [TransferredFactor] = [], passkeys: [Passkey] = [],
        removals: [TransferredRemoval] = []
    ) {
        (self.account, self.factors, self.passkeys, self.removals) = (account, factors, passkeys, removals)
    }
}

package struct TransferCounts: Sendable {
    /// A set of recovery codes is one factor.
    package var byKind: [TransferredKind: Int] = [:]
    /// Authenticator apps whose secrets do not open, at most ``mostExamples``.
    package var unopened: [(factor: FactorID, user: UserID)] = []

    package static let mostExamples = 20

    package init() {}
}

extension TransferStore {
    private static let appsAtOnce = 500

    /// Accounts after `last` in order of id, with verified factors, passkeys and remembered removals. A secret that
    /// does not open is no error: see ``FactorContent/unopened``.
    package func exportedAccounts(after last: UserID?, limit: Int) async throws -> [ExportedAccount] {
        try await database.read { db in
            let accounts = try db.accounts(after: last, limit: limit)
            guard let first = accounts.first?.user.id, let end = accounts.last?.user.id else { return [] }
            let passkeys = try db.rows(Self.passkeysLookup(from: first, through: end)) { $0.passkey() }
            let factors = try db.rows(Self.exportLookup(from: first, through: end)) { ExportedFactorRow(&$0) }
                .map { TransferredFactor($0.factor, try content(of: $0, in: db)) }
            let removals = try db.removals(from: first, through: end)
            let (factorsByUser, passkeysByUser) = (
                Dictionary(grouping: factors, by: \.factor.user), Dictionary(grouping: passkeys, by: \.user)
            )
            return accounts.map { account in
                let id = account.user.id
                return ExportedAccount(
                    account, factors: factorsByUser[id] ?? [], passkeys: passkeysByUser[id] ?? [],
                    removals: removals[id] ?? [])
            }
        }
    }

    /// Opens every authenticator app's secret.
    package func transferCounts() async throws -> TransferCounts {
        var counts = TransferCounts()
        let others = try await database.rows(
            "SELECT kind, count(*) FROM factors WHERE is_verified = 1 AND kind <> 'totp' GROUP BY kind"
        ) { (kind: Factor.Kind(text: $0.text()), count: Int($0.int())) }
        for (kind, count) in others {
            counts.byKind[kind == .webAuthn ? .webAuthn : .recoveryCodes] = count
        }
        let phones = try await database.row(
            "SELECT count(*) FROM factors WHERE is_verified = 1 AND phone IS NOT NULL"
        ) { Int($0.int()) }
        if let phones, phones > 0 { counts.byKind[.phone] = phones }
        counts.byKind[.passkeys] = try await database.row("SELECT count(*) FROM passkeys") { Int($0.int()) } ?? 0
        var last: FactorID?
        repeat {
            let rows = try await database.rows(Self.appsPage(after: last)) { row in
                (id: row.id() as FactorID, user: row.id() as UserID, sealed: row.bytesIfPresent())
            }
            for row in rows {
                let content = content(ofAppSealedAs: row.sealed, row.id)
                counts.byKind[content.kind, default: 0] += 1
                if case .unopened = content, counts.unopened.count < TransferCounts.mostExamples {
                    counts.unopened.append((row.id, row.user))
                }
            }
            last = rows.count < Self.appsAtOnce ? nil : rows.last?.id
        } while last != nil
        return counts
    }

    private static func appsPage(after last: FactorID?) -> SQL {
        // Two statements: a single one with "or `last` is null" would scan from the beginning for each page.
        let rest: SQL = last.map { "AND id > \($0)" } ?? ""
        return """
            SELECT id, user_id, sealed_secret FROM factors
            WHERE kind = 'totp' AND phone IS NULL AND is_verified = 1 \(rest)
            ORDER BY id LIMIT \(appsAtOnce)
            """
    }

    private static func exportLookup(from first: UserID, through last: UserID) -> SQL {
        """
        SELECT \(columns: FactorStore.factorColumns), factors.sealed_secret, factors.credential_id, factors.public_key,
            factors.sign_count, factors.is_backup_eligible, factors.is_backed_up, factors.transports
        FROM factors
        WHERE factors.user_id >= \(first) AND factors.user_id <= \(last) AND factors.is_verified = 1
        ORDER BY factors.user_id, factors.created_at, factors.id
        """
    }

    private static func passkeysLookup(from first: UserID, through last: UserID) -> SQL {
        """
        SELECT \(columns: PasskeyStore.passkeyColumns) FROM passkeys
        WHERE passkeys.user_id >= \(first) AND passkeys.user_id <= \(last)
        ORDER BY passkeys.user_id, passkeys.created_at, passkeys.id
        """
    }

    private func content(of row: ExportedFactorRow, in db: any Connection) throws -> FactorContent {
        switch row.factor.kind {
        case .totp: return content(ofAppSealedAs: row.sealed, row.factor.id)
        case .webAuthn: return .securityKey(row.key)
        case .phone: return .phone
        case .recoveryCodes:
            let codes = try db.rows(
                """
                SELECT selector, hash, used_at FROM recovery_codes WHERE factor_id = \(row.factor.id) ORDER BY selector
                """
            ) { TransferredCode(selector: $0.text(), hash: Secret($0.text()), usedAt: $0.instantIfPresent()) }
            return .recoveryCodes(codes)
        }
    }

    private func content(ofAppSealedAs sealed: [UInt8]?, _ factor: FactorID) -> FactorContent {
        // Ignored: `gatehouse keys reseal` reports a missing or wrong server secret.
        guard let secret = sealed.flatMap({ try? accounts.factors.unseal($0, of: factor) }) else { return .unopened }
        return .app(secret: secret)
    }
}

private struct ExportedFactorRow: Sendable {
    let factor: Factor
    let sealed: [UInt8]?
    /// Of a WebAuthn factor.
    let key: TransferredKey

    init(_ row: inout Row) {
        factor = row.factor()
        sealed = row.bytesIfPresent()
        let (credentialID, publicKey) = (row.bytesIfPresent() ?? [], row.bytesIfPresent() ?? [])
        let (signCount, isBackupEligible, isBackedUp) = (
            row.intIfPresent() ?? 0, row.intIfPresent() ?? 0, row.intIfPresent() ?? 0
        )
        // Ignored: our own JSON, and the names only help browsers.
        let transports = row.textIfPresent().flatMap { try? JSONReader.read($0) }?.arrayValue ?? []
        key = TransferredKey(
            credentialID: credentialID, publicKey: publicKey, signCount: UInt32(clamping: signCount),
            isBackupEligible: isBackupEligible != 0, isBackedUp: isBackedUp != 0,
            transports: transports.compactMap(\.stringValue))
    }
}
