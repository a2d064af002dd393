import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

/// The rules' random sequences, on the database.
struct StoreWorld {
    private static let people = 3

    private let store: StoreFixture
    /// Open sessions, by user.
    private var sessions: [(person: Int, issued: IssuedSession)] = []
    private var tickets: [(person: Int, ticket: Secret)] = []
    private var passwords: [UserID: Int] = [:]
    private var entered: [UserID: Set<Int>] = [:]
    private(set) var history: [String] = []
    private(set) var rules: Set<LinkingRule> = []
    private var random: UInt64

    init(seed: UInt64, _ kind: TestDatabase) async throws {
        random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        store = try await StoreFixture(kind)
    }

    mutating func step() async throws {
        store.clock.advance(by: .seconds(1))
        let person = pick(Self.people)
        switch pick(10) {
        case 0, 1: try await signUp(person)
        case 2, 3, 4: try await come(person)
        case 5: try await linkByHand(person)
        case 6: try await useTicket(person)
        case 7: try await takeAway(person)
        case 8: try await changeAddress(person)
        default: try await delete(person)
        }
    }

    private mutating func signUp(_ person: Int) async throws {
        let email = address(pick(Self.people))
        let isConfirmed = pick(2) == 0
        let signUp = SignUpRequest(
            email: EmailAddress(email)!, passwordHash: Secret("\(person)"),
            metadata: ["writer": .integer(Int64(person))],
            isConfirmed: isConfirmed)
        switch try await store.accounts.signIns.signUp(signUp, from: store.device, at: store.clock.now) {
        case .signedIn(let issued):
            note("\(person) signs up as \(email)")
            passwords[issued.account.user.id] = person
            enter(issued, person)
        case .waits(let account):
            note("\(person) waits as \(email)")
            passwords[account.user.id] = person
        case .waitsAlready, .taken: break
        }
    }

    private mutating func come(_ person: Int) async throws {
        let rules = ProviderRules(linking: LinkingPolicy.allCases[pick(3)])
        take(try await store.come(identity(of: person), rules: rules), person)
    }

    private mutating func linkByHand(_ person: Int) async throws {
        guard let own = session(of: person) else { return }
        take(try await store.link(identity(of: person), to: own), person)
    }

    private mutating func useTicket(_ person: Int) async throws {
        guard let index = tickets.firstIndex(where: { $0.person == person }) else { return }
        let ticket = tickets.remove(at: index).ticket
        if pick(2) == 0 {
            take(try await store.recover(ticket), person)
        } else if let own = session(of: person) {
            take(try await store.confirm(ticket, by: own), person)
        }
    }

    private mutating func takeAway(_ person: Int) async throws {
        guard let own = session(of: person), let account = try await store.accounts.admin.account(own.account.user.id),
            !account.identities.isEmpty
        else { return }
        let identity = account.identities[pick(account.identities.count)]
        let outcome =
            pick(2) == 0
            ? try await store.accounts.links.unlink(
                identity.id, of: account.user.id, keeping: own.session.id, at: store.clock.now)
            : try await store.accounts.links.undoLink(
                identity.id, of: account.user.id, by: own.session.id, at: store.clock.now)
        if case .unlinked(let left) = outcome {
            note("\(person) takes \(identity.provider) off \(account.user.id.text)")
            if left.user.passwordHash == nil { passwords[left.user.id] = nil }
        }
    }

    private mutating func changeAddress(_ person: Int) async throws {
        guard let own = session(of: person), let account = try await store.accounts.admin.account(own.account.user.id)
        else {
            return
        }
        var update = UserUpdate()
        update.email = EmailAddress(address(pick(Self.people)))
        if pick(2) == 0 {
            update.passwordHash = Secret("\(person)")
            update.checkedHash = account.user.passwordHash
        }
        let outcome = try await store.accounts.update(
            account.user.id, update, keeping: own.session.id, at: store.clock.now)
        guard case .updated = outcome else { return }
        note("\(person) changes \(account.user.id.text)")
        if update.passwordHash != nil { passwords[account.user.id] = person }
    }

    private mutating func delete(_ person: Int) async throws {
        guard let own = session(of: person), pick(3) == 0 else { return }
        note("\(person) deletes \(own.account.user.id.text)")
        let user = own.account.user.id
        if pick(2) == 0 {
            _ = try await store.accounts.delete(user, actor: user, at: store.clock.now)
        } else {
            _ = try await store.accounts.softDelete(user, at: store.clock.now)
        }
        entered[user] = nil
    }

    private mutating func take(_ outcome: LinkingOutcome, _ person: Int) {
        rules.insert(outcome.rule)
        note("\(person): \(outcome.rule.rawValue)")
        switch outcome {
        case .signedIn(let session):
            if session.rule == .unconfirmedSignUp { passwords[session.user] = nil }
            if let issued = session.issued { enter(issued, person) }
        case .needsConfirmation(let question, _): tickets.append((person, question.ticket))
        case .refused: break
        }
    }

    private mutating func enter(_ issued: IssuedSession, _ person: Int) {
        entered[issued.account.user.id, default: []].insert(person)
        sessions.append((person, issued))
    }

    /// The first violated invariant, or nil.
    func broken() async throws -> String? {
        for (user, people) in entered where people.count > 1 { return "\(user.text) was entered by \(people.sorted())" }
        for (user, people) in entered {
            guard let person = people.first, let account = try await store.accounts.admin.account(user) else {
                continue
            }
            let hash = account.user.passwordHash?.reveal()
            let ways = account.signInMethods.count { method in
                switch method {
                case .password: hash == "\(person)"
                case .phone: false
                case .identity(let id, _):
                    account.identities.contains { $0.id == id && $0.providerID.hasPrefix("\(person) ") }
                }
            }
            if ways == 0 { return "\(person) cannot get into \(user.text)" }
            if let hash, hash != "\(person)" { return "\(user.text) has the password of \(hash)" }
        }
        // Each session is in an account that only its user has entered.
        let profiles = try await store.count("profiles")
        let living = try await store.rows("SELECT 1 FROM users WHERE deleted_at IS NULL")
        return profiles == living ? nil : "\(living) accounts and \(profiles) profiles"
    }

    private mutating func session(of person: Int) -> IssuedSession? {
        let own = sessions.filter { $0.person == person }
        return own.isEmpty ? nil : own[pick(own.count)].issued
    }

    private mutating func identity(of person: Int) -> ProviderIdentity {
        switch pick(5) {
        case 0: store.identity("google", "\(person) unverified", email: address(pick(Self.people)), isVerified: false)
        case 1:
            store.identity("apple", "\(person) relay", email: "relay\(person)@privaterelay.appleid.com", isRelay: true)
        case 2: store.identity("apple", "\(person) own", email: address(person))
        case 3: store.identity("keycloak", "\(person) none", email: nil)
        default: store.identity("google", "\(person) own \(pick(2))", email: address(person))
        }
    }

    private func address(_ person: Int) -> String { "person\(person)@example.com" }

    private mutating func pick(_ count: Int) -> Int {
        random ^= random << 13
        random ^= random >> 7
        random ^= random << 17
        return Int((random >> 24) % UInt64(count))
    }

    private mutating func note(_ text: String) { history.append(text) }
}

@Suite("Linking, in random sequences on the database")
struct StoreWorldTests {
    @Test("D7, D8: No user ever enters an account of another, and no user loses the last sign-in method")
    func sequences() async throws {
        var rules: Set<LinkingRule> = []
        for seed in 1...30 as ClosedRange<UInt64> {
            var world = try await StoreWorld(seed: seed, .sqlite)
            for _ in 0..<40 {
                try await world.step()
                if let broken = try await world.broken() {
                    Issue.record("seed \(seed): \(broken)\n\(world.history.joined(separator: "\n"))")
                    return
                }
            }
            rules.formUnion(world.rules)
        }
        #expect(rules.isSuperset(of: [.confirmedByOwner, .recoveredByProvider, .provenByBoth, .unconfirmedSignUp]))
    }
}
