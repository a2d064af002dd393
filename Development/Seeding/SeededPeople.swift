import AccountDomain
package import AccountStore
package import GatehouseWire

/// Fictitious accounts for benchmarks, created by the same code as real ones. The same seed yields the same accounts.
///
/// Of every twenty, the first fourteen sign in with a password, the next four with Google, and the last two with Apple
/// and a private relay address. Each has a session, every fourth a second one. Most sessions have been refreshed up to
/// 300 times.
package struct SeededPeople: Sendable {
    /// RFC 2606 §2: no email can be delivered, and no real account has such an address.
    package static let domain = "seeded.invalid"
    package static let password = Secret("seeded people share one")

    private let accounts: Accounts
    private let seed: UInt64
    private let passwordHash: Secret
    /// All times lie before it.
    private let day: Instant

    /// - Parameters:
    ///   - accounts: For rules and audience.
    ///   - passwordHash: Of ``password``.
    ///   - now: The accounts end on the day before.
    package init(_ accounts: Accounts, seed: UInt64, passwordHash: Secret, at now: Instant) {
        self.accounts = accounts
        self.seed = seed
        self.passwordHash = passwordHash
        day = Instant(seconds: now.seconds / 86_400 * 86_400)
    }

    /// Lower case.
    package static func address(_ number: Int, seed: UInt64) -> String { "person-\(number).\(seed)@\(domain)" }

    package static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        SeededBytes(seed: seed, number: -1).next(count)
    }

    func person(_ number: Int) throws -> SeededPerson {
        let (bytes, rules, age, name) = Self.beginning(number, seed: seed, accounts)
        let createdAt = day - age
        let kind = Kind(number)
        var account = try account(number, kind, name, rules, createdAt)
        let sessions = self.sessions(of: account, number, kind, rules, bytes)
        let lastSignIn = sessions.map(\.session.createdAt).max() ?? createdAt
        account.user.times.lastSignInAt = lastSignIn
        if kind != .password { account.identities[0].lastSignInAt = lastSignIn }
        return SeededPerson(account: account, sessions: sessions, entries: entries(account, kind, sessions, rules))
    }

    /// The address contains a number and a seed, which produce the id.
    static func made(_ id: String, address: String, _ accounts: Accounts) -> Bool {
        guard let match = address.wholeMatch(of: /person-([0-9]+)\.([0-9]+)@(.+)/), match.3 == domain,
            let number = Int(match.1), let seed = UInt64(match.2)
        else { return false }
        return beginning(number, seed: seed, accounts).rules.newUser(at: Instant(seconds: 0)).id.text == id
    }

    private static func beginning(
        _ number: Int, seed: UInt64, _ accounts: Accounts
    ) -> (bytes: SeededBytes, rules: Accounts, age: Duration, name: SeededName) {
        let bytes = SeededBytes(seed: seed, number: number)
        let rules = Accounts(
            database: accounts.database, secrets: accounts.secrets, policy: accounts.policy,
            audience: accounts.audience, role: accounts.role, randomBytes: { bytes.next($0) })
        let age = Duration.seconds(30 * 86_400 + bytes.below(700 * 86_400))
        return (bytes, rules, age, SeededName(bytes))
    }

    /// Depends only on the number, so that every twenty rows have nulls in the same columns and one prepared statement
    /// fits every batch.
    private enum Kind: String {
        case password = "email"
        case google, apple

        init(_ number: Int) {
            self = number % 20 < 14 ? .password : number % 20 < 18 ? .google : .apple
        }
    }

    private func account(
        _ number: Int, _ kind: Kind, _ name: SeededName, _ rules: Accounts, _ createdAt: Instant
    ) throws -> Account {
        let address = Self.address(number, seed: seed)
        guard let email = EmailAddress(address) else { throw ImpossiblePerson() }
        if kind == .password {
            let signUp = SignUpRequest(
                email: email, passwordHash: passwordHash, metadata: ["first_name": .string(name.first)],
                isConfirmed: true)
            return rules.signIns.newAccount(signUp, at: createdAt)
        }
        let user = rules.newUser(at: createdAt)
        let subject = "\(kind.rawValue)-\(seed)-\(number)"
        var data: AuthJSONObject = [
            "iss": kind == .google ? "https://accounts.google.com" : "https://appleid.apple.com",
            "sub": .string(subject), "provider_id": .string(subject), "email": .string(address),
            "email_verified": true, "phone_verified": false,
        ]
        if kind == .google {
            data["name"] = .string(name.full)
            data["full_name"] = .string(name.full)
            data["picture"] = .string("https://pictures.\(Self.domain)/\(number)")
            data["avatar_url"] = data["picture"]
        }
        guard
            let identity = ProviderIdentity(
                provider: kind.rawValue, subject: subject, email: address, isEmailVerified: true,
                isPrivateRelay: kind == .apple, data: data)
        else { throw ImpossiblePerson() }
        return Account(
            user, madeBy: identity, id: rules.newID(), takesAddress: true, within: rules.tokenRoom, at: createdAt)
    }

    private func sessions(
        of account: Account, _ number: Int, _ kind: Kind, _ rules: Accounts, _ bytes: SeededBytes
    ) -> [SeededSession] {
        (0...(number % 4 == 3 ? 1 : 0)).map { index in
            let createdAt = day - .seconds(86_400 + bytes.below(6 * 86_400))
            var session = rules.newSession(
                of: account.user.id, by: kind == .password ? .password : .oauth, at: createdAt)
            if index == 1 || number % 4 != 0 {
                session.counter = Int64(1 + bytes.below(300))
                session.refreshedAt = createdAt + .seconds(bytes.below(86_400))
            }
            let address = "198.51.100.\(bytes.below(256))"
            let agent = "BoxScore/\(1 + bytes.below(9)).\(bytes.below(10)) CFNetwork/1568.100.1 Darwin/24.0.0"
            return SeededSession(
                session: session, device: Device(userAgent: agent, address: address),
                identity: kind == .password ? nil : account.identities[0].id)
        }
    }

    private func entries(
        _ account: Account, _ kind: Kind, _ sessions: [SeededSession], _ rules: Accounts
    ) -> [SeededEntry] {
        let traits: AuthJSONObject = ["provider": .string(kind.rawValue)]
        func entry(_ action: AuditEntry.Action, _ time: Instant) -> SeededEntry {
            let entry = AuditEntry(
                action, actor: account.user.id, actorName: account.user.email ?? "", traits: traits)
            return SeededEntry(id: rules.newID(), entry: entry, at: time)
        }
        return [entry(.userSignedUp, account.user.times.createdAt)]
            + sessions.map { entry(.login, $0.session.createdAt) }
    }
}

struct SeededPerson: Sendable {
    let account: Account
    let sessions: [SeededSession]
    let entries: [SeededEntry]
}

private struct ImpossiblePerson: Error {}

struct SeededSession: Sendable {
    let session: Session
    let device: Device
    let identity: IdentityID?
}

struct SeededEntry: Sendable {
    let id: Identifier<AuditEntry>
    let entry: AuditEntry
    let at: Instant
}
