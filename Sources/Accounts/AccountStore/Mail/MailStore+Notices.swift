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
}
