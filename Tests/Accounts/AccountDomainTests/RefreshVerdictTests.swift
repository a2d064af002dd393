import AccountDomain
import GatehouseWire
import Testing

@Suite("Refresh verdict")
struct RefreshVerdictTests {
    private static let second: Int64 = 1_000_000

    /// Created at 0; `refreshedAt` is in microseconds.
    private func verdict(
        presented: Int64, current: Int64, refreshedAt: Int64?, at now: Int64, policy: SessionPolicy = SessionPolicy(),
        successorWasUsed: Bool = false
    ) -> RefreshVerdict {
        let session = Session(
            id: SessionID(bytes: Array(repeating: 1, count: 16)), user: UserID(bytes: Array(repeating: 2, count: 16)),
            createdAt: Instant(seconds: 0), refreshedAt: refreshedAt.map { Instant(microseconds: $0) },
            counter: current, authenticationMethods: "[]")
        return RefreshVerdict(
            counter: presented, session: session, policy: policy, now: Instant(microseconds: now),
            successorWasUsed: successorWasUsed)
    }

    @Test(
        "A token rotates, is repeated or ends the session, depending on its distance and the time (D5, D6)",
        arguments: [
            // The current one, at any time.
            (0, 0, nil, 0, .rotate), (0, 0, nil, 100 * second, .rotate), (5, 5, 0, 0, .rotate),
            (5, 5, 0, 86_400 * second, .rotate), (.max, .max, 0, 1, .rotate),
            // One behind: the successor was never used; late repeats are recorded.
            (0, 1, 0, 0, .reissue), (0, 1, 0, 10 * second, .reissue), (0, 1, 0, 10 * second + 1, .reissueLate),
            (4, 5, 0, 29 * 86_400 * second, .reissueLate), (0, 1, nil, 5, .reissueLate),
            // Two or more behind: only within the interval, including its last microsecond.
            (0, 2, 0, 0, .reissue), (0, 2, 0, 10 * second - 1, .reissue), (0, 2, 0, 10 * second, .reissue),
            (0, 2, 0, 10 * second + 1, .revoke), (0, 2, 5 * second, 15 * second, .reissue),
            (0, 2, 5 * second, 15 * second + 1, .revoke), (0, 100, 0, 10 * second, .reissue),
            (0, 100, 0, 10 * second + 1, .revoke), (0, .max, 0, 86_400 * second, .revoke),
            (0, 2, nil, 0, .revoke), (0, 2, nil, 1, .revoke),
            // From a clock that was ahead by more than two nodes differ: not recent.
            (0, 2, 60 * second, 0, .reissue), (0, 2, 60 * second + 1, 0, .revoke),
            (0, 1, 60 * second + 1, 0, .reissueLate), (2, 2, 60 * second + 1, 0, .rotate),
            // Ahead: never issued.
            (1, 0, nil, 0, .ahead), (6, 5, 0, 0, .ahead), (.max, 0, 0, 0, .ahead),
        ] as [(Int64, Int64, Int64?, Int64, RefreshVerdict)])
    func counters(
        _ presented: Int64, _ current: Int64, _ refreshedAt: Int64?, _ now: Int64, _ expected: RefreshVerdict
    ) {
        #expect(verdict(presented: presented, current: current, refreshedAt: refreshedAt, at: now) == expected)
    }

    @Test(
        "A strict policy ends the session when a parent comes late and the successor's access token was used",
        arguments: [
            (0, 1, 10 * second, true, .reissue), (0, 1, 10 * second + 1, true, .revoke),
            (0, 1, 10 * second + 1, false, .reissueLate), (1, 1, 10 * second + 1, true, .rotate),
            (0, 2, 10 * second, true, .reissue), (0, 2, 10 * second + 1, false, .revoke),
        ] as [(Int64, Int64, Int64, Bool, RefreshVerdict)])
    func strict(_ presented: Int64, _ current: Int64, _ now: Int64, _ wasUsed: Bool, _ expected: RefreshVerdict) {
        let found = verdict(
            presented: presented, current: current, refreshedAt: 0, at: now, policy: SessionPolicy(isStrict: true),
            successorWasUsed: wasUsed)
        #expect(found == expected)
    }

    @Test(
        "The policy sets the reuse interval (D6)",
        arguments: [
            (.zero, 0, .reissue), (.zero, 1, .revoke), (.seconds(30), 30 * second, .reissue),
            (.seconds(30), 30 * second + 1, .revoke),
        ] as [(Duration, Int64, RefreshVerdict)])
    func reuseInterval(_ interval: Duration, _ now: Int64, _ expected: RefreshVerdict) {
        let policy = SessionPolicy(reuseInterval: interval)
        #expect(verdict(presented: 0, current: 2, refreshedAt: 0, at: now, policy: policy) == expected)
    }

    @Test(
        "An unused session ends after the inactivity timeout, counted from its last refresh (D5)",
        arguments: [
            (nil, 30 * 86_400 * second, .rotate), (nil, 30 * 86_400 * second + 1, .expired),
            (86_400 * second, 31 * 86_400 * second, .rotate), (86_400 * second, 31 * 86_400 * second + 1, .expired),
        ] as [(Int64?, Int64, RefreshVerdict)])
    func inactivity(_ refreshedAt: Int64?, _ now: Int64, _ expected: RefreshVerdict) {
        #expect(verdict(presented: 3, current: 3, refreshedAt: refreshedAt, at: now) == expected)
    }

    @Test(
        "A timebox ends a session, however often it is used",
        arguments: [
            (nil, 3_600 * second, .rotate), (nil, 3_600 * second + 1, .expired),
            (3_600 * second, 3_600 * second, .rotate), (3_600 * second, 3_600 * second + 1, .expired),
        ] as [(Int64?, Int64, RefreshVerdict)])
    func timebox(_ refreshedAt: Int64?, _ now: Int64, _ expected: RefreshVerdict) {
        let policy = SessionPolicy(timebox: .seconds(3_600))
        #expect(verdict(presented: 3, current: 3, refreshedAt: refreshedAt, at: now, policy: policy) == expected)
    }

    @Test("An ended session is expired whatever the token, so age alone never looks like theft")
    func expiredComesFirst() {
        let policy = SessionPolicy(inactivity: .seconds(60))
        for presented: Int64 in [0, 4, 5, 6] {
            #expect(
                verdict(presented: presented, current: 5, refreshedAt: 0, at: 61 * Self.second, policy: policy)
                    == .expired)
        }
    }

    @Test("A policy without limits never ends a session")
    func noLimits() {
        let policy = SessionPolicy(timebox: nil, inactivity: nil)
        let century = 100 * 365 * 86_400 * Self.second
        #expect(verdict(presented: 1, current: 1, refreshedAt: nil, at: century, policy: policy) == .rotate)
    }

    @Test("The defaults are the required ones: 30 days, 10 seconds, revocation on reuse (D5, D6)")
    func defaults() {
        let policy = SessionPolicy()
        #expect(policy.inactivity == .seconds(30 * 86_400))
        #expect(policy.reuseInterval == .seconds(10))
        #expect(policy.timebox == nil)
        #expect(policy.revokesOnReuse)
    }
}
