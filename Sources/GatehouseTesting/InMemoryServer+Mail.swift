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
    }

    let text: String
    let owner: UUID
    let slot: Slot
    let email: String
    let expiresAt: Date
    var attempts = 0
    /// The first of two codes of an email change stays until the second one.
    var isUsed = false

    func isGood(at now: Date) -> Bool { !isUsed && attempts < 5 && now < expiresAt }
}

// Mails.
extension InMemoryServer {
    private static let codeLifetime: TimeInterval = 3_600

    mutating func mailRecovery(to email: String, at now: Date) {
        append(.recovery, to: email)
        if let account = account(email: email) { mint(.recovery, to: email, of: account.user.id, at: now) }
    }

    mutating func mailConfirmation(to email: String, at now: Date) {
        append(.confirmation, to: email)
        guard let account = account(email: email), !account.isConfirmed else { return }
        mint(.confirmation, to: email, of: account.user.id, at: now)
    }

    /// A sign-up with an address that has an account.
    mutating func mailRepeatedSignUp(to email: String, at now: Date) {
        guard account(email: email)?.isConfirmed == true else { return mailConfirmation(to: email, at: now) }
        append(.accountExists, to: email)
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
    private mutating func mint(_ slot: MailedCode.Slot, to email: String, of owner: UUID, at now: Date) {
        codes.removeAll { $0.owner == owner && $0.slot == slot }
        let text = String(100_000 + number() * 7_919 % 900_000)
        codes.append(
            MailedCode(
                text: text, owner: owner, slot: slot, email: email.lowercased(), expiresAt: now + Self.codeLifetime))
    }

    /// The code of the newest mail.
    func code(_ kind: InMemoryAuthService.Mail.Kind, _ email: String, at now: Date) -> MailedCode? {
        let slots: Set<MailedCode.Slot> =
            switch kind {
            case .recovery: [.recovery]
            case .confirmation: [.confirmation]
            case .signIn: [.recovery, .confirmation]
            case .emailChange: [.newEmail, .currentEmail]
            case .accountExists: []
            }
        return codes.last { slots.contains($0.slot) && $0.email == email.lowercased() && $0.isGood(at: now) }
    }
}

// Proofs.
extension InMemoryServer {
    /// - Returns: nil after the first of two codes of an email change.
    /// - Throws: `otp_expired`, after which the attempt counts.
    mutating func verify(
        _ text: String, sentTo email: String, for purpose: EmailOTPType, at now: Date
    ) throws(AuthClientError) -> Opened? {
        let slots: Set<MailedCode.Slot> =
            switch purpose {
            case .signup, .invite: [.confirmation]
            case .magiclink, .recovery: [.recovery]
            case .email: [.confirmation, .recovery]
            case .emailChange: [.newEmail, .currentEmail]
            }
        let known = codes.indices.filter { index in
            let code = codes[index]
            return slots.contains(code.slot) && code.email == email.lowercased() && code.isGood(at: now)
        }
        guard let index = known.first(where: { codes[$0].text == text }) else {
            for index in known { codes[index].attempts += 1 }
            throw Fault.wrongCode
        }
        return try spend(index, at: now)
    }

    /// - Throws: `unknownFlow` for a link that is not valid.
    mutating func follow(
        _ kind: InMemoryAuthService.Mail.Kind, _ email: String, at now: Date
    ) throws(AuthClientError) -> Opened? {
        if kind == .emailChange {
            guard let text = code(kind, email, at: now)?.text,
                let index = codes.firstIndex(where: { $0.text == text })
            else { throw .unknownFlow }
            return try spend(index, at: now)
        }
        guard kind != .accountExists, let account = account(email: email) else { throw .unknownFlow }
        return try confirm(account.user.id, at: now)
    }

    private mutating func spend(_ index: Int, at now: Date) throws(AuthClientError) -> Opened? {
        let code = codes[index]
        guard code.slot == .newEmail || code.slot == .currentEmail else {
            codes.remove(at: index)
            return try confirm(code.owner, at: now)
        }
        codes[index].isUsed = true
        let isOther = { (other: MailedCode) in
            other.owner == code.owner && other.slot == (code.slot == .newEmail ? .currentEmail : .newEmail)
        }
        guard !codes.contains(where: { isOther($0) && !$0.isUsed }) else { return nil }
        guard let new = account(code.owner)?.user.newEmail, account(email: new) == nil else { throw Fault.wrongCode }
        codes.removeAll { $0.owner == code.owner }
        setEmail(new, of: code.owner, isProven: true, at: now)
        return try open(code.owner, at: now)
    }

    private mutating func confirm(_ id: UUID, at now: Date) throws(AuthClientError) -> Opened {
        update(id) { account in
            if !account.isConfirmed { account.user.times["email_confirmed_at"] = now }
            account.user.times["last_sign_in_at"] = now
            (account.isConfirmed, account.isEmailProven) = (true, true)
        }
        return try open(id, at: now)
    }
}
