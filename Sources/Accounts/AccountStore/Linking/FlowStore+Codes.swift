package import AccountDomain
package import GatehouseWire
import SQLDatabase

/// A completed sign-in whose result the app fetches with an authorization code (RFC 6749 §4.1, RFC 7636).
struct AuthorizationCode: Sendable {
    enum Content: Sendable {
        case session
        case question(LinkQuestion)
        /// Redeeming the code creates the link, for the session that started it.
        case link(ProviderSignIn, session: SessionID?)
        /// An emailed link, by its token's digest. Used up when the client that requested the email redeems the code.
        case mailed([UInt8])
        /// On redemption the session must be active, with the same ``Session/levelCounter``.
        case handover(from: SessionID, levelCounter: Int64)
    }

    let user: UserID
    /// nil for the account's own address, or if no session follows yet.
    let identity: IdentityID?
    let method: AuthenticationMethod
    let key: ProofKey
    let provider: String?
    let rule: String
    let content: Content
    let handout: ProviderHandout?
}

package enum CodeOutcome: Sendable {
    /// Delivers the provider's tokens, once.
    case signedIn(IssuedSession, ProviderHandout?)
    case needsConfirmation(LinkQuestion)
    case refused(LinkingRefusal)
    /// Already redeemed, or never issued.
    case unknown
    case expired
    /// The code stays valid.
    case wrongVerifier
    case banned
    /// The first of an address change's two confirmations.
    case halfway
}

extension FlowStore {
    /// Redeems an authorization code, which in most cases opens a session.
    ///
    /// - Throws: ``UnknownServerSecret`` if the configuration lacks the secret; the code stays valid.
    package func redeem(
        code: Secret, verifier: Secret, from device: Device, at now: Instant
    ) async throws -> CodeOutcome {
        try await accounts.sessions.revoking(at: now) { [digest = TokenDigest.of(code)] db in
            guard let found = try db.row(Self.codeLookup(digest), CodeRow.init) else { return .unknown }
            guard now < found.expiresAt else { return .expired }
            guard found.key?.isAnswered(by: verifier) == true, let method = found.method else { return .wrongVerifier }
            guard let account = try db.account(found.user) else { return .unknown }
            guard try db.run("DELETE FROM authorization_codes WHERE digest = \(digest)") == 1 else { return .unknown }
            if account.user.isBanned(at: now) { return .banned }
            let kept = try found.sealed.map { try accounts.links.unseal($0, as: Self.codeSeal, digest) } ?? .null
            let handout = ProviderHandout(codeContent: kept)
            if let question = kept["question"] {
                return LinkQuestion(json: question).map(CodeOutcome.needsConfirmation) ?? .unknown
            }
            if let content = kept["link"] {
                let session = (kept["session"]?.stringValue).map(SessionID.init(trusted:))
                guard let signIn = ProviderSignIn(ticketContent: content, delivery: .session) else { return .unknown }
                let transaction = LinkingTransaction(accounts, db, device: device, now: now)
                return try transaction.link(signIn, to: .session(session, of: account.user.id), handout)
            }
            if let link = (kept["mailed"]?.stringValue).flatMap({ Base64URL.decode($0) }) {
                let prover = Prover(isClient: true, device: device)
                guard let row = try db.row(CodeStore.tokenLookup(link: link), TokenRow.init),
                    let proven = try accounts.proofs.prove(row, by: prover, at: now, in: db)
                else { return .unknown }
                guard case .whole(let confirmed) = proven else { return .halfway }
                return try open(method, found, confirmed, handout, from: device, at: now, in: db)
            }
            var parent: Session?
            if let handedOver = (kept["handover"]?.stringValue).map(SessionID.init(trusted:)) {
                // A code from before a second factor may be a thief's. An earlier release's code has no counter.
                guard let session = try db.current(found.user, session: handedOver)?.session,
                    !policy.hasEnded(session, at: now), session.levelCounter == kept["level_counter"]?.intValue ?? 0
                else { return .unknown }
                parent = session
            }
            return try open(method, found, account, handout, after: parent, from: device, at: now, in: db)
        }
    }

    /// - Parameter parent: The session that hands over. Age limits start at its sign-in, and its second factors apply.
    private func open(
        _ method: AuthenticationMethod, _ found: CodeRow, _ account: Account, _ handout: ProviderHandout?,
        after parent: Session? = nil, from device: Device, at now: Instant, in db: any Connection
    ) throws -> CodeOutcome {
        var account = account
        var session = accounts.newSession(of: account.user.id, by: method, on: device, at: parent?.createdAt ?? now)
        if let parent {
            session.entries.addSecondFactors(of: parent.entries)
            session.factor = parent.factor
        }
        account.user.times.lastSignInAt = now
        try db.run("UPDATE users SET last_sign_in_at = \(now) WHERE id = \(account.user.id)")
        try accounts.mails.noteDevice(device, of: account.user, at: now, in: db)
        try db.insert(session, from: device, by: found.identity)
        if parent != nil {
            session.refreshedAt = now
            try db.store(session)
        }
        var traits: AuthJSONObject = ["rule": .string(found.rule), "user_id": .string(account.user.id.text)]
        traits["provider"] = found.provider.map(AuthJSON.string)
        let login = AuditEntry(.login, actor: account.user.id, actorName: account.user.name, traits: traits)
        try accounts.record([login], at: now, in: db)
        return .signedIn(try accounts.sessions.issue(session, to: account), handout)
    }

    func insert(_ code: AuthorizationCode, code text: Secret, at now: Instant, in db: any Connection) throws {
        let digest = TokenDigest.of(text)
        let content = code.sealedContent
        let sealed: SQLValue =
            content.isEmpty ? .null : .bytes(try accounts.links.seal(.object(content), as: Self.codeSeal, digest))
        try db.removeExpired(from: .codes, at: now)
        try db.run(
            """
            INSERT INTO authorization_codes (
                digest, user_id, identity_id, method, challenge, challenge_method, provider, rule, sealed, created_at,
                expires_at)
            VALUES (
                \(digest), \(code.user), \(code.identity), \(code.method.rawValue), \(code.key.challenge),
                \(code.key.method.rawValue), \(code.provider), \(code.rule), \(sealed), \(now),
                \(now + LinkStore.codeLifetime))
            """)
    }

    static let codeSeal = "authorization code"

    static func codeLookup(_ digest: [UInt8]) -> SQL {
        """
        SELECT user_id, identity_id, method, challenge, challenge_method, provider, rule, sealed, expires_at
        FROM authorization_codes WHERE digest = \(digest)
        """
    }
}

extension LinkingTransaction {
    fileprivate func link(
        _ signIn: ProviderSignIn, to asker: LinkAsker, _ handout: ProviderHandout?
    ) throws -> CodeOutcome {
        guard let account = try account(of: asker) else {
            _ = try refuse(.notSignedIn, .linkedByHand, signIn.identity)
            return .refused(.notSignedIn)
        }
        switch try carryOut(signIn, .link(asker.user), asker: account) {
        case .signedIn(let session):
            guard case .session(let issued) = session.delivered else { return .unknown }
            return .signedIn(issued, handout)
        case .needsConfirmation(let question, _): return .needsConfirmation(question)
        case .refused(let refusal, _): return .refused(refusal)
        }
    }
}

extension AuthorizationCode {
    /// Empty for a plain session.
    fileprivate var sealedContent: AuthJSONObject {
        var members: [String: AuthJSON?] = [
            "access_token": (handout?.accessToken?.reveal()).map(AuthJSON.string),
            "refresh_token": (handout?.refreshToken?.reveal()).map(AuthJSON.string),
        ]
        switch content {
        case .session: break
        case .question(let question): members["question"] = question.json
        case .link(let signIn, let session):
            members["link"] = signIn.ticketContent
            members["session"] = (session?.text).map(AuthJSON.string)
        case .mailed(let digest): members["mailed"] = .string(Base64URL.text(digest))
        case .handover(let session, let levelCounter):
            members["handover"] = .string(session.text)
            members["level_counter"] = .integer(levelCounter)
        }
        return AuthJSONObject(members.compactMapValues(\.self))
    }
}

extension ProviderHandout {
    fileprivate init?(codeContent: AuthJSON) {
        self.init(
            accessToken: (codeContent["access_token"]?.stringValue).map(Secret.init),
            refreshToken: (codeContent["refresh_token"]?.stringValue).map(Secret.init))
        if isEmpty { return nil }
    }
}

extension LinkQuestion {
    fileprivate var json: AuthJSON {
        [
            "ticket": .string(ticket.reveal()), "expires_at": .integer(expiresAt.microseconds),
            "rule": .string(rule.rawValue), "provider": .string(provider), "email": .string(email.text),
            "methods": .array(methods.map(AuthJSON.string)), "can_recover": .bool(canRecover),
            "can_mail_code": .bool(canMailCode), "can_use_passkey": .bool(canUsePasskey),
        ]
    }

    fileprivate init?(json: AuthJSON) {
        guard let ticket = json["ticket"]?.stringValue, let expiresAt = json["expires_at"]?.intValue,
            let rule = (json["rule"]?.stringValue).flatMap(LinkingRule.init(text:)),
            let provider = json["provider"]?.stringValue,
            let email = (json["email"]?.stringValue).flatMap(EmailAddress.init),
            let methods = json["methods"]?.arrayValue, let canRecover = json["can_recover"]?.boolValue
        else { return nil }
        self.init(
            ticket: Secret(ticket), expiresAt: Instant(microseconds: expiresAt), rule: rule, provider: provider,
            email: email, methods: methods.compactMap(\.stringValue), canRecover: canRecover,
            canMailCode: json["can_mail_code"]?.boolValue ?? false,
            canUsePasskey: json["can_use_passkey"]?.boolValue ?? false)
    }
}

private struct CodeRow {
    let user: UserID
    let identity: IdentityID?
    /// nil if only a newer release knows it.
    let method: AuthenticationMethod?
    let key: ProofKey?
    let provider: String?
    let rule: String
    let sealed: [UInt8]?
    let expiresAt: Instant

    init(_ row: inout Row) {
        user = row.id()
        identity = row.idIfPresent()
        method = AuthenticationMethod(text: row.text())
        key = ProofKey(challenge: row.text(), method: row.text())
        provider = row.textIfPresent()
        rule = row.text()
        sealed = row.bytesIfPresent()
        expiresAt = row.instant()
    }
}
