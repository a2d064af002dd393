package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Evidence besides the code that the caller knows the account.
package struct VerifyingCaller: Sendable {
    package var browser: Secret?
    /// Names the account whose change of address a typed code confirms; nil for the only one that changes to the
    /// address. Its session survives its address's first proof.
    package var token: MailCaller?
    /// Whether the browser has signed in with the current password.
    package var isKnownDevice: @Sendable (User) -> Bool = { _ in false }
    /// One of ``ProofStore/waitingPasswords(_:for:by:at:)``, as typed.
    package var password: Secret?
    /// Another typed password, for an unfinished sign-up.
    package var newPassword: Secret?
    /// From its sign-in's ticket.
    package var passkey: SetAsidePasskey?

    package init(browser: Secret? = nil, token: MailCaller? = nil) { (self.browser, self.token) = (browser, token) }
}

extension ProofStore {
    /// Passwords that this code, if correct, could make the account's. A wrong code is not recorded.
    package func waitingPasswords(
        _ proof: MailedProof, for slots: [TokenSlot], by caller: VerifyingCaller, at now: Instant
    ) async throws -> WaitingPasswords {
        try await database.read { db in
            guard
                let row = try accounts.codes.look(proof, for: slots, of: caller.changer(slots), at: now, in: db).right,
                let account = try db.account(row.user)
            else { return WaitingPasswords() }
            let pending = row.slot?.confirmsSignUp == true ? try accounts.codes.pendingSignUp(row) : nil
            return WaitingPasswords(
                hashes: account.user.waitingPasswords(or: pending), takesAnother: account.isAbandoned)
        }
    }
}

package struct WaitingPasswords: Sendable {
    package var hashes: [Secret] = []
    /// An unfinished sign-up: the mailbox's owner may choose another password.
    package var takesAnother = false
}

extension VerifyingCaller {
    /// The account whose change of address a typed code confirms, if the caller names one.
    func changer(_ slots: [TokenSlot]) -> UserID? {
        slots.contains(.emailChangeNew) || slots.contains(.phoneChange) ? token?.user : nil
    }
}

extension User {
    /// The passwords that a proof of the mailbox can make the account's: set-aside ones, an unproven sign-up's, and
    /// that of the email's sign-up.
    fileprivate func waitingPasswords(or pending: PendingSignUp?) -> [Secret] {
        let own = times.emailProvenAt == nil || times.phoneProvenAt == nil ? passwordHash : nil
        return [own, pending?.passwordHash].compactMap(\.self) + setAside.passwords.map(\.hash)
    }

    func waitingPassword(_ hash: Secret?, or pending: PendingSignUp?) -> Secret? {
        hash.flatMap { hash in waitingPasswords(or: pending).first { $0.matches(hash) } }
    }
}
