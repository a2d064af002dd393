import Foundation
import Gatehouse

struct AskedLink: Sendable {
    var token: ScriptedToken
    var question: AuthLinkQuestion
    var owner: UUID
}

struct MadeLink: Sendable {
    var owner: UUID
    var link: AuthUndoableLink
    var wasProven: Bool
}

extension InMemoryLinking {
    static let ticketLifetime: TimeInterval = 600
    static let undoPeriod: TimeInterval = 30 * 86_400

    /// Follows Docs/linking.md, possibly creating an account.
    ///
    /// - Throws: 422 with a question if the address's owner must confirm.
    mutating func signIn(_ token: ScriptedToken, at now: Date) throws(AuthClientError) -> Opened {
        let person = token.person
        if let (owner, identity) = owner(of: token) {
            take(token.name, for: owner)
            return try open(owner, by: identity, at: now)
        }
        guard let email = person.email, person.isEmailVerified, !person.isEmailHidden,
            !server.undone.contains(token.key),
            let holder = account(email: email)
        else {
            if person.email != nil, let former = former(of: token) {
                throw ask(token, of: former, at: now)
            }
            return try begin(with: token, at: now)
        }
        let id = holder.user.id
        let others = (holder.user.identities ?? []).map(\.provider).filter { $0 != AuthProvider.email.rawValue }
        if !holder.isConfirmed, others.isEmpty { return try takeOver(holder, with: token, at: now) }
        let isKnownApart = others.contains(token.provider.rawValue) || server.unlinked[id]?.contains(token.key) == true
        guard holder.isEmailProven, !isKnownApart, !server.factors.hasSecondFactor(id) else {
            throw ask(token, of: holder, at: now)
        }
        return try add(token, to: id, "proven_by_both", at: now)
    }

    private func former(of token: ScriptedToken) -> Account? {
        server.setAsideIdentities[token.key].flatMap { account($0.owner) }
    }

    /// Sets the unfinished sign-up's passwords aside.
    private mutating func takeOver(
        _ signUp: Account, with token: ScriptedToken, at now: Date
    ) throws(AuthClientError) -> Opened {
        let id = signUp.user.id
        let own = signUp.password.map { [OtherPassword(text: $0, data: signUp.entered, at: now)] } ?? []
        server.remove(id)
        return try begin(with: token, as: id, keeping: own + signUp.otherPasswords, at: now)
    }

    private mutating func begin(
        with token: ScriptedToken, as id: UUID? = nil, keeping passwords: [OtherPassword] = [], at now: Date
    ) throws(AuthClientError) -> Opened {
        let person = token.person
        server.proving.takeSetAside(token)
        let isFree = person.email.flatMap { account(email: $0) } == nil
        let email = isFree && person.isEmailVerified ? person.email : nil
        let id = server.add(email: email, firstName: person.firstName, as: id, at: now)
        let identity = server.link(
            token.provider, person: person.id, email: person.email, isVerified: person.isEmailVerified, to: id, at: now)
        update(id) { ($0.isEmailProven, $0.otherPasswords) = (email != nil, passwords) }
        server.proving.showSetAside(of: id)
        take(token.name, for: id)
        return try open(id, by: identity, at: now)
    }

    private mutating func ask(_ token: ScriptedToken, of account: Account, at now: Date) -> AuthClientError {
        server.questions = server.questions.filter { $0.value.token.key != token.key }
        let password = account.password == nil ? [] : ["password"]
        let providers = (account.user.identities ?? []).map(\.provider).filter { $0 != AuthProvider.email.rawValue }
        var question = AuthLinkQuestion(
            ticket: AuthLinkTicket("ticket-\(number())"), expiresAt: now + Self.ticketLifetime,
            email: token.person.email?.lowercased() ?? "", provider: token.provider.rawValue,
            signInMethods: password + providers,
            canRecover: !account.isEmailProven || server.setAsideIdentities[token.key]?.owner == account.user.id)
        question.canMailCode = server.mailing.mailsLinkCode(of: account, for: token)
        question.canUsePasskey = settings.allowsPasskeys && server.protection.keys[account.user.id]?.isEmpty == false
        server.questions[question.ticket] = AskedLink(token: token, question: question, owner: account.user.id)
        return Fault.refused(422, .identityNeedsConfirmation, question: question)
    }

    mutating func confirm(_ ticket: AuthLinkTicket, for id: UUID, at now: Date) throws(AuthClientError) -> Opened {
        let (asked, holder) = try answered(ticket, at: now)
        guard holder.user.id == id else { throw Fault.refused(403, .linkTicketOtherAccount) }
        server.questions[ticket] = nil
        return try add(asked.token, to: id, "confirmed_by_owner", at: now)
    }

    mutating func confirm(
        _ ticket: AuthLinkTicket, _ email: String, _ password: String, at now: Date
    ) throws(AuthClientError) -> Opened {
        guard let account = account(email: email) else { throw Fault.refused(400, .invalidCredentials) }
        guard account.password == password else {
            guard account.otherPasswords.contains(where: { $0.text == password }), account.isConfirmed else {
                throw Fault.refused(400, .invalidCredentials)
            }
            server.proving.mailRestoring(of: account, at: now)
            throw Fault.refused(403, .credentialSetAside)
        }
        guard !server.factors.hasSecondFactor(account.user.id) else { throw Fault.refused(403, .insufficientAAL) }
        return try confirm(ticket, for: account.user.id, at: now)
    }

    /// A set-aside identity gets a new account without the address.
    mutating func recover(_ ticket: AuthLinkTicket, at now: Date) throws(AuthClientError) -> Opened {
        let (asked, holder) = try answered(ticket, at: now)
        let isFormer = former(of: asked.token)?.user.id == holder.user.id
        guard !holder.isEmailProven || isFormer else { throw Fault.refused(422, .linkNotRecoverable) }
        server.questions[ticket] = nil
        if !isFormer { server.proving.moveAddress(of: holder.user.id, at: now) }
        return try begin(with: asked.token, at: now)
    }

    /// - Throws: 404 for an unknown ticket or a deleted account.
    func known(_ ticket: AuthLinkTicket, at now: Date) throws(AuthClientError) -> (AskedLink, account: Account) {
        guard let asked = server.questions[ticket], now < asked.question.expiresAt, let account = account(asked.owner)
        else {
            throw Fault.refused(404, .linkTicketNotFound)
        }
        return (asked, account)
    }

    /// - Throws: 404 for an unknown ticket, 409 if the address has no account.
    private mutating func answered(
        _ ticket: AuthLinkTicket, at now: Date
    ) throws(AuthClientError) -> (AskedLink, holder: Account) {
        guard let asked = server.questions[ticket], now < asked.question.expiresAt else {
            throw Fault.refused(404, .linkTicketNotFound)
        }
        guard let holder = account(email: asked.question.email) ?? former(of: asked.token) else {
            server.questions[ticket] = nil
            throw Fault.refused(409, .linkTicketOutdated)
        }
        return (asked, holder)
    }
}

extension InMemoryLinking {
    func owner(of token: ScriptedToken) -> (account: UUID, identity: UUID?)? {
        for account in server.accounts {
            let own = account.user.identities?.first {
                $0.provider == token.provider.rawValue && $0.id == token.person.id
            }
            if let own { return (account.user.id, own.identityID) }
        }
        return nil
    }

    mutating func link(
        _ token: ScriptedToken, to caller: Caller, at now: Date
    ) throws(AuthClientError) -> Opened {
        guard account(caller.user) != nil else { throw Fault.refused(403, .userNotFound) }
        guard owner(of: token) == nil else { throw Fault.refused(422, .identityAlreadyExists) }
        return try add(token, to: caller.user, "linked_by_hand", at: now)
    }

    private mutating func add(
        _ token: ScriptedToken, to id: UUID, _ rule: String, at now: Date
    ) throws(AuthClientError) -> Opened {
        let person = token.person
        let identity = server.link(
            token.provider, person: person.id, email: person.email, isVerified: person.isEmailVerified, to: id, at: now)
        server.proving.takeSetAside(token)
        let wasProven = account(id)?.isEmailProven ?? false
        server.links[identity] = MadeLink(
            owner: id,
            link: AuthUndoableLink(
                id: identity, provider: token.provider.rawValue, rule: rule, linkedAt: now,
                until: now + Self.undoPeriod), wasProven: wasProven)
        update(id) { account in
            if person.isEmailVerified, account.user.email == person.email { account.isEmailProven = true }
        }
        take(token.name, for: id)
        return try open(id, by: identity, at: now)
    }

    /// Keeps existing names.
    private mutating func take(_ name: AppleName?, for id: UUID) {
        guard let name else { return }
        update(id) { account in
            for key in ["full_name", "name"] where account.user.userMetadata[key] == nil {
                account.user.userMetadata[key] = .string(name.full)
            }
            if account.profile?.firstName == nil { account.profile?.firstName = name.given }
        }
    }

    mutating func unlink(_ identity: UUID?, by caller: Caller) throws(AuthClientError) {
        let owner = caller.user
        let removed = account(owner)?.user.identities?.first { $0.identityID == identity }
        try take(identity, from: owner)
        if let removed { server.unlinked[owner, default: []].insert(ScriptedToken.key(removed.provider, removed.id)) }
        let openers = server.openers
        end(.signInMethodRemoved) { openers[$0.key] == identity && $0.key != caller.id }
    }

    func undoableLinks(of id: UUID, at now: Date) -> [AuthUndoableLink] {
        server.links.values.filter { $0.owner == id && now < $0.link.until }.map(\.link)
            .sorted { ($0.linkedAt, $0.id.wire) > ($1.linkedAt, $1.id.wire) }
    }

    /// From then on the identity belongs to another user.
    mutating func undo(_ identity: UUID?, by caller: Caller, at now: Date) throws(AuthClientError) {
        let id = caller.user
        guard let identity, let known = account(id)?.user.identities?.first(where: { $0.identityID == identity }) else {
            throw Fault.refused(422, .identityNotFound)
        }
        guard let made = server.links[identity], now < made.link.until else {
            throw Fault.refused(422, .linkNotUndoable)
        }
        try take(identity, from: id)
        server.undone.insert(ScriptedToken.key(known.provider, known.id))
        update(id) { $0.isEmailProven = made.wasProven }
        let openers = server.openers
        end(.linkUndone) { openers[$0.key] == identity && $0.key != caller.id }
    }

    private mutating func take(_ identity: UUID?, from id: UUID) throws(AuthClientError) {
        guard let identities = account(id)?.user.identities else { throw Fault.refused(403, .userNotFound) }
        guard let identity, identities.contains(where: { $0.identityID == identity }) else {
            throw Fault.refused(422, .identityNotFound)
        }
        guard identities.count > 1 || server.protection.keys[id]?.isEmpty == false else {
            throw Fault.refused(422, .singleIdentityNotDeletable)
        }
        server.setIdentities(identities.filter { $0.identityID != identity }, of: id)
        server.links[identity] = nil
    }
}
