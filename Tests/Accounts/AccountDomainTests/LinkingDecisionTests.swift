import AccountDomain
import Foundation
import GatehouseWire
import Testing

@Suite("Linking decision")
struct LinkingDecisionTests {
    @Test("D7, D8: Each row of the table gets its decision", arguments: LinkingTable.rows)
    func table(_ row: LinkingRow) {
        #expect(LinkingDecision(row.facts) == LinkingDecision(row.rule, row.action))
    }

    @Test("The table covers every rule of this decision")
    func everyRule() {
        #expect(Set(LinkingTable.rows.map(\.rule)) == Set(LinkingRule.allCases).subtracting(Self.decidedElsewhere))
    }

    /// Tested in the store.
    private static let decidedElsewhere: Set<LinkingRule> = [
        .unlinkedByOwner, .lastMethod, .addressConflict, .undoneByOwner, .undoTooLate, .consentRevoked,
        .providerAccountDeleted,
    ]

    @Test("Docs/reference/linking-rules.md has an entry for each rule, in order, and one of its tests covers it")
    func page() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "Docs/reference/linking-rules.md"), encoding: .utf8)
        let rules = page.split(separator: "\n").compactMap { line -> String? in
            guard line.hasPrefix("* `"), line.contains(" → ") else { return nil }
            return String(line.dropFirst(3).prefix { $0 != "`" })
        }
        #expect(rules == LinkingRule.allCases.map(\.rawValue))
        let folder = root.appending(path: "Tests/Accounts")
        let decided = try String(
            contentsOf: folder.appending(path: "AccountDomainTests/LinkingTable.swift"), encoding: .utf8)
        let stored = try ["UnlinkTests", "UndoTests", "NoticeTests"].map { name in
            try String(contentsOf: folder.appending(path: "AccountStoreTests/\(name).swift"), encoding: .utf8)
        }.joined()
        for rule in LinkingRule.allCases {
            let tests = Self.decidedElsewhere.contains(rule) ? stored : decided
            #expect(tests.contains(".\(rule)"), "No test mentions \(rule)")
        }
    }

    @Test(
        "D7: Only proven addresses, of no relay, no second factor and no administrator, are linked unasked"
    )
    func neverSilently() {
        for facts in Self.allSignIns() {
            let decision = LinkingDecision(facts)
            guard case .link(let user, _) = decision.action else { continue }
            #expect(decision.rule == .provenByBoth)
            #expect(facts.identity.isEmailVerified && !facts.identity.isPrivateRelay)
            #expect(facts.holders.filter { $0.claim == .proven }.map(\.user) == [user])
            #expect(facts.holders.allSatisfy { $0.user != user || !$0.hasSecondFactor && !$0.isAdministrator })
            #expect(facts.rules.linking == .automatic)
        }
    }

    @Test("D7: An unverified address is never compared, linked or taken over")
    func unverified() {
        for facts in Self.allSignIns() where !facts.identity.isEmailVerified && facts.owner == nil {
            switch LinkingDecision(facts).action {
            case .create(takesAddress: false), .refuse(.emailMissing), .refuse(.emailUnverified),
                .refuse(.signUpDisabled):
                break
            case let other: Issue.record("\(other) for \(facts)")
            }
        }
    }

    @Test("D8: Only an unproven address of an account in good standing can be recovered")
    func recovery() {
        for var facts in Self.allSignIns() {
            facts.intent = .recover
            guard case .replace(let user) = LinkingDecision(facts).action else { continue }
            let holder = facts.holders.first { $0.user == user }
            #expect(holder?.claim == .claimed)
            #expect(holder?.isBanned == false)
            #expect(facts.owner == nil && facts.identity.isEmailVerified)
            #expect(!facts.holders.contains { $0.claim == .proven })
        }
    }

    @Test("D7: A known identity opens its own account and no other")
    func known() {
        for facts in Self.allSignIns() {
            guard let owner = facts.owner else { continue }
            let expected: LinkingDecision.Action = owner.isBanned ? .refuse(.banned) : .signIn(owner.user)
            #expect(LinkingDecision(facts).action == expected)
        }
    }

    /// With up to two holders of the address.
    private static func allSignIns() -> [LinkingFacts] {
        let identities: [ProviderIdentity] = [
            .made(), .made(isVerified: false), .made(email: nil), .made("apple", isRelay: true),
        ]
        let owners: [LinkingFacts.Owner?] = [
            nil, .init(user: LinkingTable.ada), .init(user: LinkingTable.ada, isBanned: true),
        ]
        var all: [LinkingFacts] = []
        for identity in identities {
            for policy in LinkingPolicy.allCases {
                for address in AddressRequirement.allCases {
                    for allowsSignUp in [true, false] {
                        let rules = ProviderRules(linking: policy, address: address, allowsSignUp: allowsSignUp)
                        for owner in owners {
                            for holders in allHolders() {
                                all.append(
                                    LinkingFacts(identity: identity, rules: rules, owner: owner, holders: holders))
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    private static func allHolders() -> [[AddressHolder]] {
        var own: [AddressHolder] = []
        for claim in [AddressHolder.Claim.proven, .claimed, .abandoned] {
            for removal in [nil, LinkRemoval.unlinked, .undone] {
                for mark in 0..<5 {
                    own.append(
                        AddressHolder(
                            user: LinkingTable.ada, claim: claim, isBanned: mark == 1, hasOtherSubject: mark == 2,
                            hasSecondFactor: mark == 3, isAdministrator: mark == 4, removal: removal))
                }
            }
        }
        let besides = AddressHolder(user: LinkingTable.grace, claim: .proven, isOwn: false)
        return [[], [besides]] + own.map { [$0] } + own.map { [$0, besides] }
    }
}
