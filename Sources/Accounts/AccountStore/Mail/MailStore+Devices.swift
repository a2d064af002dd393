import AccountDomain
import GatehouseWire
import SQLDatabase

extension MailStore {
    static let devicesStay: Duration = .seconds(400 * 86_400)
    /// Per account.
    static let mostDevices = 50

    /// Remembers a new session's device, if the settings ask for notices of new devices. Queues one if the account has
    /// used other devices, but none of this family. Call before the session is inserted.
    func noteDevice(
        _ device: Device, of user: User, opening session: Session, at now: Instant, in db: any Connection
    ) throws {
        guard notices.kinds.contains(.newDevice) else { return }
        let family = device.family
        let digest = Self.digest(of: family, user.id)
        guard try db.run("UPDATE known_devices SET seen_at = \(now) WHERE digest = \(digest)") == 0 else { return }
        let hasOthers = try db.row("SELECT 1 FROM known_devices WHERE user_id = \(user.id) LIMIT 1") { _ in true }
        // Sessions from before the setting was on.
        let families = try db.rows(Self.sessionAgentLookup(user.id)) { row in
            Device(userAgent: row.textIfPresent(), address: nil).family
        }
        try db.removeExpired(from: .devices, at: now)
        try db.run(
            """
            DELETE FROM known_devices WHERE user_id = \(user.id) AND digest NOT IN (
                SELECT digest FROM known_devices WHERE user_id = \(user.id)
                ORDER BY seen_at DESC, digest LIMIT \(Self.mostDevices - 1))
            """)
        try db.run(
            """
            INSERT INTO known_devices (digest, user_id, seen_at) VALUES (\(digest), \(user.id), \(now))
            ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at
            """)
        guard hasOthers == true || !families.isEmpty, !families.contains(family) else { return }
        let token = try makeReportable(digest, user, session, at: now, in: db)
        try notify(.newDevice, user, from: device, at: now, in: db) { notice in
            (notice.reportToken, notice.page) = (token, token == nil ? nil : notices.reportPage)
        }
    }

    static func digest(of family: String, _ user: UserID) -> [UInt8] {
        TokenDigest.of(Secret("\(user.text) \(family)"))
    }

    /// - Returns: The notice's token; nil without a page for it, and for an address that was never proven: a report would
    ///   set the password aside, and the code to restore it would go to a stranger.
    private func makeReportable(
        _ device: [UInt8], _ user: User, _ session: Session, at now: Instant, in db: any Connection
    ) throws -> Secret? {
        guard notices.reportPage != nil, user.times.emailProvenAt != nil, let email = user.email else { return nil }
        let token = Secret(randomBytes(MintedToken.linkBytes).hexadecimal)
        let isByPassword = session.authenticationMethods == AuthenticationMethod.password.entry(at: session.createdAt)
        let password = isByPassword ? user.passwordHash.map { TokenDigest.of($0) } : nil
        try db.run(
            """
            UPDATE known_devices SET report_digest = \(Self.reportDigest(token, email)),
                report_until = \(now + Self.reportLifetime), session_id = \(session.id),
                signed_in_at = \(session.createdAt), password_digest = \(password.map(SQLValue.bytes) ?? .null)
            WHERE digest = \(device)
            """)
        return token
    }

    static func reportDigest(_ token: Secret, _ email: String) -> [UInt8] {
        TokenDigest.of(Secret("\(token.reveal()) \(email)"))
    }

    private static func sessionAgentLookup(_ user: UserID) -> SQL {
        "SELECT user_agent FROM sessions WHERE user_id = \(user) ORDER BY created_at DESC LIMIT 100"
    }
}

extension Connection {
    /// For an account that gets another owner, or none.
    func forgetDevices(of user: UserID) throws { try run("DELETE FROM known_devices WHERE user_id = \(user)") }
}
