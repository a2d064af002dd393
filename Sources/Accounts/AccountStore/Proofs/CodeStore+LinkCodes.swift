package import AccountDomain
package import GatehouseWire
import SQLDatabase

package enum LinkCodeOutcome: Equatable, Sendable {
    case mailed
    /// Used, expired or unknown.
    case unknownTicket
    /// The account has another address than the identity, or none.
    case otherAddress
}

package enum LinkCodeConfirmation: Sendable {
    case carriedOut(LinkingOutcome)
    /// Wrong, used or expired. A wrong code is recorded as an attempt.
    case wrongCode
}

// Like a sign-in with an emailed code, followed by the confirmation: proves the address and drops what was entered
// before.
extension CodeStore {
    /// Where to email a code that confirms a link: the account's own address, if it is the identity's, or if the
    /// identity is set aside on this account.
    ///
    /// - Returns: nil if no code can answer the question.
    func linkCodeAddress(
        of user: User, for identity: ProviderIdentity, in db: any Connection
    ) throws -> EmailAddress? {
        guard mailsLinkCodes, let email = user.email.flatMap(EmailAddress.init) else { return nil }
        if email.text == identity.provenEmail?.text { return email }
        return try db.setAsideIdentity(identity)?.user == user.id ? email : nil
    }

    /// nil for a used, expired or unknown ticket.
    package func linkAccount(of ticket: Secret, at now: Instant) async throws -> User? {
        try await database.accounts(Self.linkAccountLookup(TokenDigest.of(ticket), at: now)).first?.user
    }

    /// Emails a code that confirms the ticket's link, once. Voids the account's earlier code.
    ///
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    package func mailLinkCode(
        _ ticket: Secret, _ request: MailRequest, from device: Device, at now: Instant
    ) async throws -> LinkCodeOutcome {
        try await database.write { db in
            let transaction = LinkingTransaction(accounts, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: .session),
                let account = try db.accounts(Self.linkAccountLookup(TokenDigest.of(ticket), at: now)).first
            else { return .unknownTicket }
            guard let email = try linkCodeAddress(of: account.user, for: signIn.identity, in: db) else {
                return .otherAddress
            }
            let minted = try makeToken(
                .linkConfirmation, .linkConfirmation, to: .email(email), of: account.user.id, request,
                codeOwner: Self.linkCodeOwner(account.user.id, ticket), at: now, in: db)
            let content = try accounts.mails.content(
                .linkConfirmation, to: .email(email), of: account.user, minted, request)
            try accounts.mailQueue.queue(content, of: account.user.id, until: now + request.lifetime, at: now, in: db)
            return .mailed
        }
    }

    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret.
    package func confirmLink(
        _ ticket: Secret, code: Secret, from device: Device, at now: Instant
    ) async throws -> LinkCodeConfirmation {
        try await accounts.sessions.revoking(at: now) { db in
            let transaction = LinkingTransaction(accounts, db, device: device, now: now)
            guard let signIn = try transaction.signIn(of: ticket, delivery: .session),
                let account = try db.accounts(Self.linkAccountLookup(TokenDigest.of(ticket), at: now)).first
            else { return .carriedOut(.refused(.ticketUnknown, .ticketOutdated)) }
            let user = account.user.id
            let rows = try db.rows(Self.tokenLookup(user, .linkConfirmation), TokenRow.init)
                .filter { $0.isGood(at: now) && $0.takesCodes }
            let owner = Self.linkCodeOwner(user, ticket)
            guard let row = rows.first(where: { secrets.isDigest($0.codeDigest, ofCode: code, of: owner) }) else {
                for row in rows { try countWrongCode(row, in: db) }
                return .wrongCode
            }
            // Decided before anything is proven: a refusal leaves the account as it is.
            let decision = LinkingDecision(
                try Found(signIn, .confirm(user), asker: account, in: db, at: now).facts)
            if case .refuse = decision.action {
                let outcome = try transaction.carryOut(signIn, .confirm(user), asker: account)
                try transaction.spend(ticket)
                return .carriedOut(outcome)
            }
            guard case .whole(let proven) = try accounts.proofs.prove(row, by: Prover(device: device), at: now, in: db)
            else {
                return .wrongCode
            }
            let outcome = try transaction.carryOut(signIn, .confirm(user), asker: proven)
            try transaction.spend(ticket)
            return .carriedOut(outcome)
        }
    }

    /// Binds a code to its ticket.
    private static func linkCodeOwner(_ user: UserID, _ ticket: Secret) -> String {
        "\(user.text) link \(Base64URL.text(TokenDigest.of(ticket)))"
    }

    private static func linkAccountLookup(_ ticket: [UInt8], at now: Instant) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id = (SELECT user_id FROM link_tickets WHERE digest = \(ticket) AND expires_at > \(now))
        ORDER BY identities.created_at, identities.id
        """
    }
}
