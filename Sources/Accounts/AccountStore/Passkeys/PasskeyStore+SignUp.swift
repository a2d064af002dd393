package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Verified, without a password.
package struct PasskeySignUp: Sendable {
    package enum Address: Sendable {
        case none
        /// By auto-confirm; not proven.
        case confirmed(EmailAddress)
        /// Outside the account until an emailed code proves it.
        case mailed(EmailAddress, MailRequest)
    }

    package let passkey: NewPasskey
    package let address: Address
    package let metadata: AuthJSONObject

    package init(passkey: NewPasskey, address: Address, metadata: AuthJSONObject) {
        (self.passkey, self.address, self.metadata) = (passkey, address, metadata)
    }
}

/// Only `signedIn` has created an account.
package enum PasskeySignUpOutcome: Sendable {
    case signedIn(IssuedSession)
    /// Only with auto-confirm, which reveals it anyway.
    case addressTaken
    case credentialExists
    case challengeUsed
}

extension PasskeyStore {
    /// Creates an account with its first passkey, and opens a session.
    ///
    /// An unproven address stays outside the account. So no one gets an account with another person's address, and the
    /// response is the same for a taken one, whose owner gets an email.
    ///
    /// - Throws: ``AccountNeedsAdmission``.
    package func signUp(
        _ signUp: PasskeySignUp, answering challenge: PasskeyChallenge, from device: Device, at now: Instant
    ) async throws -> PasskeySignUpOutcome {
        let made = newAccount(signUp, id: challenge.newUser, at: now)
        let passkey = signUp.passkey.passkey(accounts.newID(), of: made.user.id, at: now)
        let session = accounts.newSession(of: made.user.id, by: .passkey, on: device, at: now)
        return try await database.write { db in
            var account = made
            guard try db.isFree(passkey) else { return .credentialExists }
            try accounts.admit(account)
            // First, so that one challenge tests only one address.
            guard try db.use(challenge, at: now) else { return .challengeUsed }
            if case .confirmed(let email) = signUp.address, try db.isTaken(email, besides: made.user.id) {
                return .addressTaken
            }
            try db.insert(account.user)
            for identity in account.identities { try db.insert(identity) }
            try db.insert(passkey)
            try accounts.mails.noteDevice(device, of: account.user, at: now, in: db)
            try db.insert(session, from: device)
            if case .mailed(let email, let mail) = signUp.address {
                try begin(email, mail, of: &account, at: now, in: db)
            }
            let (user, name) = (account.user.id, account.user.name)
            let traits: AuthJSONObject = ["provider": "passkey", "passkey_id": .string(passkey.id.text)]
            try accounts.record(
                [
                    AuditEntry(.userSignedUp, actor: user, actorName: name, traits: traits),
                    .passkey(.passkeyCreated, passkey, of: account.user),
                    AuditEntry(.login, actor: user, actorName: name, traits: traits),
                ], at: now, in: db)
            return .signedIn(try accounts.sessions.issue(session, to: account))
        }
    }

    package func newAccount(_ signUp: PasskeySignUp, id: UserID, at now: Instant) -> Account {
        var user = accounts.newUser(at: now)
        user.id = id
        user.times.lastSignInAt = now
        if case .mailed(let email, _) = signUp.address { user.newEmail = email.text }
        guard case .confirmed(let email) = signUp.address else {
            user.userMetadata = AuthJSON.object(signUp.metadata.filter { !$0.value.isNull }).text
            return Account(user: user, identities: [])
        }
        let data = AccountMetadata.emailIdentity(user: id, email: email, isVerified: false, data: signUp.metadata)
        let shown = AccountMetadata.emailIdentity(user: id, email: email, isVerified: true, data: signUp.metadata)
        user.email = email.text
        user.times.emailConfirmedAt = now
        user.appMetadata = AuthJSON.object(AccountMetadata.providers(["email"])).text
        user.userMetadata = AuthJSON.object(shown).text
        let identity = Identity(
            id: accounts.newID(), user: id, provider: "email", providerID: id.text, data: AuthJSON.object(data).text,
            email: email.text, at: now)
        return Account(user: user, identities: [identity])
    }

    private func begin(
        _ email: EmailAddress, _ mail: MailRequest, of account: inout Account, at now: Instant,
        in db: any Connection
    ) throws {
        guard let owner = try db.accounts(SignInStore.emailLookup(email)).first else {
            let change = EmailChange(email: email, mail: mail, asksBoth: false)
            try accounts.begin(change, of: &account, in: nil, at: now, in: db)
            return try db.update(account.user)
        }
        // Indistinguishable from an account whose email is on the way.
        account.user.times.emailChangeSentAt = now
        try db.note(.emailChangeNew, of: account.user.id, at: now)
        try db.update(account.user)
        let content = try accounts.mails.content(.accountExists, to: .email(email), of: owner.user, nil, mail)
        try accounts.mailQueue.queue(content, of: owner.user.id, until: now + mail.lifetime, at: now, in: db)
    }
}
