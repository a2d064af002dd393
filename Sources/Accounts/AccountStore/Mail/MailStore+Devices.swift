import AccountDomain
import GatehouseWire
import SQLDatabase

extension MailStore {
    static let devicesStay: Duration = .seconds(400 * 86_400)
    /// Per account. Rows with a valid report link are kept first, oldest first, so that sign-ins from more devices cannot
    /// void a link.
    static let mostDevices = 50
    private static let never = Instant(seconds: 32_503_680_000)

    /// Remembers a new session's device, if the settings ask for notices of new devices. Queues one if the account has
    /// used other devices, but none of this family. Call before the session is inserted.
    func noteDevice(_ device: Device, of user: User, at now: Instant, in db: any Connection) throws {
        guard notices.kinds.contains(.newDevice) else { return }
        let family = device.family
        let digest = TokenDigest.of(Secret("\(user.id.text) \(family)"))
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
                ORDER BY CASE WHEN report_until > \(now) THEN report_until ELSE \(Self.never) END, seen_at DESC, digest
                LIMIT \(Self.mostDevices - 1))
            """)
        try db.run(
            """
            INSERT INTO known_devices (digest, user_id, seen_at) VALUES (\(digest), \(user.id), \(now))
            ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at
            """)
        guard hasOthers == true || !families.isEmpty, !families.contains(family) else { return }
        let token = try makeReportable(digest, user, at: now, in: db)
        try notify(.newDevice, user, from: device, at: now, in: db) { notice in
            (notice.reportToken, notice.page) = (token, token == nil ? nil : notices.reportPage)
        }
    }

    /// - Returns: The notice's token; nil without a page for it, and for an address that was never proven: a report would
    ///   set the password aside, and the code to restore it would go to a stranger.
    private func makeReportable(
        _ device: [UInt8], _ user: User, at now: Instant, in db: any Connection
    ) throws -> Secret? {
        guard notices.reportPage != nil, user.times.emailProvenAt != nil, let email = user.email else { return nil }
        let token = Secret(randomBytes(MintedToken.linkBytes).hexadecimal)
        try db.run(
            """
            UPDATE known_devices SET report_digest = \(Self.reportDigest(token, email)),
                report_until = \(now + Self.reportLifetime)
            WHERE digest = \(device)
            """)
        return token
    }

    static func reportDigest(_ token: Secret, _ email: String) -> [UInt8] {
        TokenDigest.of(Secret("\(token.reveal()) \(email)"))
    }

    private static func sessionAgentLookup(_ user: UserID) -> SQL {
        """
        SELECT user_agent FROM sessions WHERE user_id = \(user) AND oauth_client_id IS NULL
        ORDER BY created_at DESC LIMIT 100
        """
    }
}

extension Connection {
    /// For an account that gets another owner, or none.
    func forgetDevices(of user: UserID) throws { try run("DELETE FROM known_devices WHERE user_id = \(user)") }
}
