import Foundation
import Gatehouse

/// Cannot sign in: from a competing sign-up, or set aside by a proof.
struct OtherPassword: Sendable {
    let text: String
    var data: AuthJSONObject = [:]
    let at: Date
}

struct Prover: Sendable {
    /// The caller's session.
    var session: Int?
    /// A typed code does not show that the caller requested the email.
    var isClient = false
    var password: String?
}

private enum Purpose: Sendable {
    case signUp
    case competingSignUp
    case addressChange
    case other
}

// The first proof of an address sets credentials aside; their holder can restore them.
extension InMemoryProving {
    mutating func prove(
        _ id: UUID, by slot: MailedCode.Slot, _ competing: CompetingSignUp?, _ prover: Prover, at now: Date
    ) {
        guard let account = account(id) else { return }
        let isUnfinished = account.isAbandoned
        let purpose: Purpose =
            switch slot {
            case .confirmation where isUnfinished, .textConfirmation where isUnfinished:
                competing.map { $0.password == nil ? .other : .competingSignUp } ?? .signUp
            case .newEmail, .currentEmail, .newPhone: .addressChange
            case .confirmation, .recovery, .link, .text, .textConfirmation, .factor: .other
            }
        let isFirst = !account.isEmailProven && !(slot.isText && account.isPhoneProven)
        let competes = !account.otherPasswords.isEmpty || hasSignInCode(id, at: now)
        let time = slot.isText ? "phone_confirmed_at" : "email_confirmed_at"
        update(id) { account in
            if !account.isConfirmed || slot.isText && !account.isPhoneProven { account.user.times[time] = now }
            account.isConfirmed = true
        }
        decide(
            id, purpose, isFirst: isFirst, isUnfinished: isUnfinished, competes: competes, competing, prover, at: now)
        server.codes.removeAll { $0.owner == id }
        update(id) { account in
            if slot.isText {
                (account.isPhoneProven, account.user.newPhone) = (true, nil)
            } else {
                (account.isEmailProven, account.user.newEmail) = (true, nil)
            }
        }
        showSetAside(of: id)
    }

    /// Later proofs only take a typed password.
    private mutating func decide(
        _ id: UUID, _ purpose: Purpose, isFirst: Bool, isUnfinished: Bool, competes: Bool,
        _ competing: CompetingSignUp?, _ prover: Prover, at now: Date
    ) {
        guard let account = account(id) else { return }
        let waiting = (isFirst ? [account.password] : []) + account.otherPasswords.map(\.text)
        let typed = prover.password.flatMap { waiting.contains($0) ? $0 : nil }
        let isAccount = prover.session.map { server.sessions[$0] == id } ?? false
        if let typed { adopt(typed, isUnfinished: isUnfinished, by: id, at: now) }
        guard isFirst else { return }
        let keeps = prover.isClient && (purpose == .addressChange || purpose == .signUp)
        let isOnlyChoice = purpose == .signUp && isUnfinished && !competes
        if typed == nil, !isAccount, !keeps, !isOnlyChoice {
            putPasswordAside(of: id, isUnfinished: isUnfinished, competing, prover, at: now)
            if prover.isClient, purpose == .competingSignUp, let competing {
                update(id) { account in
                    account.password = competing.password
                    account.otherPasswords.removeAll { $0.text == competing.password }
                }
            } else {
                putOthersAside(of: id, at: now)
            }
        }
        end(.addressProven) { $0.value == id && (!isAccount || $0.key != prover.session) }
    }

    /// Whether a sign-up requested a code without a password.
    private func hasSignInCode(_ id: UUID, at now: Date) -> Bool {
        server.codes.contains {
            $0.owner == id && [.confirmation, .textConfirmation].contains($0.slot) && $0.isGood(at: now)
                && $0.competing.map { $0.password == nil } ?? false
        }
    }

    private mutating func putPasswordAside(
        of id: UUID, isUnfinished: Bool, _ competing: CompetingSignUp?, _ prover: Prover, at now: Date
    ) {
        update(id) { account in
            let entered = isUnfinished ? account.entered : [:]
            if let password = account.password {
                account.add(OtherPassword(text: password, data: entered, at: now))
                account.password = nil
            }
            let others = account.otherPasswords.map(\.data) + (competing.map { [$0.metadata] } ?? [])
            // Data that every sign-up entered is not secret.
            guard isUnfinished, !others.allSatisfy({ $0 == entered }) else { return }
            let metadata = prover.isClient ? competing?.metadata ?? [:] : [:]
            (account.user.userMetadata, account.entered) = (metadata, metadata)
        }
    }

    private mutating func putOthersAside(of id: UUID, at now: Date) {
        server.protection.keys[id] = server.protection.keys[id]?.map { key in
            var key = key
            key.passkey.setAsideAt = key.passkey.setAsideAt ?? now
            return key
        }
        guard let account = account(id), let identities = account.user.identities else { return }
        let kept = identities.filter { identity in
            identity.isAddress
                || identity.email == account.user.email && identity.identityID.map(server.vouching.contains) == true
        }
        for identity in identities where !kept.contains(identity) {
            let key = ScriptedToken.key(identity.provider, identity.id)
            server.setAsideIdentities[key] = SetAsideIdentity(owner: id, identity: identity, at: now)
            if let identityID = identity.identityID { server.links[identityID] = nil }
        }
        server.setIdentities(kept, of: id)
    }

    private mutating func adopt(_ text: String, isUnfinished: Bool, by id: UUID, at now: Date) {
        update(id) { account in
            guard account.password != text, let chosen = account.otherPasswords.first(where: { $0.text == text }) else {
                return
            }
            account.otherPasswords.removeAll { $0.text == text }
            if isUnfinished {
                if let former = account.password {
                    account.add(OtherPassword(text: former, data: account.entered, at: now))
                }
                (account.user.userMetadata, account.entered) = (chosen.data, chosen.data)
            } else {
                account.user.userMetadata.merge(chosen.data) { current, _ in current }
                account.otherPasswords = []
            }
            account.password = text
        }
    }

    mutating func showSetAside(of id: UUID) {
        guard let account = account(id) else { return }
        let passwords = account.otherPasswords.last.map { [AuthSetAsideCredential(.password, setAsideAt: $0.at)] } ?? []
        let passkeys = (server.protection.keys[id] ?? []).compactMap { key in
            key.passkey.setAsideAt.map {
                AuthSetAsideCredential(.passkey(id: key.passkey.id, name: key.passkey.friendlyName), setAsideAt: $0)
            }
        }
        let identities = server.setAsideIdentities.values.filter { $0.owner == id }.sorted { $0.at < $1.at }
            .compactMap { kept in
                kept.identity.identityID.map {
                    AuthSetAsideCredential(.identity(id: $0, provider: kept.identity.provider), setAsideAt: kept.at)
                }
            }
        update(id) { $0.user.setAside = passwords + passkeys + identities }
    }

    mutating func takeSetAside(_ token: ScriptedToken) {
        guard let kept = server.setAsideIdentities.removeValue(forKey: token.key) else { return }
        showSetAside(of: kept.owner)
    }

    /// At most once a minute.
    mutating func mailRestoring(of account: Account, at now: Date) {
        guard settings.sendsMail != false, let email = account.user.email else { return }
        guard !server.mailing.isWithinInterval(.recovery, email, at: now) else { return }
        server.mailing.mailSignIn(to: email, at: now)
    }
}

extension InMemoryServer.Account {
    /// Keeps the first five, as the server does.
    mutating func add(_ other: OtherPassword) {
        guard otherPasswords.count < 5, !otherPasswords.contains(where: { $0.text == other.text }) else { return }
        otherPasswords.append(other)
    }
}

struct SetAsideIdentity: Sendable {
    let owner: UUID
    let identity: AuthUserIdentity
    let at: Date
}

extension InMemoryProving {
    mutating func startOver(_ caller: Caller, at now: Date) throws(AuthClientError) -> Opened {
        guard let old = account(caller.user) else { throw Fault.refused(403, .userNotFound) }
        guard let email = old.user.email else { throw Fault.refused(422, .validationFailed) }
        guard settings.allowsSignUp else { throw Fault.refused(422, .signupDisabled) }
        guard let mailed = server.mailedSessions[caller.id], now.timeIntervalSince(mailed) <= 600 else {
            throw Fault.refused(403, .freshSignInRequired)
        }
        moveAddress(of: old.user.id, at: now)
        end(.addressClaimed) { $0.key == caller.id }
        let id = server.add(email: email, firstName: nil, at: now)
        server.link(.email, person: id.wire, email: email, to: id, at: now)
        update(id) { $0.isEmailProven = true }
        let opened = try open(id, at: now)
        server.mailedSessions[opened.id] = now
        return opened
    }

    /// The account keeps everything else.
    mutating func moveAddress(of id: UUID, at now: Date) {
        guard let email = account(id)?.user.email else { return }
        update(id) { account in
            (account.user.email, account.user.newEmail, account.isEmailProven) = (nil, nil, false)
            (account.user.formerEmail, account.user.formerEmailMovedAt) = (email, now)
        }
        server.setIdentities(
            (account(id)?.user.identities ?? []).filter { $0.provider != AuthProvider.email.rawValue }, of: id)
        server.codes.removeAll { $0.owner == id }
    }
}
