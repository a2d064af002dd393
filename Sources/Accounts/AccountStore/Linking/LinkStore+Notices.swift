package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// Verified.
package struct ProviderNotice: Sendable {
    /// Raw values are stored in the audit log.
    package enum Kind: String, Sendable {
        case consentRevoked = "consent_revoked"
        /// The account at the provider was deleted permanently.
        case accountDeleted = "account_deleted"
        /// The provider stopped, or resumed, forwarding to the relay address.
        case emailDisabled = "email_disabled"
        case emailEnabled = "email_enabled"
    }

    /// The same for every delivery of one event.
    package let id: String
    package let provider: String
    package let subject: String
    package let kind: Kind
    /// Later actions of the user take precedence.
    package let occurredAt: Instant

    package init(id: String, provider: String, subject: String, kind: Kind, occurredAt: Instant) {
        self.id = id
        self.provider = provider
        self.subject = subject
        self.kind = kind
        self.occurredAt = occurredAt
    }
}

package enum NoticeOutcome: Equatable, Sendable {
    case applied
    case repeated
    case unknownPerson
    /// A later sign-in or notice supersedes it.
    case outdated
}

extension LinkStore {
    /// The provider has revoked its own tokens.
    package func apply(
        _ notice: ProviderNotice, from device: Device? = nil, at now: Instant
    ) async throws -> NoticeOutcome {
        let digest = TokenDigest.of(Secret("\(notice.provider) \(notice.id)"))
        return try await accounts.sessions.revoking(at: now) { db in
            try db.removeExpired(from: .notices, at: now)
            let isNew = try db.run(
                """
                INSERT INTO provider_notices (digest, received_at) VALUES (\(digest), \(now))
                ON CONFLICT (digest) DO NOTHING
                """)
            guard isNew == 1 else { return .repeated }
            let lookup = Self.identityLookup(notice.provider, notice.subject)
            guard let account = try db.accounts(lookup).first,
                let identity = account.identities.first(where: {
                    $0.provider == notice.provider && $0.providerID == notice.subject
                })
            else { return .unknownPerson }
            switch notice.kind {
            case .emailDisabled, .emailEnabled:
                let isStopped = notice.kind == .emailDisabled
                guard try db.setMailStopped(isStopped, since: notice.occurredAt, of: identity.id) else {
                    return .outdated
                }
            case .consentRevoked, .accountDeleted:
                if let last = identity.lastSignInAt, last > notice.occurredAt { return .outdated }
                let reason: SessionEnd.Reason =
                    notice.kind == .accountDeleted ? .providerAccountDeleted : .consentRevoked
                let end = SessionEnd.byProvider(reason, from: device)
                try withdraw(identity, of: account, notice.kind, end, at: now, in: db)
            }
            try accounts.record([Self.entry(notice, identity, account)], at: now, in: db)
            return .applied
        }
    }

    private func withdraw(
        _ identity: Identity, of account: Account, _ kind: ProviderNotice.Kind, _ end: SessionEnd, at now: Instant,
        in db: any Connection
    ) throws {
        let user = account.user.id
        try db.run("DELETE FROM provider_tokens WHERE identity_id = \(identity.id)")
        try db.run("DELETE FROM authorization_codes WHERE identity_id = \(identity.id)")
        try endSessions(of: user, openedBy: identity, keeping: nil, end, at: now, in: db)
        // Read again: a change of address may have ended with the sessions.
        guard kind == .accountDeleted, let account = try db.account(user) else { return }
        // The last sign-in method stays, although unusable: only the owner may delete the account.
        let decision = try UnlinkDecision(account, removing: identity.id) { try !db.isTaken($0, besides: user) }
        guard case .remove(let address) = decision else { return }
        var left = account
        let made = try left.unlink(identity.id, address: address, newID: accounts.newID(), at: now)
        try db.removeIdentity(identity, at: now)
        if let made { try db.insert(made) }
        try db.update(left.user)
    }

    private static func entry(_ notice: ProviderNotice, _ identity: Identity, _ account: Account) -> AuditEntry {
        var traits: AuthJSONObject = [
            "provider": .string(notice.provider), "notice": .string(notice.kind.rawValue),
            "identity_id": .string(identity.id.text), "user_id": .string(account.user.id.text),
        ]
        switch notice.kind {
        case .consentRevoked: traits["rule"] = .string(LinkingRule.consentRevoked.rawValue)
        case .accountDeleted: traits["rule"] = .string(LinkingRule.providerAccountDeleted.rawValue)
        case .emailDisabled, .emailEnabled: break
        }
        return AuditEntry(.providerNotice, actor: nil, actorName: account.user.name, traits: traits)
    }
}

extension Connection {
    /// - Returns: Whether this is news. Notices may arrive out of order.
    fileprivate func setMailStopped(_ isStopped: Bool, since time: Instant, of identity: IdentityID) throws -> Bool {
        try run(
            """
            UPDATE identities SET mail_stopped = \(isStopped), mail_noticed_at = \(time)
            WHERE id = \(identity) AND (mail_noticed_at IS NULL OR mail_noticed_at < \(time))
            """) == 1
    }
}
