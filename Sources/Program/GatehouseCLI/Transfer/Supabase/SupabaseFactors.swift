import AccountDomain
import AccountStore
import GatehouseWire

/// Supabase's [multi-factor authentication](https://supabase.com/docs/guides/auth/auth-mfa). Imports
/// authenticator apps and numbers: a security key's response names the old server, and a recovery code's hash does not
/// reveal the prefix by which this server finds it.
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
            if let phone = factor.phone, imported.contains(where: { $0.factor.phone == phone }) { continue }
            // Blank names can repeat at the source.
            while let name = ExternalName(factor.name), !names.insert(name).inserted { factor.name += "+" }
            imported.append(TransferredFactor(factor, read.content))
        }
        (self.imported, self.isIncomplete) = (imported, isIncomplete)
    }

    private static func factor(
        _ row: AuthJSON, of user: UserID, at now: Instant
    ) -> TransferredFactor? {
        guard let members = row.objectValue, let id = row["id"]?.stringValue.flatMap({ FactorID($0) }),
            let (kind, content) = content(row)
        else { return nil }
        let columns = LineColumns(members)
        // Ignored: the factor works without the time.
        let createdAt = (try? columns.time("created_at")) ?? nil
        let name = (row["friendly_name"]?.stringValue ?? "").cut(to: Factor.longestName)
        var factor = Factor(id: id, user: user, kind: kind, isVerified: true, name: name, at: createdAt ?? now)
        if kind == .phone { factor.phone = row["phone"]?.stringValue.flatMap { PhoneNumber($0)?.text } }
        return TransferredFactor(factor, content)
    }

    private static func content(_ row: AuthJSON) -> (Factor.Kind, FactorContent)? {
        switch row["factor_type"]?.stringValue.flatMap(Factor.Kind.init(text:)) {
        case .totp:
            guard let secret = row["secret"]?.stringValue.flatMap({ Base32.decode($0.utf8) }),
                secretBytes.contains(secret.count)
            else { return nil }
            return (.totp, .app(secret: secret))
        case .phone: return row["phone"]?.stringValue.flatMap { PhoneNumber($0) } == nil ? nil : (.phone, .phone)
        case .webAuthn, .recoveryCodes, nil: return nil
        }
    }
}
