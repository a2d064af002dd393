package import AccountDomain
package import GatehouseWire
package import SQLDatabase

/// Stores accounts. Unless it says otherwise, a method makes its changes in one transaction.
///
/// Every async method of this module throws ``DatabaseFailure``, `CancellationError` if its task is cancelled while the
/// driver can still stop, and ``JSONProblem`` if JSON that it needs is damaged. Nothing changed after an error, except
/// possibly with ``DatabaseFailure/Reason/unknownOutcome``.
///
/// A `device` is the caller's; nil for an operator's command. A `session` is the one that the caller's token names. A
/// `limit` outside a documented range is clamped.
package struct Accounts: Sendable {
    package internal(set) var database: any Database
    package let secrets: ServerSecrets
    package let policy: SessionPolicy
    /// The `aud` of new accounts.
    package let audience: String
    package let role: String
    package let randomBytes: @Sendable (Int) -> [UInt8]
    package var confirmsBothAddresses = true
    package var notices = MailNotices()
    package var admission = Admission.isOpen
    /// nil if tokens need no agreement.
    var agreement: TokenAgreement?
    /// Whether one email has the codes for both addresses of a change, for a hook that sends emails.
    package var mailsChangesTogether = false
    package var offersPasskeys = false
    /// Whether an emailed code can answer a link question.
    package var mailsLinkCodes = false
    package var factorRules = FactorRules()
    package var tokenRoom = TokenRoom()
    package var retention = Retention()
    /// Called after a commit that may have ended sessions or blocked a user, before the method returns: see
    /// ``revocations(since:)``.
    package var afterRevocation: @Sendable (_ since: Instant) async -> Void = { _ in }

    package init(
        database: any Database, secrets: ServerSecrets, policy: SessionPolicy = SessionPolicy(),
        audience: String = "authenticated", role: String = "authenticated",
        randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) {
        self.database = database
        self.secrets = secrets
        self.policy = policy
        self.audience = audience
        self.role = role
        self.randomBytes = randomBytes
    }

    /// Includes soft-deleted accounts.
    package func count() async throws -> Int {
        try await database.row("SELECT count(*) FROM users") { Int($0.int()) } ?? 0
    }

    /// Sorts before every id.
    package static let nilID = "00000000-0000-0000-0000-000000000000"

    package func newID<Owner>() -> Identifier<Owner> { Identifier(random: randomBytes(16)) }

    /// For rows that are inserted in the order of time.
    func newID<Owner>(at now: Instant) -> Identifier<Owner> { Identifier(at: now, random: randomBytes(16)) }

    package func newUser(at now: Instant) -> User {
        var id: UserID?
        if case .given(let admitted) = admission { id = admitted }
        return User(
            id: id ?? agreement?.user ?? newID(), audience: audience, role: role, times: UserTimes(createdAt: now))
    }

    /// Bound to the device's key, if the request has a proof of one.
    package func newSession(
        of user: UserID, by method: AuthenticationMethod, on device: Device? = nil, at now: Instant
    ) -> Session {
        var session = Session(
            id: agreement?.session ?? newID(), user: user, createdAt: now,
            authenticationMethods: method.entry(at: now))
        session.keyThumbprint = device?.keyProof?.thumbprint
        session.usedProofs = (device?.keyProof).flatMap(UsedProofs(stored: nil).adding)?.stored
        return session
    }
}

package struct IssuedSession: Sendable {
    package let session: Session
    package var account: Account
    package let refreshToken: Secret
    /// nil if no agreement was needed, and for a refresh.
    package internal(set) var agreed: AgreedToken?

    /// The same session with fewer rights for one access token.
    package func `for`(_ client: SessionClient) -> IssuedSession {
        var session = session
        session.client = client
        return IssuedSession(session: session, account: account, refreshToken: refreshToken, agreed: agreed)
    }
}
