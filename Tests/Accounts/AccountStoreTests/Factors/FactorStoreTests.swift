import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Stored second factors")
struct FactorStoreTests {
    @Test("A right code raises its session, verifies the factor and ends lower sessions", arguments: TestDatabase.all)
    func raising(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let second = try await store.signedInAgain(first.account.user.id)
        let factor = try await store.enrolled(first)
        let other = try await store.enrolled(first, named: "another app")
        #expect(try await store.current(first)?.account.user.hasSecondFactor == false)
        let raised = try await store.raised(first, by: factor)
        #expect(raised.session.assuranceLevel == .aal2 && raised.session.factor == factor.id)
        #expect(raised.account.user.hasSecondFactor)
        let now = try #require(try await store.current(first))
        #expect(now.session?.assuranceLevel == .aal2 && now.session?.entries.level == .aal2)
        #expect(now.account.user.factors == raised.account.user.factors && !now.isTooLow)
        #expect(try await store.accounts.factors.all(of: factor.user).map(\.id) == [factor.id])
        #expect(try await store.accounts.factors.factor(other.id, of: factor.user) == nil)
        #expect(try await store.current(second)?.session == nil)
        let reason = try await store.accounts.sessions.endReason(of: second.session.id, of: factor.user)
        #expect(reason == .levelRaised)
        let third = try await store.signedInAgain(factor.user)
        #expect(try await store.current(third)?.isTooLow == true)
    }

    @Test("A code counts once, a challenge once, and neither after a later one", arguments: TestDatabase.all)
    func replay(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        let (one, two) = (
            try await store.challenged(factor, in: issued), try await store.challenged(factor, in: issued)
        )
        guard case .raised(let raised) = try await store.verify(store.answer(factor, one), in: issued) else {
            throw NotSignedIn()
        }
        for (challenge, steps) in [(two, 0), (two, -1)] as [(ChallengeID, Int64)] {
            let again = try await store.verify(store.answer(factor, challenge, steps: steps), in: raised)
            guard case .wrong = again else { throw NotEnrolled(outcome: "\(again)") }
        }
        let used = try await store.verify(store.answer(factor, one, steps: 1), in: raised)
        guard case .challengeUsed = used else { throw NotEnrolled(outcome: "\(used)") }
        guard case .raised = try await store.verify(store.answer(factor, two, steps: 1), in: raised) else {
            throw NotSignedIn()
        }
    }

    @Test("Names differ by their bytes, also where Unicode calls them equivalent", arguments: TestDatabase.all)
    func names(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let one = try await store.enrolled(issued, named: "caf\u{E9}")
        let other = try await store.enrolled(issued, named: "cafe\u{301}")
        #expect(one.id != other.id)
    }

    @Test("Of many answers at once, one counts", arguments: TestDatabase.all)
    func atOnce(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        var challenges: [ChallengeID] = []
        for _ in 0..<4 { challenges.append(try await store.challenged(factor, in: issued)) }
        let outcomes = try await withThrowingTaskGroup(of: FactorOutcome.self) { group in
            for challenge in challenges + challenges {
                group.addTask { try await store.verify(store.answer(factor, challenge), in: issued) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { if case .raised = $0 { true } else { false } } == 1)
    }

    @Test("A low session raises nothing with a factor that was never verified", arguments: TestDatabase.all)
    func neverVerified(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let raised = try await store.raised(issued, by: try await store.enrolled(issued))
        let second = try await store.enrolled(raised, named: "second")
        let answer = store.answer(second, try await store.challenged(second, in: raised))
        let low = try await store.signedInAgain(issued.account.user.id)
        guard case .tooLow = try await store.verify(answer, in: low) else { throw NotSignedIn() }
        #expect(try await store.current(low)?.session?.assuranceLevel == .aal1)
        guard case .raised = try await store.verify(answer, in: raised) else { throw NotSignedIn() }
    }

    @Test("The transaction refuses a stale session the first answer of a factor", arguments: TestDatabase.all)
    func stale(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, policy: SessionPolicy(freshSignIn: .seconds(60)))
        let issued = try await store.signedIn()
        let factor = try await store.enrolled(issued)
        let challenge = try await store.challenged(factor, in: issued)
        store.clock.advance(by: .seconds(60))
        guard case .stale = try await store.verify(store.answer(factor, challenge), in: issued) else {
            throw NotSignedIn()
        }
        let key = SecurityKeyProof.signed(by: factor.id, signCount: 1, isBackupEligible: false, isBackedUp: false)
        let outcome = try await store.accounts.factors.verify(
            key, answering: challenge, to: factor.id, of: factor.user, in: issued.session.id, from: store.device,
            at: store.clock.now)
        guard case .stale = outcome else { throw NotSignedIn() }
        #expect(try await store.current(issued)?.session?.assuranceLevel == .aal1)
        let fresh = try await store.signedInAgain(factor.user)
        guard case .raised = try await store.verify(store.answer(factor, challenge), in: fresh) else {
            throw NotSignedIn()
        }
    }

    @Test(
        "A refresh token from before the code continues at its own level until a later token is used",
        arguments: TestDatabase.all)
    func oldToken(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        _ = try await store.raised(issued, by: factor)
        let low = try await store.refresh(issued.refreshToken)
        #expect(low.verdict == .lowered && low.issued?.session.assuranceLevel == .aal1)
        let raised = try await store.raised(try #require(low.issued), by: factor)
        let refreshed = try #require(try await store.refresh(raised.refreshToken).issued)
        #expect(refreshed.session.assuranceLevel == .aal2)
        store.clock.advance(by: .seconds(11))
        guard case .reused = try await store.refresh(issued.refreshToken) else { throw NotSignedIn() }
        #expect(try await store.current(raised)?.session == nil)
    }

    @Test("A second code in the session renews its time and keeps the token before", arguments: TestDatabase.all)
    func again(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        let first = try await store.raised(issued, by: factor)
        let second = try await store.raised(first, by: factor)
        #expect(second.session.entries.times.max() == Instant(seconds: store.clock.now.seconds))
        #expect(second.session.counter == first.session.counter + 1)
        #expect(try await store.refresh(first.refreshToken).verdict == .reissue)
    }

    @Test("Wrong codes lock the factor, and a locked one looks at no code", arguments: TestDatabase.all)
    func locks(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        let challenge = try await store.challenged(factor, in: issued)
        let wrong = FactorCodeAnswer(factor: factor, challenge: challenge, code: Secret("x"))
        for _ in 0..<10 {
            guard case .wrong = try await store.verify(wrong, in: issued) else { throw NotSignedIn() }
        }
        for answer in [wrong, store.answer(factor, challenge)] {
            guard case .locked(let end) = try await store.verify(answer, in: issued) else { throw NotSignedIn() }
            #expect(end == store.clock.now + .seconds(900))
        }
        store.clock.advance(by: .seconds(900))
        let later = try await store.challenged(factor, in: issued)
        guard case .raised = try await store.verify(store.answer(factor, later), in: issued) else {
            throw NotSignedIn()
        }
    }

    @Test("A lock and a code of a clock that was a year ahead shut no factor", arguments: TestDatabase.all)
    func ahead(_ kind: TestDatabase) async throws {
        let (store, _, factor) = try await StoreFixture.withApp(kind)
        let year = Duration.seconds(365 * 86_400)
        store.clock.advance(by: year)
        let raised = try await store.raised(try await store.signedInAgain(factor.user), by: factor)
        let challenge = try await store.challenged(factor, in: raised)
        let wrong = FactorCodeAnswer(factor: factor, challenge: challenge, code: Secret("x"))
        for _ in 0..<10 { _ = try await store.verify(wrong, in: raised) }
        guard case .locked = try await store.verify(wrong, in: raised) else { throw NotSignedIn() }
        store.clock.advance(by: .zero - year)
        let later = try await store.raised(try await store.signedInAgain(factor.user), by: factor)
        // The accepted code is single-use.
        let next = try await store.challenged(factor, in: later)
        guard case .wrong = try await store.verify(store.answer(factor, next), in: later) else { throw NotSignedIn() }
    }

    @Test("An expired challenge is gone with its first answer", arguments: TestDatabase.all)
    func expiry(_ kind: TestDatabase) async throws {
        let (store, issued, factor) = try await StoreFixture.withApp(kind)
        let challenge = try await store.challenged(factor, in: issued)
        store.clock.advance(by: .seconds(301))
        let late = try await store.verify(store.answer(factor, challenge), in: issued)
        guard case .challengeExpired = late else { throw NotEnrolled(outcome: "\(late)") }
        let later = try await store.verify(store.answer(factor, challenge), in: issued)
        guard case .challengeUnknown = later else { throw NotEnrolled(outcome: "\(later)") }
    }

    @Test("The removal of the factor lowers the sessions that had it and ends none", arguments: TestDatabase.all)
    func removal(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let first = try await store.signedIn()
        let factor = try await store.enrolled(first)
        let raised = try await store.raised(first, by: factor)
        let low = try await store.signedInAgain(factor.user)
        func remove(_ issued: IssuedSession) async throws -> FactorRemoval {
            try await store.accounts.factors.removeFactor(
                factor.id, of: factor.user, in: issued.session.id, from: store.device, at: store.clock.now)
        }
        guard case .tooLow = try await remove(low) else { throw NotSignedIn() }
        guard case .removed = try await remove(raised) else { throw NotSignedIn() }
        guard case .unknown = try await remove(raised) else { throw NotSignedIn() }
        let now = try #require(try await store.current(raised))
        #expect(now.session?.assuranceLevel == .aal1 && now.session?.entries.level == .aal1)
        #expect(now.account.user.factors == nil && !now.account.user.hasSecondFactor)
        #expect(try await store.refresh(raised.refreshToken).issued?.session.assuranceLevel == .aal1)
    }

    @Test(
        "Of two replacements of the same codes, one counts, so that nobody has void codes", arguments: TestDatabase.all)
    func replacements(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, change: { $0.factorRules.verifying.insert(.recoveryCodes) })
        let first = try await store.signedIn()
        let app = try await store.enrolled(first)
        let session = try await store.raised(first, by: app).session.id
        func hashed(_ text: String) throws -> [HashedRecoveryCode] {
            [HashedRecoveryCode(try #require(RecoveryCode(typed: Secret(text))), hash: Secret("$\(text)$"))]
        }
        func check() async throws -> RecoverySetState? {
            try await store.accounts.recoveryCodes.checkRecoverySet(
                named: nil, of: app.user, in: session, at: store.clock.now)
        }
        func replace(_ text: String, _ checked: RecoverySetState?) async throws {
            _ = try await store.accounts.recoveryCodes.replaceRecoveryCodes(
                hashed(text), checked: checked, of: app.user, in: session, from: store.device, at: store.clock.now)
        }
        _ = try await store.accounts.recoveryCodes.makeRecoverySet(
            named: "codes", hashed("abcdefghijklmnop"), of: app.user, in: session, from: store.device,
            at: store.clock.now)
        let checked = try await check()
        try await replace("qrstuvwxyzabcdef", checked)
        await #expect(throws: RecoverySetRefusal.replaced) { try await replace("ghijklmnopqrstuv", checked) }
        let hashes = try await store.storage.database.read { db in
            try db.rows("SELECT hash FROM recovery_codes") { $0.text() }
        }
        #expect(hashes == ["$qrstuvwxyzabcdef$"])
        try await replace("ghijklmnopqrstuv", check())
    }

    @Test("A session raised by two kinds keeps the level of the one that is left", arguments: TestDatabase.all)
    func twoKinds(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind, change: { $0.factorRules.verifying.insert(.recoveryCodes) })
        let first = try await store.signedIn()
        let app = try await store.enrolled(first)
        let raised = try await store.raised(first, by: app)
        let code = try #require(RecoveryCode(typed: Secret("abcdefghijklmnop")))
        let hashed = [HashedRecoveryCode(code, hash: Secret("$hash$"))]
        let set = try await store.accounts.recoveryCodes.makeRecoverySet(
            named: "codes", hashed, of: app.user, in: raised.session.id, from: store.device, at: store.clock.now)
        let low = try await store.signedInAgain(app.user)
        let outcome = try await store.accounts.recoveryCodes.verify(
            code, matching: Secret("$hash$"), of: app.user, in: low.session.id, from: store.device,
            at: store.clock.now)
        guard case .raised(let byCode) = outcome else { throw NotEnrolled(outcome: "\(outcome)") }
        let both = try await store.raised(byCode, by: app)
        _ = try await store.accounts.factors.removeFactor(
            set.id, of: app.user, byAdministratorOn: store.device, at: store.clock.now)
        let left = try #require(try await store.current(both)?.session)
        #expect(left.assuranceLevel == .aal2 && left.factor == app.id)
        #expect(!left.authenticationMethods.contains("mfa/recovery_code"))
        _ = try await store.accounts.factors.removeFactor(
            app.id, of: app.user, byAdministratorOn: store.device, at: store.clock.now)
        #expect(try await store.current(both)?.session?.assuranceLevel == .aal1)
    }
}
