package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct DeviceReport: Equatable, Sendable {
    /// Sign-ins by this kind of device since the notice.
    package let endedSessions: Int
    package let setsPasswordAside: Bool
}

extension MailStore {
    package static let reportLifetime: Duration = .seconds(7 * 86_400)

    /// The owner of a notice's mailbox does not recognize the device. Ends its sessions since the notice, and sets aside
    /// the password that signed in, unless it was changed since. The device's next sign-in is reported again.
    ///
    /// - Parameter email: Typed, because mail scanners open links and press buttons.
    /// - Returns: nil for a used, expired or unknown token, or another account's email.
    package func reportDevice(
        _ token: Secret, email: EmailAddress, from device: Device, at now: Instant
    ) async throws -> DeviceReport? {
        let digest = Self.reportDigest(token, email.text)
        return try await accounts.sessions.revoking(at: now) { db in
            let found = try db.row(Self.reportLookup(digest, at: now)) { row in
                Reported(
                    device: row.bytes(), user: row.id(), session: row.id(), signedInAt: row.instant(),
                    password: row.bytesIfPresent())
            }
            guard let found, var account = try db.account(found.user),
                account.user.email?.utf8.elementsEqual(email.text.utf8) == true
            else { return nil }
            try db.run("DELETE FROM known_devices WHERE digest = \(found.device)")
            let setsAside = try setPasswordAside(found, of: &account, at: now, in: db)
            let sessions = try endSessions(of: found, from: device, at: now, in: db)
            let entry = AuditEntry(
                .deviceReported, actor: account.user.id, actorName: account.user.name,
                traits: [
                    "session_id": .string(found.session.text), "sessions": .integer(Int64(sessions)),
                    "methods": .array(setsAside ? ["password"] : []),
                ])
            try accounts.record([entry], at: now, in: db)
            return DeviceReport(endedSessions: sessions, setsPasswordAside: setsAside)
        }
    }

    private struct Reported {
        let device: [UInt8]
        let user: UserID
        let session: SessionID
        let signedInAt: Instant
        let password: [UInt8]?
    }

    static func reportLookup(_ digest: [UInt8], at now: Instant) -> SQL {
        """
        SELECT digest, user_id, session_id, signed_in_at, password_digest FROM known_devices
        WHERE report_digest = \(digest) AND report_until > \(now)
        """
    }

    private func setPasswordAside(
        _ found: Reported, of account: inout Account, at now: Instant, in db: any Connection
    ) throws -> Bool {
        guard let hash = account.user.passwordHash, found.password == TokenDigest.of(hash) else { return false }
        account.user.setAside.add(SetAside.Password(hash: hash, at: now), isKept: true)
        account.user.passwordHash = nil
        account.user.times.updatedAt = now
        try db.update(account.user)
        return true
    }

    private func endSessions(
        of found: Reported, from device: Device, at now: Instant, in db: any Connection
    ) throws -> Int {
        let since = try db.rows(
            """
            SELECT id, user_agent FROM sessions
            WHERE user_id = \(found.user) AND oauth_client_id IS NULL AND parent_id IS NULL
                AND created_at >= \(found.signedInAt)
            """
        ) { row in
            (id: row.id() as SessionID, family: Device(userAgent: row.textIfPresent(), address: nil).family)
        }
        let ended = since.filter { $0.id == found.session || Self.digest(of: $0.family, found.user) == found.device }
        let end = SessionEnd.byUser(.notRecognized, in: nil, from: device)
        for session in ended {
            try accounts.sessions.endSessions(where: "id = \(session.id)", end, at: now, in: db)
        }
        return ended.count
    }
}
