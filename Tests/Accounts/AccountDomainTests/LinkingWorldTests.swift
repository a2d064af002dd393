import AccountDomain
import Testing

@Suite("Linking, in random sequences")
struct LinkingWorldTests {
    @Test("D7, D8: No user ever enters an account of another, and no user loses the last sign-in method")
    func sequences() throws {
        var rules: Set<LinkingRule> = []
        for seed in 1...1_500 as ClosedRange<UInt64> {
            var world = LinkingWorld(seed: seed)
            for _ in 0..<40 {
                let before = world.accounts
                try world.step()
                if let broken = Self.broken(world, before: before) {
                    Issue.record("seed \(seed): \(broken)\n\(world.history.joined(separator: "\n"))")
                    return
                }
            }
            rules.formUnion(world.rulesSeen)
        }
        // A world in which a rule never applies proves nothing about it. This one has no bans, and every provider
        // accepts every user.
        let absent: Set<LinkingRule> = [
            .accountBanned, .addressRequired, .unlinkedByOwner, .lastMethod, .addressConflict, .undoneByOwner,
            .undoTooLate, .consentRevoked, .providerAccountDeleted, .administrator,
        ]
        #expect(Set(LinkingRule.allCases).subtracting(rules) == absent)
    }

    private static func broken(_ world: LinkingWorld, before: [UserID: Account]) -> String? {
        for (user, people) in world.entered where people.count > 1 {
            return "\(user.text) was entered by \(people.sorted())"
        }
        for account in world.accounts.values {
            guard let person = world.entered[account.user.id]?.first else { continue }
            if world.ways(of: person, into: account) == 0 { return "\(person) cannot get into \(account.user.id.text)" }
            let times = account.user.times
            if times.emailProvenAt != nil, times.emailConfirmedAt == nil || account.user.email == nil {
                return "\(account.user.id.text) has a proven address that is not confirmed"
            }
        }
        let emails = world.accounts.values.compactMap(\.user.email)
        if Set(emails).count != emails.count { return "two accounts have one address" }
        for user in before.keys where world.accounts[user] == nil && !world.ended.contains(user) {
            return "\(user.text) is gone"
        }
        return nil
    }
}
