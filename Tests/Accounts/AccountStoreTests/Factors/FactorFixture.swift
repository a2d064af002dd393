import AccountDomain
import AccountStore
import GatehouseWire
import TestDatabases
import Testing

extension StoreFixture {
    /// The app is not verified.
    static func withApp(
        _ kind: TestDatabase
    ) async throws -> (store: StoreFixture, issued: IssuedSession, factor: Factor) {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        return (store, issued, try await store.enrolled(issued))
    }

    /// A factor of the account, not verified.
    func enrolled(_ issued: IssuedSession, named name: String = "app") async throws -> Factor {
        let outcome = try await accounts.factors.enroll(
            NewFactor(.totp, name: name, secret: Self.secret), of: issued.account.user.id, in: issued.session.id,
            at: clock.now)
        guard case .enrolled(let factor) = outcome else { throw NotEnrolled(outcome: "\(outcome)") }
        return factor
    }

    func challenged(_ factor: Factor, in session: IssuedSession) async throws -> ChallengeID {
        let outcome = try await accounts.factors.challenge(
            factor.id, of: factor.user, in: session.session.id, at: clock.now)
        guard case .made(let challenge) = outcome else { throw NotEnrolled(outcome: "\(outcome)") }
        return challenge.id
    }

    /// - Parameter steps: Of 30 seconds, from now.
    func answer(_ factor: Factor, _ challenge: ChallengeID, steps: Int64 = 0) -> FactorCodeAnswer {
        let step = TimeCode.step(at: clock.now) + steps
        let code = TimeCode(secret: Self.secret).code(of: step)
        return FactorCodeAnswer(factor: factor, challenge: challenge, code: Secret(code))
    }

    func verify(_ answer: FactorCodeAnswer, in issued: IssuedSession) async throws -> FactorOutcome {
        try await accounts.factors.verify(
            answer, of: issued.account.user.id, in: issued.session.id, from: device, at: clock.now)
    }

    /// A minute passes, so that the next code differs.
    func raised(_ issued: IssuedSession, by factor: Factor) async throws -> IssuedSession {
        clock.advance(by: .seconds(60))
        let outcome = try await verify(answer(factor, try await challenged(factor, in: issued)), in: issued)
        guard case .raised(let raised) = outcome else { throw NotEnrolled(outcome: "\(outcome)") }
        return raised
    }

    func signedInAgain(_ user: UserID) async throws -> IssuedSession {
        let account = try #require(try await accounts.admin.account(user))
        guard case .signedIn(let issued) = try await accounts.signIns.signIn(account, from: device, at: clock.now)
        else {
            throw NotSignedIn()
        }
        return issued
    }

    func current(_ issued: IssuedSession) async throws -> CurrentAccount? {
        try await accounts.current(issued.account.user.id, session: issued.session.id)
    }

    static let secret = Array("12345678901234567890".utf8)
}

struct NotEnrolled: Error { let outcome: String }
