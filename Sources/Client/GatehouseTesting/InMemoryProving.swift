import Foundation
import Gatehouse
import GatehouseModel

extension InMemoryProving {
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
        let known = server.codes.indices.filter { index in
            let code = server.codes[index]
            return slots.contains(code.slot) && code.email == address.lowercased() && code.isGood(at: now)
        }
        guard let index = known.first(where: { server.codes[$0].text == text }) else {
            for index in known { server.codes[index].attempts += 1 }
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
        guard let asked = server.setAsideTickets[ticket], now < ticket.expiresAt,
            let email = account(asked.owner)?.user.email
        else { throw Fault.wrongCode }
        guard let opened = try verify(text, sentTo: email, for: .email, by: prover, at: now) else { return nil }
        server.setAsideTickets[ticket] = nil
        if let index = server.protection.keys[asked.owner]?.firstIndex(where: { $0.passkey.id == asked.passkey }) {
            server.protection.keys[asked.owner]?[index].passkey.setAsideAt = nil
        }
        showSetAside(of: asked.owner)
        return try server.refresh(opened.id, at: now)
    }

    /// - Returns: nil after an email change's first link.
    /// - Throws: `flow_state_not_found` for an invalid link.
    mutating func follow(
        _ kind: InMemoryAuthService.Mail.Kind, _ email: String, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        if kind == .emailChange {
            guard let text = server.mailing.code(kind, email, at: now)?.text,
                let index = server.codes.firstIndex(where: { $0.text == text })
            else { throw Fault.unknownFlow }
            return try spend(index, by: prover, at: now)
        }
        guard kind != .accountExists, kind != .link, let account = account(email: email) else {
            throw Fault.unknownFlow
        }
        let isConfirmation = kind == .confirmation || (kind == .signIn && !account.isConfirmed)
        let competing = server.codes.last { $0.owner == account.user.id && $0.slot == .confirmation }?.competing
        prove(
            account.user.id, by: isConfirmation ? .confirmation : .recovery, isConfirmation ? competing : nil, prover,
            at: now)
        return try openProven(account.user.id, at: now)
    }

    private mutating func spend(_ index: Int, by prover: Prover, at now: Date) throws(AuthClientError) -> Opened? {
        let code = server.codes[index]
        if code.slot == .newPhone { return try spend(newPhone: code, by: prover, at: now) }
        guard code.slot == .newEmail || code.slot == .currentEmail else {
            prove(code.owner, by: code.slot, code.competing, prover, at: now)
            return try openProven(code.owner, at: now)
        }
        server.codes[index].isUsed = true
        let isOther = { (other: MailedCode) in
            other.owner == code.owner && other.slot == (code.slot == .newEmail ? .currentEmail : .newEmail)
        }
        guard !server.codes.contains(where: isOther) || server.codes.contains(where: { isOther($0) && $0.isUsed })
        else { return nil }
        guard let new = account(code.owner)?.user.newEmail, account(email: new) == nil else { throw Fault.wrongCode }
        prove(code.owner, by: code.slot, nil, prover, at: now)
        server.setEmail(new, of: code.owner, isProven: true, at: now)
        return try openProven(code.owner, at: now)
    }

    private mutating func spend(
        newPhone code: MailedCode, by prover: Prover, at now: Date
    ) throws(AuthClientError) -> Opened? {
        guard account(code.owner)?.user.newPhone == code.email,
            server.phones.account(phone: code.email)?.isConfirmed != true
        else {
            throw Fault.wrongCode
        }
        prove(code.owner, by: .newPhone, nil, prover, at: now)
        server.phones.setPhone(code.email, of: code.owner, isProven: true, at: now)
        return try openProven(code.owner, at: now)
    }

    private mutating func openProven(_ id: UUID, at now: Date) throws(AuthClientError) -> Opened {
        update(id) { $0.user.times["last_sign_in_at"] = now }
        let opened = try open(id, at: now)
        server.mailedSessions[opened.id] = now
        return opened
    }

    /// Also proves the account's address.
    ///
    /// - Throws: 404 for an unknown ticket; `insufficient_aal` for an account with a second factor; `otp_expired`,
    ///   after which the attempt counts; 409 after a change of address.
    mutating func confirm(_ ticket: AuthLinkTicket, code: String, at now: Date) throws(AuthClientError) -> Opened {
        let (asked, account) = try server.linking.known(ticket, at: now)
        let id = account.user.id
        guard !server.factors.hasSecondFactor(id) else { throw Fault.refused(403, .insufficientAAL) }
        let good = server.codes.indices.filter { index in
            server.codes[index].owner == id && server.codes[index].slot == .link && server.codes[index].isGood(at: now)
        }
        guard good.contains(where: { server.codes[$0].text == code && server.codes[$0].ticket == ticket }) else {
            for index in good { server.codes[index].attempts += 1 }
            throw Fault.wrongCode
        }
        let isSetAside = server.setAsideIdentities[asked.token.key]?.owner == id
        guard isSetAside || account.user.email == asked.question.email else {
            server.questions[ticket] = nil
            throw Fault.refused(409, .linkTicketOutdated)
        }
        prove(id, by: .link, nil, Prover(), at: now)
        return try server.linking.confirm(ticket, for: id, at: now)
    }
}
