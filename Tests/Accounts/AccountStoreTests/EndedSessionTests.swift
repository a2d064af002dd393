import AccountDomain
import AccountStore
import GatehouseWire
import SQLDatabase
import TestDatabases
import Testing

@Suite("Why sessions ended")
struct EndedSessionTests {
    private static let day: Duration = .seconds(86_400)
    private static let request: Device = {
        var device = Device(userAgent: "other/1", address: "192.0.2.9")
        device.requestID = "request-1"
        return device
    }()

    private struct Way: Sendable {
        let name: String
        let reason: SessionEnd.Reason
        let actor: SessionEnd.Actor
        var hasRequest = true
        let end: @Sendable (StoreFixture, IssuedSession) async throws -> Void
    }

    private static let ways: [Way] =
        signOuts + changes + [
            Way(name: "the operator ends all", reason: .everybodySignedOut, actor: .commandLine, hasRequest: false) {
                store, _ in
                _ = try await store.accounts.sessions.endSomeSessions(at: store.clock.now)
            },
            Way(name: "a copied token", reason: .tokenReused, actor: .system) { store, issued in
                let next = try #require(try await store.refresh(issued.refreshToken).issued)
                _ = try await store.refresh(next.refreshToken)
                store.clock.advance(by: .seconds(11))
                let token = try #require(RefreshToken(issued.refreshToken))
                _ = try await store.accounts.sessions.refresh(token, from: request, at: store.clock.now)
            },
        ]

    private static let signOuts: [Way] = [
        Way(name: "sign-out", reason: .signedOut, actor: .user) { store, issued in
            try await store.accounts.signOut(
                issued.account.user.id, name: "", session: issued.session.id, scope: .local, from: request,
                at: store.clock.now)
        },
        Way(name: "sign-out everywhere", reason: .signedOutEverywhere, actor: .user) { store, issued in
            try await store.accounts.signOut(
                issued.account.user.id, name: "", session: issued.session.id, scope: .global, from: request,
                at: store.clock.now)
        },
        Way(name: "sign-out of the others", reason: .othersSignedOut, actor: .otherDevice) { store, issued in
            try await store.accounts.signOut(
                issued.account.user.id, name: "", session: try await another(store, issued), scope: .others,
                from: request, at: store.clock.now)
        },
        Way(name: "the list of devices", reason: .signedOut, actor: .otherDevice) { store, issued in
            _ = try await store.accounts.sessions.endSession(
                issued.session.id, of: issued.account.user.id, name: "", by: try await another(store, issued),
                from: request, at: store.clock.now)
        },
        Way(name: "a command", reason: .signedOutEverywhere, actor: .commandLine, hasRequest: false) { store, issued in
            try await store.accounts.signOut(
                issued.account.user.id, name: "", session: nil, scope: .global, at: store.clock.now)
        },
    ]

    private static let changes: [Way] = [
        Way(name: "a new password", reason: .passwordChanged, actor: .otherDevice) { store, issued in
            var update = UserUpdate(device: request)
            (update.passwordHash, update.checkedHash) = (Secret("$new$"), Secret("$hash$"))
            _ = try await store.accounts.update(
                issued.account.user.id, update, keeping: try await another(store, issued), at: store.clock.now)
        },
        Way(name: "an administrator's password", reason: .passwordChanged, actor: .administrator) { store, issued in
            var attributes = AdminAttributes()
            attributes.passwordHash = Secret("$newer$")
            _ = try await store.accounts.admin.update(
                issued.account.user.id, attributes, from: request, at: store.clock.now)
        },
        Way(name: "an import", reason: .endedAtSource, actor: .commandLine, hasRequest: false) { store, issued in
            let user = issued.account.user.id
            _ = try await store.accounts.transfers.endSessions(
                ofDeletedElsewhere: user, isDryRun: false, at: store.clock.now)
        },
    ]

    private static func another(_ store: StoreFixture, _ issued: IssuedSession) async throws -> SessionID {
        let device = Device(userAgent: "other/1", address: nil)
        guard
            case .signedIn(let other) = try await store.accounts.signIns.signIn(
                issued.account, from: device, at: store.clock.now)
        else { throw NotSignedIn() }
        return other.session.id
    }

    @Test("Each way to end a session records who, why and in which request", arguments: TestDatabase.all)
    func ways(_ kind: TestDatabase) async throws {
        for way in Self.ways {
            let store = try await StoreFixture(kind)
            let issued = try await store.signedIn()
            let user = issued.account.user.id
            store.tick()
            try await way.end(store, issued)
            let all = try await store.accounts.sessions.endedSessions(of: user, at: store.clock.now)
            let ended = try #require(all.first { $0.id == issued.session.id }, "\(way.name)")
            #expect(ended.reason == way.reason && ended.actor == way.actor, "\(way.name): \(ended)")
            #expect(ended.device.userAgent == "test" && ended.beganAt == issued.session.createdAt, "\(way.name)")
            #expect(ended.endedAt == store.clock.now, "\(way.name)")
            #expect(ended.endedBy?.requestID == (way.hasRequest ? "request-1" : nil), "\(way.name)")
            #expect(ended.endedBy?.address == (way.hasRequest ? "192.0.2.9" : nil), "\(way.name)")
            // The holder of the token learns it.
            guard case .unknown(let told) = try await store.refresh(issued.refreshToken) else { throw NotSignedIn() }
            #expect(told == way.reason, "\(way.name)")
        }
    }

    @Test("A provider's notice, a removed method and an undone link are told apart", arguments: TestDatabase.all)
    func providers(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let ada = try await store.signedIn()
        let user = ada.account.user.id
        func newest() async throws -> EndedSession? {
            try await store.accounts.sessions.endedSessions(of: user, limit: 1, at: store.clock.now).first
        }
        _ = try await store.link(store.identity("google", "7", email: nil), to: ada)
        let google = try #require(try await store.accounts.admin.account(user)?.identities.last)
        _ = try await store.accounts.links.undoLink(
            google.id, of: user, by: ada.session.id, from: Self.request, at: store.clock.now)
        #expect(try await newest()?.reason == .linkUndone)
        _ = try await store.link(store.identity("apple", "9", email: nil), to: ada)
        let apple = try #require(try await store.accounts.admin.account(user)?.identities.last)
        store.tick()
        let notice = ProviderNotice(
            id: "1", provider: "apple", subject: "9", kind: .consentRevoked, occurredAt: store.clock.now)
        #expect(try await store.accounts.links.apply(notice, from: Self.request, at: store.clock.now) == .applied)
        #expect(try await newest()?.reason == .consentRevoked)
        #expect(try await newest()?.actor == .provider)
        _ = try await store.entered(store.identity("apple", "9", email: nil))
        store.tick()
        _ = try await store.accounts.links.unlink(
            apple.id, of: user, keeping: ada.session.id, from: Self.request, at: store.clock.now)
        #expect(try await newest()?.reason == .methodRemoved)
        #expect(try await newest()?.actor == .otherDevice)
    }

    @Test("A deletion keeps the reason and erases devices and addresses", arguments: TestDatabase.all)
    func deleted(_ kind: TestDatabase) async throws {
        for isSoft in [true, false] {
            let store = try await StoreFixture(kind)
            let issued = try await store.signedIn()
            let user = issued.account.user.id
            if isSoft {
                #expect(try await store.accounts.softDelete(user, from: Self.request, at: store.clock.now))
            } else {
                let outcome = try await store.accounts.deleteOwn(
                    user, session: issued.session.id.text, level: .aal1, from: Self.request, at: store.clock.now)
                guard case .deleted = outcome else { throw NotSignedIn() }
            }
            let ended = try #require(
                try await store.accounts.sessions.endedSessions(of: user, at: store.clock.now).first)
            #expect(ended.reason == .accountDeleted && ended.actor == (isSoft ? .administrator : .user))
            #expect(ended.endedBy?.requestID == "request-1" && ended.endedBy?.address == nil)
            #expect(ended.device.userAgent == nil && ended.device.address == nil)
            guard case .unknown(.accountDeleted) = try await store.refresh(issued.refreshToken) else {
                Issue.record("the holder does not learn of the deletion")
                return
            }
        }
    }

    @Test("A session that ended by policy has one record, before and after its removal", arguments: TestDatabase.all)
    func policies(_ kind: TestDatabase) async throws {
        let both = SessionPolicy(timebox: Self.day * 5, inactivity: Self.day * 2)
        let cases: [(SessionPolicy, SessionEnd.Reason, Int)] = [
            (SessionPolicy(timebox: Self.day, inactivity: nil), .lifetime, 1),
            (SessionPolicy(timebox: nil, inactivity: Self.day), .inactivity, 1), (both, .inactivity, 2),
        ]
        for (policy, reason, age) in cases {
            let store = try await StoreFixture(kind, policy: policy)
            let issued = try await store.signedIn()
            let end = store.clock.now + Self.day * age
            store.clock.advance(by: Self.day * 5 + .seconds(1))
            guard case .expired(reason) = try await store.refresh(issued.refreshToken) else {
                Issue.record("not expired by \(reason)")
                return
            }
            for isRemoved in [false, true] {
                if isRemoved {
                    store.clock.advance(by: Self.day * 31)
                    #expect(try await store.accounts.cleaning.removeEndedSessions(at: store.clock.now) == 1)
                }
                let all = try await store.accounts.sessions.endedSessions(
                    of: issued.account.user.id, at: store.clock.now)
                #expect(all.map(\.reason) == [reason] && all.map(\.actor) == [.system])
                #expect(all.map(\.endedAt) == [end])
            }
        }
    }

    @Test("The ends of an earlier program are recorded without a reason", arguments: TestDatabase.all)
    func earlierProgram(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        for statement: SQL in ["DELETE FROM sessions", "DELETE FROM users"] {
            let issued = try await store.signedIn()
            let noted = store.clock.now + .seconds(5)
            try await store.storage.database.write { db in
                try db.run(
                    """
                    INSERT INTO revocations (id, noted_at)
                    VALUES (\(issued.session.id.text), \(SQLValue.instant(noted.microseconds)))
                    """)
                try db.run(statement)
            }
            let ended = try await store.accounts.sessions.endedSessions(of: issued.account.user.id, at: store.clock.now)
            #expect(ended.map(\.reason) == [.unknown] && ended.map(\.actor) == [.unknown])
            #expect(ended.map(\.endedAt) == [noted] && ended.first?.device.userAgent == "test")
            _ = try await store.storage.database.write { db in try db.run("DELETE FROM users") }
        }
    }

    @Test("Strangers, and holders of other sessions, learn nothing", arguments: TestDatabase.all)
    func strangers(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let eve = try await store.signedIn("eve@example.com")
        let session = issued.session.id
        _ = try await store.accounts.delete(issued.account.user.id, actor: nil, at: store.clock.now)
        let others = ServerSecrets([(1, Array(repeating: 8, count: 32))])!
        let forged = RefreshToken.issue(counter: 0, others.refreshTokenKey(for: session))
        guard case .unknown(nil) = try await store.refresh(forged) else {
            Issue.record("a forged token learns the reason")
            return
        }
        #expect(try await store.accounts.sessions.endReason(of: session, of: eve.account.user.id) == nil)
        #expect(try await store.accounts.sessions.endReason(of: session, of: issued.account.user.id) == .accountDeleted)
        #expect(try await store.accounts.sessions.endReason(of: nil, of: issued.account.user.id) == nil)
    }

    @Test("The newest ends come first, and their number is bounded", arguments: TestDatabase.all)
    func bounded(_ kind: TestDatabase) async throws {
        let store = try await StoreFixture(kind)
        let issued = try await store.signedIn()
        let account = issued.account
        for _ in 0..<4 {
            store.tick()
            let session = try await Self.another(store, issued)
            try await store.accounts.signOut(
                account.user.id, name: "", session: session, scope: .local, from: Self.request, at: store.clock.now)
        }
        let all = try await store.accounts.sessions.endedSessions(of: account.user.id, at: store.clock.now)
        #expect(all.count == 4 && all.map(\.endedAt) == all.map(\.endedAt).sorted(by: >))
        let some = try await store.accounts.sessions.endedSessions(of: account.user.id, limit: 2, at: store.clock.now)
        #expect(some.map(\.id) == all.prefix(2).map(\.id))
    }

    @Test("Clients know every reason, and each has its sentences")
    func words() {
        let known: [SessionEndReason] = [
            .signedOut, .othersSignedOut, .signedOutEverywhere, .everybodySignedOut, .passwordChanged, .addressProven,
            .addressClaimed, .signInMethodRemoved, .linkUndone, .consentRevoked, .providerAccountDeleted,
            .refreshTokenReused, .endedByHook, .accountDeleted, .inactivity, .lifetime, .endedAtSource, .banned,
            .secondFactorVerified, .secondFactorMissing, .clientRemoved, .clientDeleted, .clientSignedOut,
            .authorizationCodeReused, .parentEnded, .notRecognized,
        ]
        let sent = SessionEnd.Reason.allCases.filter { $0 != .unknown }
        #expect(Set(known.map(\.rawValue)) == Set(sent.map(\.rawValue)))
        for reason in SessionEnd.Reason.allCases {
            for actor in SessionEnd.Actor.allCases {
                let session = EndedSession(
                    id: SessionID(bytes: Array(repeating: 1, count: 16)), device: Device(userAgent: nil, address: nil),
                    beganAt: Instant(seconds: 0), refreshedAt: nil, endedAt: Instant(seconds: 1), reason: reason,
                    actor: actor)
                #expect(session.story.hasSuffix(".") && session.advice.hasSuffix("."))
            }
        }
    }
}
