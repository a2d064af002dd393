package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// What comes with a code besides the code, and shows that the caller knows the account.
package struct VerifyingCaller: Sendable {
    /// The secret of the caller's browser, if it has one.
    package var browser: Secret?
    /// Whose change of address a typed code confirms; without it, that of the only account that changes to the address.
    /// Its session survives the first proof of its account's address.
    package var token: MailCaller?
    /// Whether the browser signed in with the account's present password.
    package var isKnownDevice: @Sendable (User) -> Bool = { _ in false }
    /// The hash of the waiting or set-aside password that the caller typed: one of ``Accounts/waitingPasswords(_:for:by:at:)``.
    package var password: Secret?
    /// The hash of the password that the caller typed and that is none of those: an unfinished sign-up gets it.
    package var newPassword: Secret?
    /// The passkey to restore, from the ticket of its sign-in.
    package var passkey: SetAsidePasskey?

    package init(browser: Secret? = nil, token: MailCaller? = nil) { (self.browser, self.token) = (browser, token) }
}

extension ProofStore {
    /// The hashes of the passwords of which one could become the account's with this code, if the code is right. A wrong
    /// code is not counted.
    ///
    /// - Throws: ``DatabaseFailure``.
    package func waitingPasswords(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: VerifyingCaller, at now: Instant
    ) async throws -> WaitingPasswords {
        try await database.read { db in
            guard
                let row = try accounts.codes.look(proof, for: slots, of: caller.changer(slots), at: now, in: db).right,
                let account = try db.account(row.user)
            else { return WaitingPasswords() }
            let pending = row.slot == .confirmation ? try accounts.codes.pendingSignUp(row) : nil
            return WaitingPasswords(
                hashes: account.user.waitingPasswords(or: pending), takesAnother: account.isAbandoned)
        }
    }
}

/// The passwords that a right code moves into an account.
package struct WaitingPasswords: Sendable {
    package var hashes: [Secret] = []
    /// The account is an unfinished sign-up, so the mailbox's owner may choose another password.
    package var takesAnother = false
}

extension VerifyingCaller {
    /// The account whose change of address a typed code confirms, if the caller names one.
    func changer(_ slots: [TokenSlot]) -> UserID? { slots.contains(.emailChangeNew) ? token?.user : nil }
}

extension User {
    /// The hashes of the passwords that a proof of the mailbox makes the account's: those set aside, that of a sign-up
    /// that is not proven, and that of the email's sign-up.
    fileprivate func waitingPasswords(or pending: PendingSignUp?) -> [Secret] {
        let own = times.emailProvenAt == nil ? passwordHash : nil
        return [own, pending?.passwordHash].compactMap(\.self) + setAside.passwords.map(\.hash)
    }

    func waitingPassword(_ hash: Secret?, or pending: PendingSignUp?) -> Secret? {
        hash.flatMap { hash in waitingPasswords(or: pending).first { $0.matches(hash) } }
    }
}
