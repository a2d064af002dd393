import Foundation
import Gatehouse
import GatehouseModel

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
        guard kind != .accountExists, kind != .link, let account = account(email: email) else { throw .unknownFlow }
        // Only this device can open the link, so it is the client of the newest mail.
        let isConfirmation = kind == .confirmation || (kind == .signIn && !account.isConfirmed)
        prove(account.user.id, by: isConfirmation ? .confirmation : .recovery, isBound: true, at: now)
        return try openProven(account.user.id, at: now)
    }

    private mutating func spend(_ index: Int, at now: Date) throws(AuthClientError) -> Opened? {
        let code = codes[index]
        guard code.slot == .newEmail || code.slot == .currentEmail else {
            prove(code.owner, by: code.slot, isBound: false, at: now)
            return try openProven(code.owner, at: now)
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

    private mutating func openProven(_ id: UUID, at now: Date) throws(AuthClientError) -> Opened {
        update(id) { $0.user.times["last_sign_in_at"] = now }
        return try open(id, at: now)
    }

    /// Answers a link question with its code, which proves the account's address.
    ///
    /// - Throws: 404 for an unknown ticket; `insufficient_aal` for an account with a second factor; `otp_expired`, after
    ///   which the attempt counts; 409 if the account has another
    ///   address by now.
    mutating func confirm(_ ticket: LinkTicket, code: String, at now: Date) throws(AuthClientError) -> Opened {
        let (asked, account) = try known(ticket, at: now)
        let id = account.user.id
        guard !hasSecondFactor(id) else { throw Fault.refused(403, .insufficientAAL) }
        guard let index = codes.firstIndex(where: { $0.owner == id && $0.slot == .link && $0.isGood(at: now) }) else {
            throw Fault.wrongCode
        }
        guard codes[index].text == code, codes[index].ticket == ticket else {
            codes[index].attempts += 1
            throw Fault.wrongCode
        }
        guard account.user.email == asked.question.email else {
            questions[ticket] = nil
            throw Fault.refused(409, .linkTicketOutdated)
        }
        prove(id, by: .link, isBound: false, at: now)
        return try confirm(ticket, for: id, at: now)
    }

    /// Carries out the proof of an account's address by a mail. The first proof gives the account to its address's owner:
    /// what was entered without a proof ends.
    ///
    /// - Parameter isBound: Whether the client of the newest sign-up presents the proof. A typed code does not show that.
    mutating func prove(_ id: UUID, by slot: MailedCode.Slot, isBound: Bool, at now: Date) {
        guard let account = account(id) else { return }
        let competing = codes.last { $0.owner == id && $0.slot == .confirmation }?.competing
        if !account.isConfirmed {
            update(id) { account in
                account.user.times["email_confirmed_at"] = now
                account.isConfirmed = true
                if slot != .confirmation { account.password = nil }
            }
            if slot == .confirmation, account.isAbandoned, let competing { take(competing, isBound: isBound, by: id) }
        }
        if !account.isEmailProven, !account.isAbandoned { dropUnproven(of: id) }
        codes.removeAll { $0.owner == id }
        update(id) { ($0.isEmailProven, $0.user.newEmail) = (true, nil) }
    }

    /// Replaces what the first sign-up entered with what the newest one did; with nothing if either could be a stranger's.
    private mutating func take(_ competing: CompetingSignUp, isBound: Bool, by id: UUID) {
        update(id) { account in
            account.password = isBound ? competing.password : nil
            let isSame = account.user.userMetadata == competing.metadata
            account.user.userMetadata = isBound || isSame ? competing.metadata : [:]
        }
    }

    /// Removes password, sessions, and the providers that do not vouch for the address. The next sign-in with one of them
    /// asks for this account.
    private mutating func dropUnproven(of id: UUID) {
        update(id) { $0.password = nil }
        sessions = sessions.filter { $0.value != id }
        guard let account = account(id), let identities = account.user.identities else { return }
        let kept = identities.filter { identity in
            identity.provider == Provider.email.rawValue
                || identity.email == account.user.email && identity.identityID.map(vouching.contains) == true
        }
        for identity in identities where !kept.contains(identity) {
            let key = ScriptedToken.key(identity.provider, identity.id)
            unlinked[id, default: []].insert(key)
            removedByProof[key] = id
            if let identityID = identity.identityID { links[identityID] = nil }
        }
        setIdentities(kept, of: id)
    }
}
