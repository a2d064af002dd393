import Foundation
import Gatehouse
import GatehouseModel

/// The code of a mail.
struct MailedCode: Sendable {
    /// An account has at most one code in each slot.
    enum Slot: Hashable, Sendable {
        case confirmation
        /// To sign in, with or without a new password.
        case recovery
        case newEmail
        case currentEmail
        /// To answer a link question.
        case link
    }

    let text: String
    let owner: UUID
    let slot: Slot
    let email: String
    let expiresAt: Date
    /// The only ticket that a code in the slot `link` is good for.
    var ticket: LinkTicket?
    /// What the code confirms, if not the sign-up that made the account.
    var competing: CompetingSignUp?
    var attempts = 0
    /// The first of two codes of an email change stays until the second one.
    var isUsed = false

    func isGood(at now: Date) -> Bool { !isUsed && attempts < 5 && now < expiresAt }
}

/// What a sign-up entered that competes with an earlier one for the address.
struct CompetingSignUp: Sendable {
    let password: String?
    let metadata: JSONObject
}

extension InMemoryServer.Account {
    /// Whether the account is nothing but a sign-up that waits for its mail.
    var isAbandoned: Bool {
        !isConfirmed && !(user.identities ?? []).contains { $0.provider != Provider.email.rawValue }
    }
}

// Mails.
extension InMemoryServer {
    private static let codeLifetime: TimeInterval = 3_600

    mutating func mailRecovery(to email: String, at now: Date) {
        append(.recovery, to: email)
        if let account = account(email: email) { mint(.recovery, to: email, of: account.user.id, at: now) }
    }

    mutating func mailConfirmation(to email: String, confirming competing: CompetingSignUp? = nil, at now: Date) {
        append(.confirmation, to: email)
        guard let account = account(email: email), !account.isConfirmed else { return }
        let id = account.user.id
        // What a competing sign-up entered counts with its own mail alone.
        let didCompete = codes.contains { $0.owner == id && $0.competing != nil }
        mint(.confirmation, to: email, of: id, at: now) { code in
            code.competing = competing ?? (didCompete ? CompetingSignUp(password: nil, metadata: [:]) : nil)
        }
    }

    /// A sign-up with an address that has an account. If that one waits for its mail, the two compete: the first password
    /// ends, and the second one counts only with the link of its mail.
    mutating func repeatSignUp(_ email: String, _ entered: CompetingSignUp, at now: Date) {
        guard let account = account(email: email), account.isAbandoned else { return append(.accountExists, to: email) }
        // Without mail no code is about to confirm a password.
        guard settings.sendsMail != false else { return }
        update(account.user.id) { $0.password = nil }
        mailConfirmation(to: email, confirming: entered, at: now)
    }

    /// Mails the code of a link question.
    ///
    /// - Throws: 404 for an unknown ticket, 422 if the account has another address.
    mutating func mailLinkCode(_ ticket: LinkTicket, at now: Date) throws(AuthClientError) {
        guard settings.sendsMail == true else { throw Fault.refused(422, .emailProviderDisabled) }
        let (asked, account) = try known(ticket, at: now)
        guard mailsLinkCode(of: account, for: asked.token) else { throw Fault.refused(422, .validationFailed) }
        append(.link, to: asked.question.email)
        mint(.link, to: asked.question.email, of: account.user.id, lifetime: Self.ticketLifetime, at: now) {
            $0.ticket = ticket
        }
    }

    /// Whether a code to the address proves the account of a question.
    func mailsLinkCode(of account: Account, for token: ScriptedToken) -> Bool {
        settings.sendsMail == true && settings.allowsEmail && token.person.isEmailVerified
            && account.user.email == token.person.email?.lowercased()
    }

    mutating func mailSignIn(to email: String, at now: Date) {
        append(.signIn, to: email)
        if account(email: email) == nil {
            guard settings.allowsSignUp else { return }
            let id = add(email: email, firstName: nil, at: now)
            link(.email, person: id.wire, email: email, to: id, at: now)
            let isConfirmed = confirmsAutomatically
            update(id) { $0.isConfirmed = isConfirmed }
        }
        guard let account = account(email: email) else { return }
        // This code proves the address, but not the password of an earlier sign-up.
        if account.isAbandoned { update(account.user.id) { $0.password = nil } }
        mint(account.isConfirmed ? .recovery : .confirmation, to: email, of: account.user.id, at: now)
    }

    mutating func mailEmailChange(of user: User, at now: Date) {
        guard let new = user.newEmail else { return }
        codes.removeAll { $0.owner == user.id && $0.slot == .currentEmail }
        if let current = user.email {
            append(.emailChange, to: current)
            mint(.currentEmail, to: current, of: user.id, at: now)
        }
        append(.emailChange, to: new)
        mint(.newEmail, to: new, of: user.id, at: now)
    }

    private mutating func append(_ kind: InMemoryAuthService.Mail.Kind, to email: String) {
        mails.append(InMemoryAuthService.Mail(kind: kind, email: email.lowercased()))
    }

    /// Makes a code, which voids the earlier one.
    private mutating func mint(
        _ slot: MailedCode.Slot, to email: String, of owner: UUID, lifetime: TimeInterval = codeLifetime, at now: Date,
        _ bind: (inout MailedCode) -> Void = { _ in }
    ) {
        codes.removeAll { $0.owner == owner && $0.slot == slot }
        let text = String(100_000 + number() * 7_919 % 900_000)
        var code = MailedCode(
            text: text, owner: owner, slot: slot, email: email.lowercased(), expiresAt: now + lifetime)
        bind(&code)
        codes.append(code)
    }

    /// The code of the newest mail.
    func code(_ kind: InMemoryAuthService.Mail.Kind, _ email: String, at now: Date) -> MailedCode? {
        let slots: Set<MailedCode.Slot> =
            switch kind {
            case .recovery: [.recovery]
            case .confirmation: [.confirmation]
            case .signIn: [.recovery, .confirmation]
            case .emailChange: [.newEmail, .currentEmail]
            case .link: [.link]
            case .accountExists: []
            }
        return codes.last { slots.contains($0.slot) && $0.email == email.lowercased() && $0.isGood(at: now) }
    }
}
