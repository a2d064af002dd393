import Foundation
import Gatehouse
import GatehouseModel

extension InMemoryServer {
    /// - Returns: nil after an email change's first code.
    /// - Throws: `otp_expired`, after which the attempt counts.
    mutating func verify(
        _ text: String, sentTo email: String, for purpose: EmailCodeType, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        let slots: Set<MailedCode.Slot> =
            switch purpose {
            case .signup, .invite: [.confirmation]
            case .magiclink, .recovery: [.recovery]
            case .email: [.confirmation, .recovery]
            case .emailChange: [.newEmail, .currentEmail]
            }
        return try verify(text, sentTo: email, in: slots, by: prover, at: now)
    }

    mutating func verify(
        _ text: String, sentTo address: String, in slots: Set<MailedCode.Slot>, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        let known = codes.indices.filter { index in
            let code = codes[index]
            return slots.contains(code.slot) && code.email == address.lowercased() && code.isGood(at: now)
        }
        guard let index = known.first(where: { codes[$0].text == text }) else {
            for index in known { codes[index].attempts += 1 }
            throw Fault.wrongCode
        }
        return try spend(index, by: prover, at: now)
    }

    /// Restores a set-aside passkey.
    ///
    /// - Throws: `otp_expired`, including for an expired ticket.
    mutating func verify(
        _ text: String, restoring ticket: AuthSetAsideTicket, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        guard let asked = setAsideTickets[ticket], now < ticket.expiresAt,
            let email = account(asked.owner)?.user.email
        else { throw Fault.wrongCode }
        guard let opened = try verify(text, sentTo: email, for: .email, by: prover, at: now) else { return nil }
        setAsideTickets[ticket] = nil
        if let index = protection.keys[asked.owner]?.firstIndex(where: { $0.passkey.id == asked.passkey }) {
            protection.keys[asked.owner]?[index].passkey.setAsideAt = nil
        }
        showSetAside(of: asked.owner)
        return try refresh(opened.id, at: now)
    }

    /// - Returns: nil after an email change's first link.
    /// - Throws: `flow_state_not_found` for an invalid link.
    mutating func follow(
        _ kind: InMemoryAuthService.Mail.Kind, _ email: String, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        if kind == .emailChange {
            guard let text = code(kind, email, at: now)?.text,
                let index = codes.firstIndex(where: { $0.text == text })
            else { throw Fault.unknownFlow }
            return try spend(index, by: prover, at: now)
        }
        guard kind != .accountExists, kind != .link, let account = account(email: email) else {
            throw Fault.unknownFlow
        }
        let isConfirmation = kind == .confirmation || (kind == .signIn && !account.isConfirmed)
        let competing = codes.last { $0.owner == account.user.id && $0.slot == .confirmation }?.competing
        prove(
            account.user.id, by: isConfirmation ? .confirmation : .recovery, isConfirmation ? competing : nil, prover,
            at: now)
        return try openProven(account.user.id, at: now)
    }

    private mutating func spend(_ index: Int, by prover: Prover, at now: Date) throws(AuthClientError) -> Opened? {
        let code = codes[index]
        if code.slot == .newPhone { return try spend(newPhone: code, by: prover, at: now) }
        guard code.slot == .newEmail || code.slot == .currentEmail else {
            prove(code.owner, by: code.slot, code.competing, prover, at: now)
            return try openProven(code.owner, at: now)
        }
        codes[index].isUsed = true
        let isOther = { (other: MailedCode) in
            other.owner == code.owner && other.slot == (code.slot == .newEmail ? .currentEmail : .newEmail)
        }
        guard !codes.contains(where: isOther) || codes.contains(where: { isOther($0) && $0.isUsed }) else { return nil }
        guard let new = account(code.owner)?.user.newEmail, account(email: new) == nil else { throw Fault.wrongCode }
        prove(code.owner, by: code.slot, nil, prover, at: now)
        setEmail(new, of: code.owner, isProven: true, at: now)
        return try openProven(code.owner, at: now)
    }

    private mutating func spend(
        newPhone code: MailedCode, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        guard account(code.owner)?.user.newPhone == code.email, account(phone: code.email)?.isConfirmed != true
        else {
            throw Fault.wrongCode
        }
        prove(code.owner, by: .newPhone, nil, prover, at: now)
        setPhone(code.email, of: code.owner, isProven: true, at: now)
        return try openProven(code.owner, at: now)
    }

    private mutating func openProven(_ id: UUID, at now: Date) throws(AuthClientError) -> Opened {
        update(id) { $0.user.times["last_sign_in_at"] = now }
        let opened = try open(id, at: now)
        mailedSessions[opened.id] = now
        return opened
    }

    /// Also proves the account's address.
    ///
    /// - Throws: 404 for an unknown ticket; `insufficient_aal` for an account with a second factor; `otp_expired`,
    ///   after which the attempt counts; 409 after a change of address.
    mutating func confirm(_ ticket: AuthLinkTicket, code: String, at now: Date) throws(AuthClientError) -> Opened {
        let (asked, account) = try known(ticket, at: now)
        let id = account.user.id
        guard !hasSecondFactor(id) else { throw Fault.refused(403, .insufficientAAL) }
        let good = codes.indices.filter { index in
            codes[index].owner == id && codes[index].slot == .link && codes[index].isGood(at: now)
        }
        guard good.contains(where: { codes[$0].text == code && codes[$0].ticket == ticket }) else {
            for index in good { codes[index].attempts += 1 }
            throw Fault.wrongCode
        }
        let isSetAside = setAsideIdentities[asked.token.key]?.owner == id
        guard isSetAside || account.user.email == asked.question.email else {
            questions[ticket] = nil
            throw Fault.refused(409, .linkTicketOutdated)
        }
        prove(id, by: .link, nil, Prover(), at: now)
        return try confirm(ticket, for: id, at: now)
    }
}
