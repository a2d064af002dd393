package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct DeviceReport: Equatable, Sendable {
    package let endedSessions: Int
    package let setsPasswordAside: Bool
}

extension MailStore {
    package static let reportLifetime: Duration = .seconds(7 * 86_400)
    /// Between the clocks of two nodes.
    private static let clockError: Duration = .seconds(60)

    /// The owner of a notice's mailbox does not recognize the device. A thief may since have used other kinds of devices,
    /// changed the password, and added sign-in methods and clients. So this ends all sessions since the sign-in, with
    /// clients' and their consents, and sets aside the password and what was added. Second factors stay: the mailbox alone
    /// removes none.
    ///
    /// - Parameter email: Typed, because mail scanners open links and press buttons.
    /// - Returns: nil for a used, expired or unknown token, or another email than the notice's.
    package func reportDevice(
        _ token: Secret, email: EmailAddress, from device: Device, at now: Instant
    ) async throws -> DeviceReport? {
        let digest = Self.reportDigest(token, email.text)
        return try await accounts.sessions.revoking(at: now) { db in
            let found = try db.row(Self.reportLookup(digest, at: now)) { row in
                (device: row.bytes(), user: row.id() as UserID, until: row.instant())
            }
            guard let found, var account = try db.account(found.user) else { return nil }
            let since = found.until - Self.reportLifetime - Self.clockError
            try db.run("DELETE FROM known_devices WHERE digest = \(found.device)")
            // A moved address's new owner may be a stranger, who would get the code.
            let isOwn = account.user.email?.utf8.elementsEqual(email.text.utf8) == true
            let methods = isOwn ? try setAside(of: &account, since: since, at: now, in: db) : []
            let end = SessionEnd.byUser(.notRecognized, in: nil, from: device)
            let sessions = try accounts.sessions.endSessions(
                where: "user_id = \(found.user) AND created_at >= \(since)", end, at: now, in: db)
            try db.voidCodes(of: found.user)
            try db.run("DELETE FROM oauth_consents WHERE user_id = \(found.user) AND granted_at >= \(since)")
            let entry = AuditEntry(
                .deviceReported, actor: account.user.id, actorName: account.user.name,
                traits: [
                    "sessions": .integer(Int64(sessions)), "methods": .array(methods.map(AuthJSON.string)),
                ])
            try accounts.record([entry], at: now, in: db)
            return DeviceReport(endedSessions: sessions, setsPasswordAside: methods.contains(Self.password))
        }
    }

    private static let password = "password"

    static func reportLookup(_ digest: [UInt8], at now: Instant) -> SQL {
        """
        SELECT digest, user_id, report_until FROM known_devices
        WHERE report_digest = \(digest) AND report_until > \(now)
        """
    }

    /// - Returns: For the audit log.
    private func setAside(
        of account: inout Account, since: Instant, at now: Instant, in db: any Connection
    ) throws -> [String] {
        var setAside = account.user.setAside
        let others = setAside
        try accounts.proofs.setAsideOthers(of: &account, into: &setAside, since: since, at: now, in: db)
        var methods = setAside.passkeys.count > others.passkeys.count ? ["passkey"] : []
        methods += setAside.identities.dropFirst(others.identities.count).map(\.provider)
        if let hash = account.user.passwordHash {
            setAside.add(SetAside.Password(hash: hash, at: now), isKept: true)
            account.user.passwordHash = nil
            methods.insert(Self.password, at: 0)
        }
        guard !methods.isEmpty else { return [] }
        account.user.setAside = setAside
        account.user.times.updatedAt = now
        try db.update(account.user)
        return methods
    }
}
