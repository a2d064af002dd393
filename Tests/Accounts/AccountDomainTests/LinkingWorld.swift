import AccountDomain
import GatehouseWire

/// Users who sign up, sign in, link and so on, also with each other's addresses. Keeps accounts like the store, by the
/// rules alone.
struct LinkingWorld {
    typealias Person = Int

    static let people = 3

    private(set) var accounts: [UserID: Account] = [:]
    /// By account. A deleted id remains: its tokens may still be valid.
    private(set) var entered: [UserID: Set<Person>] = [:]
    private var passwords: [UserID: Person] = [:]
    private var undos: [IdentityID: LinkUndo] = [:]
    private var removals: [String: LinkRemoval] = [:]
    private var tickets: [(owner: Person, identity: ProviderIdentity, rules: ProviderRules)] = []
    /// Deleted for a valid reason.
    private(set) var ended: Set<UserID> = []
    /// For the message of a failing test.
    private(set) var history: [String] = []
    private(set) var rulesSeen: Set<LinkingRule> = []
    private var random: SplitMix64
    private var now = Instant(seconds: 1_767_225_600)

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    mutating func step() throws {
        now = now + .seconds(1)
        let person = pick(Self.people)
        switch pick(13) {
        case 0, 1: signUp(person)
        case 2: passwordSignIn(person)
        case 3, 4, 5: try providerSignIn(person)
        case 6: try linkByHand(person)
        case 7: try useTicket(person, .confirm)
        case 8: try useTicket(person, .recover)
        case 9: try takeAway(person)
        case 10: changeAddress(person)
        case 11: protect(person)
        default: delete(person)
        }
    }

    private mutating func signUp(_ person: Person) {
        let email = Self.address(pick(Self.people))
        let isConfirmed = pick(2) == 0
        note("\(person) signs up as \(email.text), \(isConfirmed ? "confirmed" : "waiting")")
        guard !isTaken(email, besides: nil) else { return }
        var user = newUser()
        user.email = email.text
        user.passwordHash = Secret("\(person)")
        if isConfirmed { user.times.emailConfirmedAt = now }
        let identity = Identity(
            id: id(), user: user.id, provider: "email", providerID: user.id.text, data: "{}", email: email.text,
            at: now)
        accounts[user.id] = Account(user: user, identities: [identity])
        passwords[user.id] = person
        if isConfirmed { enter(user.id, person) }
    }

    private mutating func passwordSignIn(_ person: Person) {
        let email = Self.address(pick(Self.people))
        let found = accounts.values.first { $0.user.email == email.text && $0.hasPasswordSignIn }
        guard let found, passwords[found.user.id] == person else { return }
        note("\(person) signs in as \(email.text)")
        enter(found.user.id, person)
    }

    private mutating func providerSignIn(_ person: Person) throws {
        let rules = ProviderRules(
            linking: LinkingPolicy.allCases[pick(3)], allowsSignUp: pick(8) > 0)
        try come(person, identity(of: person), rules, .signIn)
    }

    private mutating func linkByHand(_ person: Person) throws {
        guard let own = anyAccount(of: person) else { return }
        try come(person, identity(of: person), ProviderRules(), .link(own))
    }

    private enum TicketUse { case confirm, recover }

    private mutating func useTicket(_ person: Person, _ use: TicketUse) throws {
        guard let index = tickets.firstIndex(where: { $0.owner == person }) else { return }
        let ticket = tickets.remove(at: index)
        switch use {
        case .confirm:
            guard let own = anyAccount(of: person) else { return }
            try come(person, ticket.identity, ticket.rules, .confirm(own))
        case .recover: try come(person, ticket.identity, ticket.rules, .recover)
        }
    }

    private mutating func takeAway(_ person: Person) throws {
        guard let own = anyAccount(of: person), var account = accounts[own], !account.identities.isEmpty else { return }
        let identity = account.identities[pick(account.identities.count)]
        let decision = UnlinkDecision(account, removing: identity.id) { !isTaken($0, besides: own) }
        guard case .remove(let address) = decision else { return }
        let undo = undos.removeValue(forKey: identity.id)
        if let undo, pick(2) == 0 {
            note("\(person) undoes \(identity.provider) of \(own.text)")
            _ = try account.undo(undo, of: identity.id, address: address, newID: id(), at: now)
            removals[Self.key(identity, own)] = .undone
        } else {
            note("\(person) unlinks \(identity.provider) from \(own.text)")
            _ = try account.unlink(identity.id, address: address, newID: id(), at: now)
            removals[Self.key(identity, own)] = .unlinked
        }
        if account.user.passwordHash == nil { passwords[own] = nil }
        accounts[own] = account
    }

    /// Adds a second factor, or removes it.
    private mutating func protect(_ person: Person) {
        guard let own = anyAccount(of: person) else { return }
        note("\(person) adds or removes the second factor of \(own.text)")
        accounts[own]?.user.hasSecondFactor.toggle()
    }

    private mutating func changeAddress(_ person: Person) {
        let email = Self.address(pick(Self.people))
        guard let own = anyAccount(of: person), !isTaken(email, besides: own), var account = accounts[own] else {
            return
        }
        note("\(person) changes the address of \(own.text) to \(email.text)")
        account.user.email = email.text
        account.user.times.emailConfirmedAt = now
        account.user.times.emailProvenAt = account.identities.contains { $0.vouches(for: email.text) } ? now : nil
        if pick(2) == 0 {
            account.user.passwordHash = Secret("\(person)")
            passwords[own] = person
        }
        accounts[own] = account
    }

    private mutating func delete(_ person: Person) {
        guard let own = anyAccount(of: person), pick(3) == 0 else { return }
        note("\(person) deletes \(own.text)")
        end(own)
    }

    private mutating func come(
        _ person: Person, _ identity: ProviderIdentity, _ rules: ProviderRules, _ intent: LinkingFacts.Intent
    ) throws {
        let owner = accounts.values.first { $0.identities.contains { Self.isSame($0, identity) } }
        var holders: [AddressHolder] = []
        if owner == nil {
            holders = accounts.values.sorted { $0.user.id.text < $1.user.id.text }.compactMap { account in
                AddressHolder(
                    account, for: identity,
                    removal: removals["\(identity.provider) \(identity.subject) \(account.user.id.text)"], at: now)
            }
            holders.sort { $0.isOwn && !$1.isOwn }
        }
        var facts = LinkingFacts(
            identity: identity, intent: intent, rules: rules, owner: owner.map { .init(user: $0.user.id) },
            holders: holders)
        if case .link(let asker) = intent { facts.askersEmail = accounts[asker]?.user.email }
        let decision = LinkingDecision(facts)
        rulesSeen.insert(decision.rule)
        note("\(person) comes with \(identity.provider) \(identity.email?.text ?? "-"): \(decision.rule.rawValue)")
        try carryOut(decision, person, identity, rules, intent)
    }

    private mutating func carryOut(
        _ decision: LinkingDecision, _ person: Person, _ identity: ProviderIdentity, _ rules: ProviderRules,
        _ intent: LinkingFacts.Intent
    ) throws {
        switch decision.action {
        case .signIn(let user):
            _ = try accounts[user]?.refresh(identity, within: TokenRoom(), at: now)
            enter(user, person)
        case .create(let takesAddress): create(person, identity, takesAddress: takesAddress)
        case .takeOver(let user):
            let new: IdentityID = id()
            try accounts[user]?.takeOver(by: identity, id: new, within: TokenRoom(), at: now)
            passwords[user] = nil
            enter(user, person)
        case .link(let user, let address):
            if case .takesFrom(let abandoned) = address, let other = accounts[abandoned] {
                accounts[abandoned] = try other.withoutItsAddress(at: now) { !isTaken($0, besides: abandoned) }
            }
            let new: IdentityID = id()
            undos[new] = try accounts[user]?.link(
                identity, id: new, address: address, mergesMetadata: intent != .link(user),
                within: TokenRoom(), at: now)
            removals["\(identity.provider) \(identity.subject) \(user.text)"] = nil
            enter(user, person)
        case .ask: tickets.append((person, identity, rules))
        case .replace(let user):
            guard let old = accounts[user] else { return }
            accounts[user] = try old.withoutItsAddress(at: now) { !isTaken($0, besides: user) }
            create(person, identity, takesAddress: true)
        case .refuse: break
        }
    }

    private mutating func create(_ person: Person, _ identity: ProviderIdentity, takesAddress: Bool) {
        let account = Account(
            newUser(), madeBy: identity, id: id(), takesAddress: takesAddress, within: TokenRoom(), at: now)
        accounts[account.user.id] = account
        enter(account.user.id, person)
    }

    private mutating func enter(_ user: UserID, _ person: Person) {
        entered[user, default: []].insert(person)
        accounts[user]?.user.times.lastSignInAt = now
    }

    private mutating func end(_ user: UserID) {
        accounts[user] = nil
        passwords[user] = nil
        ended.insert(user)
    }

    /// The user's current sign-in methods.
    func ways(of person: Person, into account: Account) -> Int {
        account.signInMethods.count { method in
            switch method {
            case .password: passwords[account.user.id] == person
            case .phone: false
            case .identity(let id, _):
                account.identities.contains { $0.id == id && $0.providerID.hasPrefix("\(person) ") }
            }
        }
    }

    private func isTaken(_ email: EmailAddress, besides user: UserID?) -> Bool {
        accounts.values.contains { account in
            account.user.id != user
                && (account.user.email == email.text || account.identities.contains { $0.vouches(for: email.text) })
        }
    }

    private mutating func anyAccount(of person: Person) -> UserID? {
        let own = accounts.keys.filter { entered[$0]?.contains(person) == true }.sorted { $0.text < $1.text }
        return own.isEmpty ? nil : own[pick(own.count)]
    }

    /// Providers vouch only for the user's own address.
    private mutating func identity(of person: Person) -> ProviderIdentity {
        let account = pick(2)
        switch pick(5) {
        case 0:
            return .made(
                "google", "\(person) unverified", email: Self.address(pick(Self.people)).text, isVerified: false)
        case 1:
            return .made("apple", "\(person) relay", email: "relay\(person)@privaterelay.appleid.com", isRelay: true)
        case 2: return .made("apple", "\(person) own", email: Self.address(person).text)
        case 3: return .made("keycloak", "\(person) none", email: nil)
        default: return .made("google", "\(person) own \(account)", email: Self.address(person).text)
        }
    }

    private static func address(_ person: Person) -> EmailAddress { EmailAddress("person\(person)@example.com")! }

    private static func isSame(_ identity: Identity, _ other: ProviderIdentity) -> Bool {
        identity.provider == other.provider && identity.providerID == other.subject
    }

    private static func key(_ identity: Identity, _ user: UserID) -> String {
        "\(identity.provider) \(identity.providerID) \(user.text)"
    }

    private mutating func newUser() -> User {
        User(id: id(), audience: "authenticated", role: "authenticated", times: UserTimes(createdAt: now))
    }

    private mutating func id<Owner>() -> Identifier<Owner> {
        Identifier(random: (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    private mutating func note(_ text: String) { history.append(text) }
}

struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
