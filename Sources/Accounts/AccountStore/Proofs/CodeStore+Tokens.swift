package import AccountDomain
package import GatehouseWire
import SQLDatabase

package struct MailRequest: Sendable {
    /// Checked against the allow list.
    package var redirectTo: String
    /// nil for the implicit flow.
    package var proofKey: ProofKey?
    /// SHA-256 of the requesting browser's secret.
    package var browser: [UInt8]?
    package var language: String?
    /// Of the code.
    package var lifetime: Duration
    /// No client waits for the code.
    package var isByAdmin = false
    /// false for a link that this server does not email: it does not show who reads the mailbox.
    package var isMailed = true
    /// Of a test number, which gets no message.
    package var fixedCode: Secret?
    /// Of a text message; nil for SMS.
    package var channel: TextChannel?

    package init(redirectTo: String, lifetime: Duration) {
        self.redirectTo = redirectTo
        self.lifetime = lifetime
    }
}

/// Competes with an earlier sign-up. Applies only to the client that sent it, by its PKCE verifier, browser or
/// password. Without a password, the request was for a sign-in code.
struct PendingSignUp: Sendable {
    let passwordHash: Secret?
    let data: AuthJSONObject

    var json: AuthJSON {
        .object(["password_hash": passwordHash.map { .string($0.reveal()) } ?? .null, "data": .object(data)])
    }

    init(passwordHash: Secret?, data: AuthJSONObject) { (self.passwordHash, self.data) = (passwordHash, data) }

    init(json: AuthJSON) {
        passwordHash = (json["password_hash"]?.stringValue).map(Secret.init)
        data = json["data"]?.objectValue ?? [:]
    }
}

struct TokenRow: Sendable {
    private(set) var digest: [UInt8] = []
    private(set) var user = UserID(trusted: Accounts.nilID)
    /// nil if only a newer release knows it.
    private(set) var slot: TokenSlot?
    private(set) var kind: MailKind?
    private(set) var address = ""
    private(set) var codeDigest: [UInt8] = []
    private(set) var attempts = 0
    private var challenge: String?
    private(set) var key: ProofKey?
    private(set) var browser: [UInt8]?
    private(set) var isByAdmin = false
    private(set) var redirectTo = ""
    private(set) var sealed: [UInt8]?
    private(set) var expiresAt = Instant(seconds: 0)
    private(set) var isUsed = false
    /// Whether using it shows who reads the mailbox.
    private(set) var isMailed = false

    static let columns = Columns(
        of: "one_time_tokens", from: TokenRow(),
        [
            .init("digest") { $0.digest = $1.bytes() },
            .init("user_id") { $0.user = $1.id() },
            .init("slot") { $0.slot = TokenSlot(stored: $1.text()) },
            .init("kind") { $0.kind = MailKind(text: $1.text()) },
            .init("address") { $0.address = $1.text() },
            .init("code_digest") { $0.codeDigest = $1.bytes() },
            .init("attempts") { $0.attempts = Int($1.int()) },
            .init("challenge") { $0.challenge = $1.textIfPresent() },
            .init("challenge_method") { row, columns in
                let method = columns.textIfPresent() ?? ""
                row.key = row.challenge.flatMap { ProofKey(challenge: $0, method: method) }
            },
            .init("browser_digest") { $0.browser = $1.bytesIfPresent() },
            .init("by_admin") { $0.isByAdmin = $1.bool() },
            .init("redirect_to") { $0.redirectTo = $1.text() },
            .init("sealed") { $0.sealed = $1.bytesIfPresent() },
            .init("expires_at") { $0.expiresAt = $1.instant() },
            .init("used_at") { $0.isUsed = $1.intIfPresent() != nil },
            .init("is_mailed") { $0.isMailed = $1.bool() },
        ])

    private init() {}

    init(_ row: inout Row) { self = Self.columns.read(&row) }

    func isGood(at now: Instant) -> Bool { !isUsed && now < expiresAt && slot != nil && kind != nil }

    /// Guesses do not end the link, which is too long to guess.
    var takesCodes: Bool { attempts < MintedToken.maximumAttempts }

    /// Whether using it is the first proof of the address of an account in use, which may set credentials aside.
    func isFirstProof(of account: Account) -> Bool {
        guard isMailed, !account.isAbandoned else { return false }
        return switch slot {
        case .confirmation, .recovery, .linkConfirmation: account.user.times.emailProvenAt == nil
        case .phoneConfirmation: !account.user.isProven
        case .emailChangeCurrent, .emailChangeNew, .reauthentication, .phoneChange, nil: false
        }
    }

    /// Whether the browser with this secret requested the email.
    func isOf(_ browser: Secret?) -> Bool {
        guard let asked = self.browser, let browser else { return false }
        return TokenDigest.of(browser) == asked
    }
}

extension CodeStore {
    static func tokenLookup(link digest: [UInt8]) -> SQL {
        "SELECT \(columns: TokenRow.columns) FROM one_time_tokens WHERE digest = \(digest)"
    }

    /// Newest codes, including used ones: up to ``TokenSlot/depth`` per account. Several accounts only if they change
    /// to the same address.
    static func tokenLookup(address: Recipient, _ slot: TokenSlot, at now: Instant) -> SQL {
        let places = slot.places
        return """
            SELECT \(columns: TokenRow.columns) FROM one_time_tokens
            WHERE address = \(address.text) AND slot IN (\(places[0]), \(places[1]), \(places[2]))
                AND expires_at > \(now)
            ORDER BY created_at DESC, digest LIMIT \(TokenSlot.depth * 2)
            """
    }

    /// Newest first.
    static func tokenLookup(_ user: UserID, _ slot: TokenSlot) -> SQL {
        let places = slot.places
        return """
            SELECT \(columns: TokenRow.columns) FROM one_time_tokens
            WHERE user_id = \(user) AND slot IN (\(places[0]), \(places[1]), \(places[2]))
            ORDER BY created_at DESC, slot
            """
    }

    /// The text that a code's digest is bound to.
    static func codeOwner(_ user: UserID, _ slot: TokenSlot, _ address: String) -> String {
        "\(user.text) \(slot.rawValue) \(address)"
    }

    /// Creates a code. The account's last ``TokenSlot/depth`` codes for the purpose stay valid, so that a stranger's
    /// request does not void the code that its owner is about to type.
    ///
    /// - Parameters:
    ///   - pending: If another sign-up created the account.
    ///   - codeOwner: Bound to the code, instead of account, purpose and address.
    func makeToken(
        _ kind: MailKind, _ slot: TokenSlot, to address: Recipient, of user: UserID, _ request: MailRequest,
        confirming pending: PendingSignUp? = nil, codeOwner: String? = nil, at now: Instant, in db: any Connection
    ) throws -> MintedToken {
        let minted = MintedToken(
            hasProofKey: request.proofKey != nil, fixedCode: request.fixedCode, randomBytes: randomBytes)
        let digest = TokenDigest.of(minted.link)
        let code = secrets.codeDigest(minted.code, of: codeOwner ?? Self.codeOwner(user, slot, address.text))
        let sealed: SQLValue =
            try pending.map { .bytes(try accounts.links.seal($0.json, as: Self.signUpSeal, digest)) } ?? .null
        let browser = request.browser.map(SQLValue.bytes) ?? .null
        try db.removeExpired(from: .oneTimeTokens, at: now)
        try db.makePlace(for: slot, of: user)
        try db.run(
            """
            INSERT INTO one_time_tokens (
                digest, user_id, slot, kind, address, code_digest, challenge, challenge_method, browser_digest,
                by_admin, is_mailed, redirect_to, sealed, created_at, expires_at)
            VALUES (
                \(digest), \(user), \(slot.rawValue), \(kind.rawValue), \(address.text), \(code),
                \(request.proofKey?.challenge), \(request.proofKey?.method.rawValue), \(browser),
                \(request.isByAdmin), \(request.isMailed), \(request.redirectTo), \(sealed), \(now), \(now + request.lifetime))
            """)
        return minted
    }

    static let signUpSeal = "pending sign-up"

    /// The sign-up that a repeated email confirms; nil for the one that created the account. A competing sign-up's data
    /// stays with the browser that sent it.
    func pendingSignUp(
        of user: UserID, _ slot: TokenSlot = .confirmation, askedBy request: MailRequest, in db: any Connection
    ) throws -> PendingSignUp? {
        let rows = try db.rows(Self.tokenLookup(user, slot), TokenRow.init)
        let competing = try rows.compactMap { row in try pendingSignUp(row).map { (row: row, pending: $0) } }
        guard let newest = competing.first else { return nil }
        let isSame = newest.row.browser != nil && newest.row.browser == request.browser
        return isSame ? newest.pending : PendingSignUp(passwordHash: nil, data: [:])
    }

    /// Whether an administrator's invitation is pending. Neither strangers' requests nor wrong codes end it.
    func isInvited(_ user: UserID, at now: Instant, in db: any Connection) throws -> Bool {
        try db.rows(Self.tokenLookup(user, .confirmation), TokenRow.init).contains {
            $0.isByAdmin && $0.isGood(at: now)
        }
    }

    func pendingSignUp(_ row: TokenRow) throws -> PendingSignUp? {
        try row.sealed.map { PendingSignUp(json: try accounts.links.unseal($0, as: Self.signUpSeal, row.digest)) }
    }
}

extension Connection {
    /// Voids the user's emailed codes, as a new password does.
    func voidTokens(of user: UserID) throws { try run("DELETE FROM one_time_tokens WHERE user_id = \(user)") }

    /// Ages codes by one, and deletes the oldest.
    fileprivate func makePlace(for slot: TokenSlot, of user: UserID) throws {
        let places = slot.places
        try run("DELETE FROM one_time_tokens WHERE user_id = \(user) AND slot = \(places[TokenSlot.depth - 1])")
        for age in (1..<TokenSlot.depth).reversed() {
            try run(
                "UPDATE one_time_tokens SET slot = \(places[age]) WHERE user_id = \(user) AND slot = \(places[age - 1])"
            )
        }
    }

    func voidTokens(of user: UserID, _ slot: TokenSlot) throws {
        for place in slot.places { try run("DELETE FROM one_time_tokens WHERE user_id = \(user) AND slot = \(place)") }
    }

    func endAddressChange(of user: UserID, at now: Instant) throws {
        for slot in [TokenSlot.emailChangeCurrent, .emailChangeNew] { try voidTokens(of: user, slot) }
        let ended = try run(
            """
            UPDATE users SET new_email = NULL, email_change_sent_at = NULL, address_change_session = NULL
            WHERE id = \(user) AND new_email IS NOT NULL
            """)
        if ended > 0 { journal?.add(.updated(user), at: now) }
    }

    /// Clears the times of emails whose codes are void.
    func forgetMails(of user: inout User) throws {
        for slot in TokenSlot.allCases where slot != .emailChangeNew { user.note(slot, at: nil) }
        try run(
            """
            UPDATE users SET confirmation_sent_at = NULL, recovery_sent_at = NULL, email_change_sent_at = NULL,
                phone_change_sent_at = NULL, reauthentication_sent_at = NULL
            WHERE id = \(user.id)
            """)
    }

    func note(_ slot: TokenSlot, of user: UserID, at time: Instant?) throws {
        switch slot {
        case .confirmation, .phoneConfirmation:
            try run("UPDATE users SET confirmation_sent_at = \(time) WHERE id = \(user)")
        case .recovery: try run("UPDATE users SET recovery_sent_at = \(time) WHERE id = \(user)")
        case .emailChangeCurrent, .emailChangeNew:
            try run("UPDATE users SET email_change_sent_at = \(time) WHERE id = \(user)")
        case .reauthentication: try run("UPDATE users SET reauthentication_sent_at = \(time) WHERE id = \(user)")
        case .phoneChange: try run("UPDATE users SET phone_change_sent_at = \(time) WHERE id = \(user)")
        case .linkConfirmation: break
        }
    }
}

extension User {
    mutating func note(_ slot: TokenSlot, at time: Instant?) {
        switch slot {
        case .confirmation, .phoneConfirmation: times.confirmationSentAt = time
        case .recovery: times.recoverySentAt = time
        case .emailChangeCurrent, .emailChangeNew: times.emailChangeSentAt = time
        case .reauthentication: times.reauthenticationSentAt = time
        case .phoneChange: times.phoneChangeSentAt = time
        case .linkConfirmation: break
        }
    }
}
