import AccountDomain
import AccountStore
import GatehouseWire

/// Supabase's [multi-factor authentication](https://supabase.com/docs/guides/auth/auth-mfa). Imports only authenticator
/// apps: a security key's response names the old server, phone numbers are no factors here, and a recovery code's hash
/// does not reveal the prefix by which this server finds it.
struct SupabaseFactors {
    let imported: [TransferredFactor]
    /// One is of another kind, or has an encrypted secret.
    let isIncomplete: Bool
    let hasRecoveryCodes: Bool

    /// Of an authenticator app's secret. Supabase Auth generates 20.
    static let secretBytes = 10...128

    init(_ rows: AuthJSON?, of user: UserID, at now: Instant) {
        var (imported, isIncomplete): ([TransferredFactor], Bool) = ([], false)
        var names: Set<ExternalName> = []
        let verified = (rows?.arrayValue ?? []).filter { $0["status"]?.stringValue == "verified" }
        let others = verified.filter { $0["factor_type"]?.stringValue != Factor.Kind.recoveryCodes.rawValue }
        hasRecoveryCodes = others.count < verified.count
        for row in others {
            guard let read = Self.factor(row, of: user, at: now) else {
                isIncomplete = true
                continue
            }
            var factor = read.factor
            // Blank names can repeat at the source.
            while let name = ExternalName(factor.name), !names.insert(name).inserted { factor.name += "+" }
            imported.append(TransferredFactor(factor, .app(secret: read.secret)))
        }
        (self.imported, self.isIncomplete) = (imported, isIncomplete)
    }

    private static func factor(
        _ row: AuthJSON, of user: UserID, at now: Instant
    ) -> (factor: Factor, secret: [UInt8])? {
        guard row["factor_type"]?.stringValue == "totp", let members = row.objectValue,
            let id = row["id"]?.stringValue.flatMap({ FactorID($0) }),
            let secret = row["secret"]?.stringValue.flatMap({ Base32.decode($0.utf8) }),
            secretBytes.contains(secret.count)
        else { return nil }
        let columns = LineColumns(members)
        // Ignored: the factor works without the time.
        let createdAt = (try? columns.time("created_at")) ?? nil
        let name = (row["friendly_name"]?.stringValue ?? "").cut(to: Factor.longestName)
        let factor = Factor(
            id: id, user: user, kind: .totp, isVerified: true, name: name, at: createdAt ?? now)
        return (factor, secret)
    }
}
