import AccountDomain
import GatehouseWire
import SQLDatabase

@testable import AccountStore

extension Accounts {
    /// Run by every request of their kind.
    static func hotStatements(
        user: UserID, session: SessionID, email: EmailAddress, at now: Instant
    ) -> [SQL] {
        let device = Device(userAgent: nil, address: nil)
        return [
            currentLookup(user, session: session), SessionStore.refreshLookup(session),
            SessionStore.rotation(of: session, counter: 0, policy: SessionPolicy(), from: device, at: now),
            SignInStore.ownLookup(.email(email)),
            SignInStore.emailLookup(email), SessionStore.sessionsLookup(user),
            SessionStore.lookup(session), SessionStore.childLookup(session),
            LinkStore.identityLookup("google", user.text),
            LinkStore.removalLookup("google", user.text),
        ]
    }

    static func hotProviderStatements(user: UserID, digest: [UInt8], at now: Instant) -> [SQL] {
        [
            FlowStore.flowLookup(digest), FlowStore.codeLookup(digest), LinkStore.ticketLookup(digest, at: now),
            LinkStore.undoLookup(user, at: now), ProviderCalls.due(limit: 10, at: now), LinkStore.idTokenLookup(digest),
            SessionStore.revocationLookup(since: now), CodeStore.tokenLookup(link: digest),
            CodeStore.tokenLookup(user, .recovery), MailQueue.dueMails(.codes, limit: 10, at: now),
        ]
    }
}

extension FactorStore {
    static func factorStatements(
        user: UserID, factor: FactorID, challenge: ChallengeID, code: RecoveryCode, at now: Instant
    ) -> [SQL] {
        [
            factorLookup(user), factorLookup(factor, of: user), timeCodeLookup(challenge, of: user),
            challengeLookup(challenge, to: factor), RecoveryCodeStore.recoveryCodeLookup(code, of: user),
            dueRemovals(limit: 10, at: now),
        ]
    }
}
