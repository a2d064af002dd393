import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Link tickets")
struct LinkTicketTests {
    @Test("D7: A confirmed address that is not proven is never linked silently", arguments: TestDatabase.all)
    func asks(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let squatter = try await store.signedIn()
        let question = try await store.asked(store.identity())
        #expect(question.rule == .unprovenAddress)
        #expect(question.canRecover)
        #expect(question.methods == ["password"])
        #expect(question.email.text == "ada@example.com")
        #expect(question.expiresAt == store.clock.now + .seconds(600))
        #expect(question.ticket.utf8Count == 43)
        #expect(try await store.accounts.admin.account(squatter.account.user.id)?.identities.count == 1)
        #expect(try await store.count("sessions") == 1)
        #expect(try await store.log(1) == ["identity_needs_confirmation unproven_address"])
    }

    @Test("D7: A user who is signed in to the account redeems the ticket, once", arguments: TestDatabase.all)
    func confirm(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let question = try await store.asked(store.identity())
        let session = try #require(try await store.confirm(question.ticket, by: owner).session)
        #expect(session.user == owner.account.user.id)
        #expect(session.rule == .confirmedByOwner)
        #expect(session.change == .linked(to: ["password"]))
        let account = try #require(try await store.accounts.admin.account(session.user))
        #expect(account.user.times.emailProvenAt == store.clock.now)
        #expect(account.user.passwordHash != nil)
        #expect(account.identities.map(\.provider) == ["email", "google"])
        #expect(try await store.log(2) == ["login confirmed_by_owner", "identity_linked confirmed_by_owner"])
        #expect(try await store.confirm(question.ticket, by: owner).refusal == .ticketUnknown)
        // The address is now proven.
        #expect(try await store.entered(store.identity("apple")).rule == .provenByBoth)
    }

    @Test("The right password also redeems it, unless it has changed since", arguments: TestDatabase.all)
    func password(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn().account.user.id
        let ticket = try await store.asked(store.identity()).ticket
        func confirm(_ hash: String) async throws -> LinkingOutcome {
            try await store.accounts.links.confirmLink(
                ticket, by: .password(of: owner, checkedHash: Secret(hash)), from: store.device, at: store.clock.now)
        }
        #expect(try await confirm("$other$").refusal == .notSignedIn)
        #expect(try await confirm("$hash$").session?.user == owner)
    }

    @Test(
        "An ended session, or another account's, redeems nothing; the ticket stays valid",
        arguments: TestDatabase.all)
    func otherAccount(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let other = try await store.signedIn("grace@example.com")
        let ticket = try await store.asked(store.identity()).ticket
        #expect(try await store.confirm(ticket, by: other).refusal == .otherAccount)
        try await store.accounts.signOut(
            owner.account.user.id, name: "", session: owner.session.id, scope: .local, at: store.clock.now)
        #expect(try await store.confirm(ticket, by: owner).refusal == .notSignedIn)
        guard let account = try await store.accounts.signIns.account(email: EmailAddress("ada@example.com")!),
            case .signedIn(let again) = try await store.accounts.signIns.signIn(
                account, from: store.device, at: store.clock.now)
        else { throw NotSignedIn() }
        #expect(try await store.confirm(ticket, by: again).session != nil)
    }

    @Test("A ticket is valid for ten minutes, and until the next one", arguments: TestDatabase.all)
    func lifetime(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let owner = try await store.signedIn()
        let first = try await store.asked(store.identity()).ticket
        let second = try await store.asked(store.identity()).ticket
        #expect(try await store.recover(first).refusal == .ticketUnknown)
        store.clock.advance(by: .seconds(600))
        #expect(try await store.confirm(second, by: owner).refusal == .ticketUnknown)
        #expect(try await store.recover(Secret("made up")).refusal == .ticketUnknown)
    }

    @Test(
        "D8: Recovery gives the owner a new account, and takes nothing but the address from the old one",
        arguments: TestDatabase.all)
    func recover(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let squatter = try await store.signedIn(metadata: ["evil": true, "first_name": "Evil"])
        let ticket = try await store.asked(store.identity()).ticket
        let session = try #require(try await store.recover(ticket).session)
        #expect(session.rule == .recoveredByProvider)
        #expect(session.user != squatter.account.user.id)
        let old = try #require(try await store.accounts.admin.account(squatter.account.user.id))
        #expect(old.user.email == nil && old.user.formerEmail == "ada@example.com" && old.user.passwordHash != nil)
        #expect(old.user.userMetadata.contains("evil"))
        #expect(try await store.refresh(squatter.refreshToken).issued?.account.user.id == old.user.id)
        let account = try #require(try await store.accounts.admin.account(session.user))
        #expect(account.user.email == "ada@example.com")
        #expect(account.user.passwordHash == nil)
        #expect(account.user.times.emailProvenAt == store.clock.now)
        #expect(!account.user.userMetadata.contains("evil"))
        #expect(account.identities.map(\.provider) == ["google"])
        for table in ["users", "sessions", "profiles"] { #expect(try await store.count(table) == 2) }
        #expect(try await store.recover(ticket).refusal == .ticketUnknown)
        let entries = try await store.log(4)
        #expect(
            entries == [
                "login recovered_by_provider", "user_signedup recovered_by_provider",
                "address_moved -", "account_recovered recovered_by_provider",
            ])
    }

    @Test(
        "D8: A user with their own identity keeps the account, without the address of another",
        arguments: TestDatabase.all)
    func recoverFromPerson(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let other = try await store.signedIn()
        _ = try #require(
            try await store.link(store.identity("google", "other", email: "grace@example.com"), to: other).session)
        let session = try #require(
            try await store.recover(try await store.asked(store.identity("apple")).ticket).session)
        let left = try #require(try await store.accounts.admin.account(other.account.user.id))
        #expect(left.user.email == "grace@example.com")
        #expect(left.user.passwordHash != nil)
        #expect(left.identities.map(\.provider) == ["google"])
        #expect(try await store.refresh(other.refreshToken).issued != nil)
        #expect(try await store.user(session.user).email == "ada@example.com")
        #expect(
            try await store.entered(store.identity("google", "other", email: "grace@example.com")).user == left.user.id)
    }

    @Test("A proven address cannot be recovered, only confirmed", arguments: TestDatabase.all)
    func notRecoverable(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let rules = ProviderRules(linking: .confirm)
        let owner = try #require(try await store.entered(store.identity()).issued)
        let question = try await store.asked(store.identity("apple"), rules: rules)
        #expect(question.rule == .policyConfirm)
        #expect(!question.canRecover)
        #expect(question.methods == ["google"])
        #expect(try await store.recover(question.ticket).refusal == .notRecoverable)
        #expect(try await store.confirm(question.ticket, by: owner).session != nil)
    }

    @Test(
        "D7: Manual linking adds an identity, reports its owner, and ends with the session",
        arguments: TestDatabase.all)
    func byHand(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let grace = try await store.signedIn("grace@example.com")
        let identity = store.identity(email: "ada@example.org", data: ["name": "Ada"])
        let session = try #require(try await store.link(identity, to: ada).session)
        #expect(session.rule == .linkedByHand)
        #expect(session.user == ada.account.user.id)
        let account = try #require(try await store.accounts.admin.account(session.user))
        #expect(account.user.email == "ada@example.com")
        #expect(account.user.times.emailProvenAt == nil)
        #expect(account.user.appMetadata == #"{"provider":"email","providers":["email","google"]}"#)
        #expect(!account.user.userMetadata.contains("example.org"))
        #expect(try await store.link(identity, to: ada).refusal == .alreadyLinked)
        #expect(try await store.link(identity, to: grace).refusal == .taken)
        try await store.accounts.signOut(
            grace.account.user.id, name: "", session: nil, scope: .global, at: store.clock.now)
        #expect(try await store.link(store.identity("apple", email: nil), to: grace).refusal == .notSignedIn)
    }

    @Test(
        "An anonymous account that links becomes permanent and gets the address unless it is taken",
        arguments: TestDatabase.all)
    func anonymous(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        func guest() async throws -> IssuedSession {
            try await store.accounts.signIns.signUpAnonymously(metadata: [:], from: store.device, at: store.clock.now)
        }
        let first = try await guest()
        _ = try await store.signUp(isConfirmed: false)
        let session = try #require(try await store.link(store.identity(), to: first).session)
        let user = try await store.user(session.user)
        #expect(session.user == first.account.user.id)
        #expect(user.email == "ada@example.com")
        #expect(user.times.emailProvenAt != nil)
        #expect(!user.isAnonymous)
        #expect(try await store.count("users") == 2)
        #expect(try await store.link(store.identity("apple"), to: try await guest()).refusal == .emailTaken)
    }
}
