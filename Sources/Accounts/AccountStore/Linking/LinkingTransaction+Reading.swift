import AccountDomain
import GatehouseWire
import SQLDatabase

struct Found {
    let facts: LinkingFacts
    let setAside: SetAsideIdentity?
    private let accounts: [Account]

    init(
        _ signIn: ProviderSignIn, _ intent: LinkingFacts.Intent, asker: Account?, in db: any Connection,
        at now: Instant
    ) throws {
        let identity = signIn.identity
        let owner = try db.accounts(LinkStore.identityLookup(identity.provider, identity.subject)).first
        var holders: [AddressHolder] = []
        var holding: [Account] = []
        var former: Account?
        // A known identity is found by its subject alone.
        if owner == nil, identity.email != nil {
            let removals = try db.removals(of: identity)
            holding = try identity.provenEmail.map { try db.accounts(SignInStore.emailLookup($0)) } ?? []
            holders = holding.compactMap { account in
                let removal = removals.first { $0.user == account.user.id }?.kind
                return AddressHolder(account, for: identity, signIn.rules, removal: removal, at: now)
            }
            // The address in an account's own column comes first.
            holders.sort { $0.isOwn && !$1.isOwn }
            // Removed by an earlier release, which set nothing aside.
            former = try removals.first(where: \.isByProof).flatMap { try db.account($0.user) }
        }
        setAside = owner == nil ? try db.setAsideIdentity(identity) : nil
        if let setAside { former = try db.account(setAside.user) }
        facts = LinkingFacts(
            identity: identity, intent: intent, rules: signIn.rules,
            owner: owner.map { LinkingFacts.Owner(user: $0.user.id, isBanned: $0.user.isBanned(at: now)) },
            holders: holders,
            formerOwner: former.map { LinkingFacts.Owner(user: $0.user.id, isBanned: $0.user.isBanned(at: now)) },
            askersEmail: asker?.user.email)
        accounts = [owner, asker, former].compactMap(\.self) + holding
    }

    func account(_ id: UserID) throws -> Account {
        guard let account = accounts.first(where: { $0.user.id == id }) else { throw UnknownIdentity() }
        return account
    }
}

private struct RememberedRemoval: Sendable {
    let user: UserID
    let kind: LinkRemoval?
    /// Whether the address's first proof removed it, not its owner.
    let isByProof: Bool
}

extension LinkingTransaction {
    /// nil if the session has ended or the user is banned.
    func account(of asker: LinkAsker) throws -> Account? {
        guard case .good(let account) = try accounts.changer(asker.user, by: asker.session, at: now, in: db) else {
            return nil
        }
        if case .password(_, let checked) = asker {
            guard let hash = account.user.passwordHash, hash.matches(checked), account.hasPasswordSignIn else {
                return nil
            }
        }
        return account
    }
}

extension LinkAsker {
    var session: SessionID? {
        switch self {
        case .session(let id, _): id
        case .password: nil
        }
    }
}

extension LinkStore {
    static func identityLookup(_ provider: String, _ subject: String) -> SQL {
        """
        SELECT \(columns: Accounts.userColumns), \(columns: Accounts.identityColumns)
        FROM users LEFT JOIN identities ON identities.user_id = users.id
        WHERE users.id = (
            SELECT user_id FROM identities
            WHERE provider = \(provider) AND provider_id = \(subject) AND set_aside_at IS NULL)
        ORDER BY identities.created_at, identities.id
        """
    }

    static func setAsideLookup(_ provider: String, _ subject: String) -> SQL {
        """
        SELECT id, user_id FROM identities
        WHERE provider = \(provider) AND provider_id = \(subject) AND set_aside_at IS NOT NULL
        """
    }

    static func removalLookup(_ provider: String, _ subject: String) -> SQL {
        """
        SELECT user_id, kind, by_proof FROM link_removals WHERE provider = \(provider) AND provider_id = \(subject)
        ORDER BY created_at DESC, user_id
        """
    }
}

extension Connection {
    func setAsideIdentity(_ identity: ProviderIdentity) throws -> SetAsideIdentity? {
        try row(LinkStore.setAsideLookup(identity.provider, identity.subject)) {
            SetAsideIdentity(id: $0.id(), user: $0.id())
        }
    }

    /// Newest first.
    fileprivate func removals(of identity: ProviderIdentity) throws -> [RememberedRemoval] {
        try rows(LinkStore.removalLookup(identity.provider, identity.subject)) { row in
            RememberedRemoval(
                user: UserID(trusted: row.text()), kind: LinkRemoval(text: row.text()), isByProof: row.bool())
        }
    }

    func insert(_ undo: LinkUndo, of identity: IdentityID, by rule: LinkingRule, at now: Instant) throws {
        try run(
            """
            INSERT INTO link_undos (identity_id, rule, before, linked_at, until)
            VALUES (\(identity), \(rule.rawValue), \(undo.json.text), \(now), \(now + LinkUndo.period))
            """)
    }

    /// Fills empty fields.
    ///
    /// - Returns: The filled fields.
    @discardableResult
    func fill(_ offered: ProfileFill, of user: UserID, at now: Instant) throws -> ProfileFill {
        if offered.isEmpty { return offered }
        let taken = try row("SELECT first_name, name, avatar_url FROM profiles WHERE id = \(user)") { row in
            ProfileFill(
                firstName: row.textIfPresent() == nil ? offered.firstName : nil,
                name: row.textIfPresent() == nil ? offered.name : nil,
                avatarURL: row.textIfPresent() == nil ? offered.avatarURL : nil)
        }
        guard let taken, !taken.isEmpty else { return ProfileFill() }
        try run(
            """
            UPDATE profiles SET first_name = coalesce(first_name, \(taken.firstName)),
                name = coalesce(name, \(taken.name)), avatar_url = coalesce(avatar_url, \(taken.avatarURL)),
                updated_at = \(now)
            WHERE id = \(user)
            """)
        return taken
    }

    /// Clears the fields that ``fill(_:of:at:)`` set, unless they changed since.
    func unfill(_ filled: ProfileFill, of user: UserID, at now: Instant) throws {
        if filled.isEmpty { return }
        try run(
            """
            UPDATE profiles SET
                first_name = CASE WHEN first_name = \(filled.firstName) THEN NULL ELSE first_name END,
                name = CASE WHEN name = \(filled.name) THEN NULL ELSE name END,
                avatar_url = CASE WHEN avatar_url = \(filled.avatarURL) THEN NULL ELSE avatar_url END,
                updated_at = \(now)
            WHERE id = \(user)
            """)
    }

    /// Clears the fields that users write; those that only administrators set stay.
    func emptyProfile(of user: UserID, at now: Instant) throws {
        try run(
            """
            UPDATE profiles SET first_name = NULL, favorite_teams = '[]', data = '{}', name = NULL, avatar_url = NULL,
                timezone = NULL, updated_at = \(now)
            WHERE id = \(user)
            """)
    }

    /// Deletes the link data of an account whose row stays after its deletion.
    func forgetLinks(of user: UserID) throws {
        try run("DELETE FROM provider_tokens WHERE identity_id IN (SELECT id FROM identities WHERE user_id = \(user))")
        try run("DELETE FROM link_undos WHERE identity_id IN (SELECT id FROM identities WHERE user_id = \(user))")
        try run("DELETE FROM link_removals WHERE user_id = \(user)")
        try run("DELETE FROM link_tickets WHERE user_id = \(user)")
        try run("DELETE FROM flow_states WHERE link_to = \(user)")
        try voidCodes(of: user)
        try voidTokens(of: user)
    }
}
