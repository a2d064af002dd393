import AccountDomain
import GatehouseWire
import Testing

@Suite("Address holders")
struct AddressHolderTests {
    private static let time = Instant(seconds: 1_767_225_600)

    private func signUp(_ change: (inout Account) -> Void = { _ in }) -> Account {
        var user = User(id: LinkingTable.ada, audience: "a", role: "r", times: UserTimes(createdAt: Self.time))
        user.email = "ada@example.com"
        var account = Account(user: user, identities: [])
        change(&account)
        return account
    }

    private func add(_ identity: ProviderIdentity, to account: inout Account) {
        let id = IdentityID(bytes: Array(repeating: UInt8(account.identities.count), count: 16))
        account.identities.append(Identity(id: id, user: account.user.id, identity, at: Self.time))
    }

    private func holder(_ account: Account, for identity: ProviderIdentity = .made()) -> AddressHolder? {
        AddressHolder(account, for: identity, removal: nil, at: Self.time)
    }

    @Test("D8: Only an account without confirmation and without any sign-in is an unfinished sign-up")
    func abandoned() {
        #expect(holder(signUp())?.claim == .abandoned)
        #expect(holder(signUp { $0.user.times.emailConfirmedAt = Self.time })?.claim == .claimed)
        #expect(holder(signUp { $0.user.times.phoneConfirmedAt = Self.time })?.claim == .claimed)
        #expect(holder(signUp { $0.user.times.lastSignInAt = Self.time })?.claim == .claimed)
        #expect(holder(signUp { $0.user.isAnonymous = true })?.claim == .claimed)
        #expect(holder(signUp { add(.made("apple", email: nil), to: &$0) })?.claim == .claimed)
    }

    @Test("D7: An address is proven by its own timestamp, or by an identity whose provider vouches for it")
    func proven() {
        let marked = signUp {
            $0.user.times.emailConfirmedAt = Self.time
            $0.user.times.emailProvenAt = Self.time
        }
        #expect(holder(marked) == AddressHolder(user: LinkingTable.ada, claim: .proven))
        let vouched = signUp { account in
            account.user.email = "ada@example.org"
            add(.made("apple"), to: &account)
        }
        #expect(holder(vouched) == AddressHolder(user: LinkingTable.ada, claim: .proven, isOwn: false))
        let mentioned = signUp { account in
            account.user.email = "ada@example.org"
            add(.made("apple", isVerified: false), to: &account)
        }
        #expect(holder(mentioned) == nil)
    }

    @Test("An unverified address, another address and a deleted account have no holder")
    func none() {
        #expect(holder(signUp(), for: .made(isVerified: false)) == nil)
        #expect(holder(signUp(), for: .made(email: nil)) == nil)
        #expect(holder(signUp(), for: .made(email: "grace@example.com")) == nil)
        #expect(holder(signUp { $0.user.times.deletedAt = Self.time }) == nil)
    }

    @Test("A second factor is recognized")
    func secondFactor() {
        #expect(holder(signUp())?.hasSecondFactor == false)
        #expect(holder(signUp { $0.user.hasSecondFactor = true })?.hasSecondFactor == true)
    }

    @Test("Another person of the same provider, a ban and an earlier removal are recognized")
    func marks() {
        let account = signUp { account in
            add(.made("google", "2", email: nil), to: &account)
            account.user.times.bannedUntil = Self.time + .seconds(1)
        }
        let found = AddressHolder(account, for: .made(), removal: .undone, at: Self.time)
        #expect(found?.hasOtherSubject == true)
        #expect(found?.isBanned == true)
        #expect(found?.removal == .undone)
        #expect(holder(account, for: .made("apple"))?.hasOtherSubject == false)
    }
}
