package import AccountDomain
import GatehouseWire
import SQLDatabase

package struct PhoneChange: Sendable {
    package let phone: PhoneNumber
    package let message: MailRequest

    package init(phone: PhoneNumber, message: MailRequest) { (self.phone, self.message) = (phone, message) }
}

extension Accounts {
    /// True if another account has confirmed the number. An unconfirmed number goes to the first account that proves it.
    package func isConfirmed(_ phone: PhoneNumber, besides user: UserID) async throws -> Bool {
        try await database.read { try $0.isConfirmed(phone, besides: user) }
    }

    /// The caller stores the account.
    func change(
        _ phone: PhoneNumber, _ update: UserUpdate, of account: inout Account, in session: SessionID?, at now: Instant,
        in db: any Connection
    ) throws {
        guard let message = update.phoneChange?.message else {
            return try setPhone(phone, of: &account, isProven: false, at: now, in: db)
        }
        // Codes of a change to another number must not confirm this one.
        if account.user.newPhone != phone.text { try db.endPhoneChange(of: account.user.id, at: now) }
        account.user.newPhone = phone.text
        account.user.phoneChangeSession = session
        account.user.times.phoneChangeSentAt = now
        let content = try mails.mail(
            .textPhoneChange, .phoneChange, to: .phone(phone), of: account, message, at: now, in: db)
        try mailQueue.queue(content, of: account.user.id, until: now + message.lifetime, at: now, in: db)
    }

    /// Sets a confirmed number, and voids codes sent to the old one.
    func setPhone(
        _ phone: PhoneNumber, of account: inout Account, isProven: Bool, at now: Instant, in db: any Connection
    ) throws {
        account.user.phone = phone.text
        account.user.newPhone = nil
        account.user.isAnonymous = false
        account.user.times.phoneConfirmedAt = now
        account.user.times.phoneProvenAt = isProven ? now : nil
        for slot in [TokenSlot.phoneConfirmation, .phoneChange] { try db.voidTokens(of: account.user.id, slot) }
        try db.insertPhoneIdentity(phone, of: &account, id: newID(), isVerified: isProven, at: now)
        account.user.appMetadata = try Self.providersRecomputed(account)
    }
}

extension Connection {
    /// Of address and number.
    func endChanges(of user: UserID, at now: Instant) throws {
        try endAddressChange(of: user, at: now)
        try endPhoneChange(of: user, at: now)
    }

    func endPhoneChange(of user: UserID, at now: Instant) throws {
        try voidTokens(of: user, .phoneChange)
        let ended = try run(
            """
            UPDATE users SET new_phone = NULL, phone_change_sent_at = NULL, phone_change_session = NULL
            WHERE id = \(user) AND new_phone IS NOT NULL
            """)
        if ended > 0 { journal?.add(.updated(user), at: now) }
    }
}
