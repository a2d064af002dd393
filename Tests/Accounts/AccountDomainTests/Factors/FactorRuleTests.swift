import AccountDomain
import GatehouseWire
import Testing

@Suite("Rules of second factors")
struct FactorRuleTests {
    private let now = Instant(seconds: 1_770_000_000)

    @Test(
        "A second factor gives aal2, and a passkey only if its device verified the user",
        arguments: [
            (.password, false, .aal1), (.otp, false, .aal1), (.recovery, false, .aal1), (.totp, false, .aal2),
            (.webAuthnFactor, false, .aal2), (.recoveryCode, false, .aal2), (.phoneFactor, false, .aal2),
            (.passkey, false, .aal1), (.passkey, true, .aal2),
        ] as [(AuthenticationMethod, Bool, AssuranceLevel)])
    func levels(_ method: AuthenticationMethod, _ isUserVerified: Bool, _ level: AssuranceLevel) {
        var entries = AuthenticationEntries(AuthenticationMethod.password.entry(at: now))
        entries.add(method, isUserVerified: isUserVerified, at: now)
        #expect(entries.level == level)
        entries.remove(method)
        #expect(entries.level == .aal1)
    }

    @Test("A method has one entry, the newest comes first, and damaged entries give the lowest level")
    func entries() {
        var entries = AuthenticationEntries(AuthenticationMethod.password.entry(at: now))
        entries.add(.totp, at: now + .seconds(10))
        entries.add(.recoveryCode, at: now + .seconds(20))
        entries.add(.totp, at: now + .seconds(30))
        #expect(
            entries.text
                == #"[{"method":"totp","timestamp":1770000030},{"method":"mfa/recovery_code","timestamp":1770000020},"#
                + #"{"method":"password","timestamp":1770000000}]"#)
        #expect(entries.times == [30, 20, 0].map { now + .seconds($0) })
        let noProofs = #"[{"method":"token_refresh","timestamp":1},{"method":"anonymous","timestamp":1}]"#
        #expect(AuthenticationEntries(noProofs).times.isEmpty)
        for damaged in ["", "{}", "[1]", #"[{"method":5}]"#, #"["totp"]"#] {
            #expect(AuthenticationEntries(damaged).level == .aal1)
            #expect(AuthenticationEntries(damaged).times.isEmpty)
        }
    }

    @Test("A factor locks after its attempts; only guessing at digits locks it for ever longer, up to a day")
    func locks() {
        let rules = FactorRules()
        let codes = rules.lock(of: .totp)
        #expect([1, 9, 11, 19].allSatisfy { codes.end(after: $0, at: now) == nil })
        #expect(codes.end(after: 10, at: now) == now + .seconds(900))
        #expect(codes.end(after: 20, at: now) == now + .seconds(1_800))
        #expect(codes.end(after: 10_000, at: now) == now + .seconds(86_400))
        let recovery = rules.lock(of: .recoveryCodes)
        #expect([5, 10, 500].allSatisfy { recovery.end(after: $0, at: now) == now + .seconds(900) })
    }

    @Test("A lock that ends later than the rules allow began while a clock was wrong, and is over")
    func lockOfAnotherTime() {
        let rules = FactorRules()
        let (codes, recovery) = (rules.lock(of: .totp), rules.lock(of: .recoveryCodes))
        for (lock, failures, seconds) in [(codes, 10, 900), (codes, 29, 1_800), (recovery, 5, 900)] {
            // The node that began the lock may be a minute ahead.
            #expect(lock.isLocked(until: now + .seconds(seconds + 60), after: failures, at: now))
            #expect(!lock.isLocked(until: now + .seconds(seconds + 61), after: failures, at: now))
            #expect(!lock.isLocked(until: now, after: failures, at: now))
        }
        #expect(!codes.isLocked(until: nil, after: 10, at: now))
    }

    @Test("Recovery codes need another verified factor whose answers count")
    func alone() {
        let user = UserID(bytes: Array(repeating: 1, count: 16))
        func factor(_ kind: Factor.Kind, _ isVerified: Bool, _ byte: UInt8) -> Factor {
            Factor(
                id: FactorID(bytes: Array(repeating: byte, count: 16)), user: user, kind: kind, isVerified: isVerified,
                name: "", at: now)
        }
        let rules = FactorRules()
        let app = factor(.totp, true, 1)
        #expect(rules.leavesCodesAlone([factor(.recoveryCodes, true, 2), factor(.totp, false, 3)]))
        #expect(rules.leavesCodesAlone([factor(.webAuthn, true, 4)]))
        #expect(!rules.leavesCodesAlone([app]))
        #expect(rules.leavesCodesAlone([app], without: app.id))
    }

    @Test(
        "A token from before a second factor never gets its level",
        arguments: [(5, .outgrown), (15, .revoke)] as [(Int64, RefreshVerdict)])
    func outgrown(_ seconds: Int64, _ verdict: RefreshVerdict) {
        let session = raised(counter: 6)
        // A token from right before stays below the level until a later one is used.
        for (counter, next) in [(4, 5), (3, 4)] as [(Int64, Int64)] {
            #expect(self.verdict(counter, session, after: seconds) == .lowered)
            #expect(session.counterBelow(counter) == next)
            #expect(self.verdict(counter, session, after: seconds, wasUsed: true) == verdict)
            #expect(self.verdict(counter, raised(counter: 7), after: seconds) == verdict)
        }
        for counter: Int64 in [0, 2, 5] { #expect(self.verdict(counter, session, after: seconds) == verdict) }
        #expect(self.verdict(6, session, after: seconds) == .rotate)
    }

    @Test(
        "A session that continued below its level takes the token of the level for a repeated one, unless it is strict")
    func lowered() {
        var session = raised(counter: 6)
        (session.counter, session.authenticationMethods, session.assuranceLevel) = (5, "[]", .aal1)
        #expect(session.isLowered)
        #expect(verdict(5, session, after: 15) == .rotate && verdict(4, session, after: 15) == .reissueLate)
        #expect(verdict(6, session, after: 5) == .reissue && verdict(6, session, after: 15) == .reissueLate)
        #expect(verdict(7, session, after: 15) == .ahead)
        #expect(verdict(6, session, after: 15, policy: SessionPolicy(isStrict: true)) == .ahead)
        // Its own next response may be lost as well.
        session.counter = 6
        #expect(verdict(5, session, after: 15) == .reissueLate && verdict(6, session, after: 15) == .rotate)
    }

    private func raised(counter: Int64) -> Session {
        var session = Session(
            id: SessionID(bytes: Array(repeating: 1, count: 16)), user: UserID(bytes: Array(repeating: 2, count: 16)),
            createdAt: now, refreshedAt: now, counter: counter, assuranceLevel: .aal2, authenticationMethods: "[]")
        session.levelCounter = 6
        return session
    }

    private func verdict(
        _ counter: Int64, _ session: Session, after seconds: Int64, policy: SessionPolicy = SessionPolicy(),
        wasUsed: Bool = false
    ) -> RefreshVerdict {
        RefreshVerdict(
            counter: counter, session: session, policy: policy, now: now + .seconds(seconds), successorWasUsed: wasUsed)
    }

    @Test("A session without the user's second factor ends after the limit for such sessions")
    func lowLevel() {
        var user = User(
            id: UserID(bytes: Array(repeating: 2, count: 16)), audience: "", role: "", times: UserTimes(createdAt: now))
        var session = Session(
            id: SessionID(bytes: Array(repeating: 1, count: 16)), user: user.id, createdAt: now,
            authenticationMethods: AuthenticationMethod.password.entry(at: now))
        let policy = SessionPolicy(lowLevel: .seconds(60))
        #expect(policy.lowEnd(of: session, of: user) == nil)
        user.hasSecondFactor = true
        #expect(policy.lowEnd(of: session, of: user) == now + .seconds(60))
        #expect(SessionPolicy().lowEnd(of: session, of: user) == nil)
        session.entries.add(.totp, at: now)
        #expect(policy.lowEnd(of: session, of: user) == nil)
    }

    @Test("Every sensitive change needs the level, and a recent proof from those who have something to lose")
    func sensitive() {
        var user = User(
            id: UserID(bytes: Array(repeating: 2, count: 16)), audience: "", role: "", times: UserTimes(createdAt: now))
        var session = Session(
            id: SessionID(bytes: Array(repeating: 1, count: 16)), user: user.id, createdAt: now,
            authenticationMethods: AuthenticationMethod.password.entry(at: now))
        let (policy, later) = (SessionPolicy(freshSignIn: .seconds(600)), now + .seconds(601))
        #expect(SensitiveChange.allCases.filter { !$0.needsLevel } == [.handOver])
        let free = SensitiveChange.allCases.filter { !policy.needsProof($0, by: user, in: session, at: later) }
        #expect(free == [.removeFactor, .replaceRecoveryCodes, .removePasskey])
        user.hasSecondFactor = true
        #expect(SensitiveChange.allCases.allSatisfy { policy.needsProof($0, by: user, in: session, at: later) })
        session.entries.add(.totp, at: later)
        #expect(!SensitiveChange.allCases.contains { policy.needsProof($0, by: user, in: session, at: later) })
        #expect(!SensitiveChange.allCases.contains { SessionPolicy().needsProof($0, by: user, in: nil, at: later) })
    }

    @Test("A proof that was given while the clock was ahead is not fresh; another one in the session is")
    func proofOfAnotherTime() {
        let user = User(
            id: UserID(bytes: Array(repeating: 2, count: 16)), audience: "", role: "", times: UserTimes(createdAt: now))
        let policy = SessionPolicy(freshSignIn: .seconds(600))
        func session(ahead seconds: Int64) -> Session {
            let time = now + .seconds(seconds)
            return Session(
                id: SessionID(bytes: Array(repeating: 1, count: 16)), user: user.id, createdAt: time,
                authenticationMethods: AuthenticationMethod.password.entry(at: time))
        }
        // The storing node may be a minute ahead.
        #expect(policy.isFresh(session(ahead: 60), of: user, at: now))
        #expect(policy.isFresh(now + .seconds(60), at: now) && !policy.isFresh(now + .seconds(61), at: now))
        #expect(!policy.isFresh(session(ahead: 61), of: user, at: now))
        var early = session(ahead: 30 * 86_400)
        #expect(!policy.isFresh(early, of: user, at: now))
        #expect(SessionPolicy().isFresh(early, of: user, at: now))
        early.entries.add(.totp, at: now)
        #expect(policy.isFresh(early, of: user, at: now + .seconds(599)))
        #expect(!policy.isFresh(early, of: user, at: now + .seconds(600)))
    }

    @Test(
        "A recovery code counts without separators and case; its set differs in the first letters",
        arguments: ["abcd-efgh ijkl\tmnop", "ABCDEFGH-IJKLMNOP", "  abcdefghijklmnop\u{00A0}--"])
    func recoveryCodes(_ typed: String) throws {
        let code = try #require(RecoveryCode(typed: Secret(typed)))
        #expect(code.text.matches(Secret("abcdefghijklmnop")) && code.selector == "ab")
        #expect(RecoveryCode(typed: Secret(" - -\n")) == nil)
        let marked = RecoveryCode(typed: Secret("\u{2066}ab-cd\u{2069}"))
        #expect(marked?.text.reveal() == "abcd")
        #expect(
            RecoveryCode(typed: Secret("\u{0}b"))?.selector == "" && RecoveryCode(typed: Secret("ä"))?.selector == "")
        var next: UInt8 = 0
        // The first draws of each code are alike.
        let set = RecoveryCode.set(RecoveryCodeRules()) { count in
            defer { next += 1 }
            return Array(repeating: next / 2, count: count)
        }
        #expect(set.count == 10 && Set(set.map(\.selector)).count == 10)
        #expect(set.allSatisfy { $0.text.utf8Count == 16 })
    }
}
