import Foundation
import Gatehouse
import GatehouseModel

struct MailedCode: Sendable {
    /// The last three codes of an account and slot are valid.
    enum Slot: Hashable, Sendable {
        case confirmation
        case recovery
        case newEmail
        case currentEmail
        /// Answers a link question.
        case link
        /// Signs in with a confirmed number.
        case text
        case textConfirmation
        case newPhone
        /// Answers a telephone factor's challenge.
        case factor

        var isText: Bool { [.text, .textConfirmation, .newPhone, .factor].contains(self) }
    }

    let text: String
    let owner: UUID
    let slot: Slot
    /// Or a telephone number's digits.
    let email: String
    let expiresAt: Date
    /// Required for the slot `link`.
    var ticket: AuthLinkTicket?
    /// Required for the slot `factor`.
    var challenge: UUID?
    /// The confirmed sign-up, if it did not create the account.
    var competing: CompetingSignUp?
    var attempts = 0
    /// An email change's first code remains until the second.
    var isUsed = false

    func isGood(at now: Date) -> Bool { !isUsed && attempts < 5 && now < expiresAt }
}

/// Only the device with the challenge's verifier can open it.
struct MailLink: Sendable {
    let challenge: String
    let session: Int?
}

/// Rate-limits emails.
struct MailedAddress: Hashable, Sendable {
    let slot: MailedCode.Slot
    let email: String
}

/// For an earlier sign-up's address.
struct CompetingSignUp: Sendable {
    let password: String?
    let metadata: AuthJSONObject
}

extension InMemoryServer.Account {
    var isAbandoned: Bool {
        !isConfirmed && !(user.identities ?? []).contains { !$0.isAddress }
    }
}

extension InMemoryMailing {
    private static let codeLifetime: TimeInterval = 3_600

    func isWithinInterval(_ slot: MailedCode.Slot, _ email: String, at now: Date) -> Bool {
        server.mailedAt[MailedAddress(slot: slot, email: email.lowercased())].map { now.timeIntervalSince($0) < 60 }
            ?? false
    }

    mutating func mailRecovery(to email: String, at now: Date) {
        append(.recovery, to: email)
        if let account = account(email: email) { mint(.recovery, to: email, of: account.user.id, at: now) }
    }

    mutating func mailConfirmation(to email: String, confirming competing: CompetingSignUp? = nil, at now: Date) {
        append(.confirmation, to: email)
        guard let account = account(email: email), !account.isConfirmed else { return }
        let id = account.user.id
        // Only the code from its own email confirms a competing sign-up's input.
        let didCompete = server.codes.contains { $0.owner == id && $0.competing != nil }
        mint(.confirmation, to: email, of: id, at: now) { code in
            code.competing = competing ?? (didCompete ? CompetingSignUp(password: nil, metadata: [:]) : nil)
        }
    }

    /// In an unconfirmed account, a different password waits until a client proves the address and shows which one it
    /// chose. Sends at most one email per minute.
    mutating func repeatSignUp(_ email: String, _ entered: CompetingSignUp, at now: Date) {
        let isWithin = isWithinInterval(.confirmation, email, at: now)
        guard let account = account(email: email), account.isAbandoned else {
            if !isWithin { append(.accountExists, to: email) }
            return
        }
        let isSame = account.password == entered.password
        if !isSame, let password = entered.password {
            update(account.user.id) { $0.add(OtherPassword(text: password, data: entered.metadata, at: now)) }
            server.proving.showSetAside(of: account.user.id)
        }
        guard settings.sendsMail != false, !isWithin else { return }
        mailConfirmation(to: email, confirming: isSame ? nil : entered, at: now)
    }

    /// - Throws: 404 for an unknown ticket, 422 if the account has another address.
    mutating func mailLinkCode(_ ticket: AuthLinkTicket, at now: Date) throws(AuthClientError) {
        guard settings.sendsMail == true else { throw Fault.refused(422, .emailProviderDisabled) }
        let (asked, account) = try server.linking.known(ticket, at: now)
        guard mailsLinkCode(of: account, for: asked.token) else { throw Fault.refused(422, .validationFailed) }
        let email = account.user.email ?? asked.question.email
        append(.link, to: email)
        mint(.link, to: email, of: account.user.id, lifetime: InMemoryLinking.ticketLifetime, at: now) {
            $0.ticket = ticket
        }
    }

    func mailsLinkCode(of account: Account, for token: ScriptedToken) -> Bool {
        guard settings.sendsMail == true, settings.allowsEmail, let email = account.user.email else { return false }
        let isSetAside = server.setAsideIdentities[token.key]?.owner == account.user.id
        return isSetAside || token.person.isEmailVerified && email == token.person.email?.lowercased()
    }

    mutating func mailSignIn(to email: String, at now: Date) {
        append(.signIn, to: email)
        if account(email: email) == nil {
            guard settings.allowsSignUp else { return }
            let id = server.add(email: email, firstName: nil, at: now)
            server.link(.email, person: id.wire, email: email, to: id, at: now)
            let isConfirmed = server.confirmsAutomatically
            update(id) { $0.isConfirmed = isConfirmed }
        }
        guard let account = account(email: email) else { return }
        // This code does not prove who chose the earlier sign-up's password.
        let competes = account.isAbandoned && account.password != nil
        mint(account.isConfirmed ? .recovery : .confirmation, to: email, of: account.user.id, at: now) { code in
            if competes { code.competing = CompetingSignUp(password: nil, metadata: [:]) }
        }
    }

    mutating func mailEmailChange(of user: AuthUser, at now: Date) {
        guard let new = user.newEmail else { return }
        if let current = user.email {
            append(.emailChange, to: current)
            mint(.currentEmail, to: current, of: user.id, at: now)
        }
        append(.emailChange, to: new)
        mint(.newEmail, to: new, of: user.id, at: now)
    }

    private mutating func append(_ kind: InMemoryAuthService.Mail.Kind, to email: String) {
        server.mails.append(InMemoryAuthService.Mail(kind: kind, email: email.lowercased()))
    }

    mutating func mint(
        _ slot: MailedCode.Slot, to email: String, of owner: UUID, lifetime: TimeInterval = codeLifetime, at now: Date,
        _ bind: (inout MailedCode) -> Void = { _ in }
    ) {
        let earlier = server.codes.filter { $0.owner == owner && $0.slot == slot }.map(\.text).dropLast(2)
        server.codes.removeAll { $0.owner == owner && $0.slot == slot && earlier.contains($0.text) }
        server.mailedAt[MailedAddress(slot: slot, email: email.lowercased())] = now
        let text = String(100_000 + number() * 7_919 % 900_000)
        var code = MailedCode(
            text: text, owner: owner, slot: slot, email: email.lowercased(), expiresAt: now + lifetime)
        bind(&code)
        server.codes.append(code)
    }

    /// From the newest email.
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
        return server.codes.last { slots.contains($0.slot) && $0.email == email.lowercased() && $0.isGood(at: now) }
    }
}
