import AccountDomain
import GatehouseWire
import SQLDatabase

// Queued in the transaction of the change that they report.
extension MailStore {
    /// Does nothing unless the settings ask for it.
    ///
    /// - Parameters:
    ///   - before: Its address gets the notice.
    ///   - device: nil for an administrator.
    ///   - more: Adds what only this kind reports.
    func notify(
        _ kind: MailKind, _ before: User, newEmail: String? = nil, provider: String? = nil,
        factor: Factor.Kind? = nil, removalAt: Instant? = nil, passkey: Passkey? = nil, from device: Device?,
        at now: Instant, in db: any Connection, more: (inout MailNotice) -> Void = { _ in }
    ) throws {
        guard notices.kinds.contains(kind), notices.reach(before),
            let recipient = before.email.flatMap(EmailAddress.init)
        else { return }
        var content = MailContent(kind: kind, recipient: .email(recipient), redirectTo: "")
        content.account = newEmail ?? recipient.text
        content.data = try JSONReader.read(before.userMetadata).objectValue ?? [:]
        content.language = device?.language
        var notice = MailNotice(time: now)
        notice.device = device.map { $0.words ?? Self.unknownDevice }
        notice.oldEmail = newEmail == nil ? nil : recipient.text
        notice.provider = provider
        (notice.factor, notice.removalAt) = (factor, removalAt)
        notice.authenticator = passkey.flatMap { AuthenticatorModels.name(of: $0.model) }
        more(&notice)
        content.notice = notice
        try accounts.mailQueue.queue(content, of: before.id, until: now + MailSchedule.noticeLifetime, at: now, in: db)
    }

    /// A change of the account's own number, or of a second factor's. nil means none.
    func notifyPhone(
        _ old: String?, to new: String?, _ before: User, from device: Device?, at now: Instant, in db: any Connection
    ) throws {
        try notify(.phoneChanged, before, from: device, at: now, in: db) { ($0.oldPhone, $0.phone) = (old, new) }
    }

    /// In every language.
    private static let unknownDevice = "–"

    static let devicesStay: Duration = .seconds(400 * 86_400)
    /// Per account.
    static let mostDevices = 50

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
                ORDER BY seen_at DESC, digest LIMIT \(Self.mostDevices - 1))
            """)
        try db.run(
            """
            INSERT INTO known_devices (digest, user_id, seen_at) VALUES (\(digest), \(user.id), \(now))
            ON CONFLICT (digest) DO UPDATE SET seen_at = excluded.seen_at
            """)
        guard hasOthers == true || !families.isEmpty, !families.contains(family) else { return }
        try notify(.newDevice, user, from: device, at: now, in: db)
    }

    private static func sessionAgentLookup(_ user: UserID) -> SQL {
        "SELECT user_agent FROM sessions WHERE user_id = \(user) ORDER BY created_at DESC LIMIT 100"
    }
}

extension Connection {
    /// For an account that gets another owner, or none.
    func forgetDevices(of user: UserID) throws { try run("DELETE FROM known_devices WHERE user_id = \(user)") }
}
