import AccountDomain
import GatehouseWire
import Testing

/// A row of `Docs/reference/linking-rules.md`.
struct LinkingRow: Sendable, CustomTestStringConvertible {
    let rule: LinkingRule
    let facts: LinkingFacts
    let action: LinkingDecision.Action
    let about: String

    init(_ rule: LinkingRule, _ about: String, _ facts: LinkingFacts, _ action: LinkingDecision.Action) {
        self.rule = rule
        self.facts = facts
        self.action = action
        self.about = about
    }

    var testDescription: String { "\(rule.rawValue): \(about)" }
}

extension ProviderIdentity {
    static func made(
        _ provider: String = "google", _ subject: String = "1", email: String? = "ada@example.com",
        isVerified: Bool = true, isRelay: Bool = false, data: AuthJSONObject = [:],
        profile: ProfileFill = ProfileFill()
    ) -> ProviderIdentity {
        var members = data
        members["sub"] = .string(subject)
        members["email"] = email.map(AuthJSON.string)
        members["email_verified"] = .bool(isVerified)
        return ProviderIdentity(
            provider: provider, subject: subject, email: email, isEmailVerified: isVerified, isPrivateRelay: isRelay,
            data: members, profile: profile)!
    }
}

enum LinkingTable {
    static let ada = UserID(trusted: "00000000-0000-4000-8000-00000000000a")
    static let grace = UserID(trusted: "00000000-0000-4000-8000-00000000000b")
    private static let verified = ProviderIdentity.made()
    private static let unverified = ProviderIdentity.made(isVerified: false)
    private static let relay = ProviderIdentity.made("apple", isRelay: true)
    private static let nameless = ProviderIdentity.made(email: nil)

    private static func facts(
        _ identity: ProviderIdentity = verified, _ intent: LinkingFacts.Intent = .signIn,
        policy: LinkingPolicy = .automatic, address: AddressRequirement = .none, allowsSignUp: Bool = true,
        owner: LinkingFacts.Owner? = nil, holders: [AddressHolder] = [], formerOwner: LinkingFacts.Owner? = nil,
        askersEmail: String? = nil
    ) -> LinkingFacts {
        LinkingFacts(
            identity: identity, intent: intent,
            rules: ProviderRules(linking: policy, address: address, allowsSignUp: allowsSignUp), owner: owner,
            holders: holders, formerOwner: formerOwner, askersEmail: askersEmail)
    }

    private static func holder(
        _ claim: AddressHolder.Claim, _ user: UserID = ada, isOwn: Bool = true, isBanned: Bool = false,
        hasOtherSubject: Bool = false, hasSecondFactor: Bool = false, isAdministrator: Bool = false,
        removal: LinkRemoval? = nil
    ) -> AddressHolder {
        AddressHolder(
            user: user, claim: claim, isOwn: isOwn, isBanned: isBanned, hasOtherSubject: hasOtherSubject,
            hasSecondFactor: hasSecondFactor, isAdministrator: isAdministrator, removal: removal)
    }

    static let rows = signIn + creation + joining + byHand + tickets

    private static let signIn: [LinkingRow] = [
        LinkingRow(.knownIdentity, "its account", facts(owner: .init(user: ada)), .signIn(ada)),
        LinkingRow(
            .knownIdentity, "whoever has the address now",
            facts(owner: .init(user: ada), holders: [holder(.proven, grace)]),
            .signIn(ada)),
        LinkingRow(
            .knownIdentity, "without an address, with sign-up off",
            facts(nameless, address: .verified, allowsSignUp: false, owner: .init(user: ada)), .signIn(ada)),
        LinkingRow(
            .accountBanned, "its account", facts(owner: .init(user: ada, isBanned: true)), .refuse(.banned)),
        LinkingRow(.accountBanned, "by address", facts(holders: [holder(.proven, isBanned: true)]), .refuse(.banned)),
        LinkingRow(.accountBanned, "not proven", facts(holders: [holder(.claimed, isBanned: true)]), .refuse(.banned)),
        LinkingRow(
            .accountBanned, "an unfinished sign-up", facts(holders: [holder(.abandoned, isBanned: true)]),
            .refuse(.banned)),
        LinkingRow(.unconfirmedSignUp, "nobody finished it", facts(holders: [holder(.abandoned)]), .takeOver(ada)),
        LinkingRow(
            .unconfirmedSignUp, "whatever the settings, for an invitation is one too",
            facts(policy: .never, allowsSignUp: false, holders: [holder(.abandoned)]), .takeOver(ada)),
        LinkingRow(.unconfirmedSignUp, "a relay address", facts(relay, holders: [holder(.abandoned)]), .takeOver(ada)),
    ]

    private static let creation: [LinkingRow] = [
        LinkingRow(.noAddress, "none given", facts(nameless), .create(takesAddress: false)),
        LinkingRow(.unverifiedAddress, "nobody has it", facts(unverified), .create(takesAddress: false)),
        LinkingRow(
            .unverifiedAddress, "somebody has it", facts(unverified, holders: [holder(.proven)]),
            .create(takesAddress: false)),
        LinkingRow(
            .unverifiedAddress, "of somebody's unfinished sign-up", facts(unverified, holders: [holder(.abandoned)]),
            .create(takesAddress: false)),
        LinkingRow(.newAddress, "nobody has it", facts(), .create(takesAddress: true)),
        LinkingRow(.newAddress, "the policy is never", facts(policy: .never), .create(takesAddress: true)),
        LinkingRow(.relayAddress, "nobody has it", facts(relay), .create(takesAddress: true)),
        LinkingRow(
            .relayAddress, "somebody has it", facts(relay, holders: [holder(.proven)]), .create(takesAddress: false)),
        LinkingRow(
            .relayAddress, "somebody claims it", facts(relay, holders: [holder(.claimed)]), .create(takesAddress: false)
        ),
        LinkingRow(
            .signUpDisabled, "nobody has the address", facts(allowsSignUp: false), .refuse(.signUpDisabled)),
        LinkingRow(
            .signUpDisabled, "a relay address", facts(relay, allowsSignUp: false), .refuse(.signUpDisabled)),
        LinkingRow(.addressRequired, "none given", facts(nameless, address: .present), .refuse(.emailMissing)),
        LinkingRow(
            .addressRequired, "none given, a verified one asked for", facts(nameless, address: .verified),
            .refuse(.emailMissing)),
        LinkingRow(
            .addressRequired, "not verified", facts(unverified, address: .verified), .refuse(.emailUnverified)),
        LinkingRow(
            .unverifiedAddress, "some address is enough", facts(unverified, address: .present),
            .create(takesAddress: false)),
        LinkingRow(
            .policyNever, "proven", facts(policy: .never, holders: [holder(.proven)]), .create(takesAddress: false)),
        LinkingRow(
            .policyNever, "not proven", facts(policy: .never, holders: [holder(.claimed)]), .create(takesAddress: false)
        ),
        LinkingRow(
            .undoneBefore, "proven", facts(holders: [holder(.proven, removal: .undone)]), .create(takesAddress: false)),
        LinkingRow(
            .undoneBefore, "no longer proven", facts(holders: [holder(.claimed, removal: .undone)]),
            .create(takesAddress: false)),
    ]

    private static let joining: [LinkingRow] = [
        LinkingRow(.provenByBoth, "its own address", facts(holders: [holder(.proven)]), .link(ada, .proves)),
        LinkingRow(
            .provenByBoth, "the address of one of its identities", facts(holders: [holder(.proven, isOwn: false)]),
            .link(ada, .keeps)),
        LinkingRow(
            .provenByBoth, "whoever claims it besides",
            facts(holders: [holder(.claimed, grace), holder(.proven, isOwn: false)]), .link(ada, .keeps)),
        LinkingRow(
            .unprovenAddress, "confirmed, not proven", facts(holders: [holder(.claimed)]), .ask(ada, canRecover: true)),
        LinkingRow(
            .unprovenAddress, "with confirm", facts(policy: .confirm, holders: [holder(.claimed)]),
            .ask(ada, canRecover: true)),
        LinkingRow(
            .policyConfirm, "proven by both", facts(policy: .confirm, holders: [holder(.proven)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .severalAccounts, "two have proven it",
            facts(holders: [holder(.proven), holder(.proven, grace, isOwn: false)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .unlinkedBefore, "by its owner", facts(holders: [holder(.proven, removal: .unlinked)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .unlinkedBefore, "by the first proof of an account's address", facts(formerOwner: .init(user: ada)),
            .ask(ada, canRecover: true)),
        LinkingRow(
            .unlinkedBefore, "also where sign-up is off", facts(allowsSignUp: false, formerOwner: .init(user: ada)),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .accountBanned, "a former account", facts(formerOwner: .init(user: ada, isBanned: true)), .refuse(.banned)),
        LinkingRow(
            .provenByBoth, "another account has the address",
            facts(holders: [holder(.proven, grace)], formerOwner: .init(user: ada)), .link(grace, .proves)),
        LinkingRow(
            .confirmedByOwner, "of the account that had the identity",
            facts(verified, .confirm(ada), formerOwner: .init(user: ada)), .link(ada, .keeps)),
        LinkingRow(
            .ticketForAnother, "of another account", facts(verified, .confirm(grace), formerOwner: .init(user: ada)),
            .refuse(.otherAccount)),
        LinkingRow(
            .otherSubject, "the provider has two people", facts(holders: [holder(.proven, hasOtherSubject: true)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .secondFactor, "its own address", facts(holders: [holder(.proven, hasSecondFactor: true)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .secondFactor, "the address of one of its identities",
            facts(holders: [holder(.proven, isOwn: false, hasSecondFactor: true)]), .ask(ada, canRecover: false)),
        LinkingRow(
            .administrator, "its own address", facts(holders: [holder(.proven, isAdministrator: true)]),
            .ask(ada, canRecover: false)),
        LinkingRow(
            .administrator, "an unfinished sign-up", facts(holders: [holder(.abandoned, isAdministrator: true)]),
            .create(takesAddress: false)),
        LinkingRow(
            .provenByBoth, "the second factor of an account that claims it besides",
            facts(holders: [holder(.claimed, grace, hasSecondFactor: true), holder(.proven, isOwn: false)]),
            .link(ada, .keeps)),
    ]

    private static let byHand: [LinkingRow] = [
        LinkingRow(
            .alreadyLinked, "to this account", facts(verified, .link(ada), owner: .init(user: ada)),
            .refuse(.alreadyLinked)),
        LinkingRow(
            .linkedElsewhere, "to another", facts(verified, .link(ada), owner: .init(user: grace)), .refuse(.taken)),
        LinkingRow(
            .linkedByHand, "the account's address", facts(verified, .link(ada), askersEmail: "ada@example.com"),
            .link(ada, .proves)),
        LinkingRow(
            .linkedByHand, "another address", facts(verified, .link(ada), askersEmail: "grace@example.com"),
            .link(ada, .keeps)),
        LinkingRow(
            .linkedByHand, "another address, which somebody else has",
            facts(verified, .link(ada), holders: [holder(.proven, grace)], askersEmail: "ada@example.org"),
            .link(ada, .keeps)),
        LinkingRow(
            .linkedByHand, "an address nobody vouches for",
            facts(unverified, .link(ada), askersEmail: "ada@example.com"), .link(ada, .keeps)),
        LinkingRow(.linkedByHand, "the account had no address", facts(verified, .link(ada)), .link(ada, .takes)),
        LinkingRow(
            .linkedByHand, "the account had none, an unfinished sign-up has it",
            facts(verified, .link(ada), holders: [holder(.abandoned, grace)]), .link(ada, .takesFrom(grace))),
        LinkingRow(
            .linkedByHand, "after it was undone",
            facts(verified, .link(ada), holders: [holder(.proven, removal: .undone)], askersEmail: "ada@example.com"),
            .link(ada, .proves)),
        LinkingRow(
            .addressInUse, "the account had none, somebody has it",
            facts(verified, .link(ada), holders: [holder(.claimed, grace)]), .refuse(.emailTaken)),
    ]

    private static let tickets: [LinkingRow] = [
        LinkingRow(
            .confirmedByOwner, "not proven before", facts(verified, .confirm(ada), holders: [holder(.claimed)]),
            .link(ada, .proves)),
        LinkingRow(
            .confirmedByOwner, "with confirm",
            facts(verified, .confirm(ada), policy: .confirm, holders: [holder(.proven)]),
            .link(ada, .proves)),
        LinkingRow(
            .confirmedByOwner, "with a second factor",
            facts(verified, .confirm(ada), holders: [holder(.proven, hasSecondFactor: true)]), .link(ada, .proves)),
        LinkingRow(
            .recoveryRefused, "with a second factor",
            facts(verified, .recover, holders: [holder(.proven, hasSecondFactor: true)]), .refuse(.notRecoverable)),
        LinkingRow(
            .confirmedByOwner, "one of several",
            facts(verified, .confirm(grace), holders: [holder(.proven), holder(.proven, grace, isOwn: false)]),
            .link(grace, .keeps)),
        LinkingRow(
            .knownIdentity, "linked meanwhile", facts(verified, .confirm(ada), owner: .init(user: ada)),
            .signIn(ada)),
        LinkingRow(
            .linkedElsewhere, "meanwhile", facts(verified, .confirm(ada), owner: .init(user: grace)),
            .refuse(.taken)),
        LinkingRow(
            .ticketForAnother, "signed in to another account",
            facts(verified, .confirm(grace), holders: [holder(.claimed)]),
            .refuse(.otherAccount)),
        LinkingRow(
            .ticketOutdated, "nobody has the address now", facts(verified, .confirm(ada)), .refuse(.outdated)),
        LinkingRow(
            .recoveredByProvider, "never proven", facts(verified, .recover, holders: [holder(.claimed)]), .replace(ada)),
        LinkingRow(
            .recoveredByProvider, "with sign-up off",
            facts(verified, .recover, allowsSignUp: false, holders: [holder(.claimed)]),
            .replace(ada)),
        LinkingRow(
            .recoveryRefused, "proven", facts(verified, .recover, policy: .confirm, holders: [holder(.proven)]),
            .refuse(.notRecoverable)),
        LinkingRow(
            .newAddress, "nobody has it now", facts(verified, .recover), .create(takesAddress: true)),
        LinkingRow(
            .accountBanned, "nothing is recovered from",
            facts(verified, .recover, holders: [holder(.claimed, isBanned: true)]),
            .refuse(.banned)),
    ]
}
