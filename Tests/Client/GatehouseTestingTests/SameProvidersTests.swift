import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("The server in memory treats providers like the real one")
struct SameProvidersTests {
    private static let ada = "ada@example.com"

    /// Google's Ada has an address with an email account.
    private func asked(_ world: ServiceWorld, byBrowser: Bool = false) async throws -> AuthLinkQuestion {
        let error = await #expect(throws: AuthClientError.self) {
            if byBrowser {
                try await world.service.signIn(with: .google, in: world.providers.browser(Self.ada))
            } else {
                try await world.service.signIn(with: try await world.providers.credentials(.google, Self.ada))
            }
        }
        #expect(error?.code == .identityNeedsConfirmation)
        return try #require(error?.linkQuestion)
    }

    @Test("Pitfall 6: Apple's name is in account and profile after the sign-in", arguments: ServiceKind.allCases)
    func appleName(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            var credentials = try await world.providers.credentials(.apple, Self.ada)
            credentials.name = AppleName(given: " Ada ", family: "Lovelace")
            let session = try await world.service.signIn(with: credentials)
            #expect(session.user.email == Self.ada)
            #expect(session.user.identities?.map(\.provider) == ["apple"])
            let identity = try #require(session.user.identities?.first)
            #expect(identity.identityData["sub"]?.stringValue == identity.id)
            #expect(session.user.userMetadata["full_name"] == "Ada Lovelace")
            #expect(try await world.service.fetchMe().profile?.firstName == "Ada")
            try await world.service.signOut()
            let again = try await world.service.signIn(with: try await world.providers.credentials(.apple, Self.ada))
            #expect(again.user.id == session.user.id && again.user.userMetadata["full_name"] == "Ada Lovelace")
        }
    }

    @Test("An address proven on both sides is one account (D7)", arguments: ServiceKind.allCases)
    func proven(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let first = try await world.service.signIn(with: .google, in: world.providers.browser(Self.ada))
            let second = try await world.service.signIn(with: try await world.providers.credentials(.apple, Self.ada))
            #expect(second.user.id == first.user.id)
            #expect(second.user.identities?.map(\.provider).sorted() == ["apple", "google"])
            #expect(try await world.service.undoableLinks().map(\.rule) == ["proven_by_both"])
        }
    }

    @Test(
        "D7: The account's password confirms, once; before it nobody is signed in", arguments: ServiceKind.allCases,
        [true, false])
    func confirm(_ kind: ServiceKind, _ byBrowser: Bool) async throws {
        try await ServiceWorld.with(kind) { world in
            let (service, account) = (world.service, try await world.signUp())
            try await service.signOut()
            let question = try await asked(world, byBrowser: byBrowser)
            #expect(await service.currentSession == nil)
            #expect(question.email == Self.ada && question.provider == "google")
            #expect(question.signInMethods == ["password"] && question.canRecover)
            let wrong = await world.failure {
                try await service.confirmLink(question.ticket, email: Self.ada, password: "another one")
            }
            #expect(wrong == "refused 400 invalid_credentials")
            let session = try await service.confirmLink(
                question.ticket, email: Self.ada, password: Fixtures.password)
            #expect(session.user.id == account.user.id)
            #expect(session.user.identities?.map(\.provider).sorted() == ["email", "google"])
            #expect(await service.currentSession == session)
            let again = await world.failure {
                try await service.confirmLink(question.ticket, email: Self.ada, password: Fixtures.password)
            }
            #expect(again == "refused 404 link_ticket_not_found")
            let links = try await service.undoableLinks()
            #expect(links.map(\.rule) == ["confirmed_by_owner"] && links.map(\.provider) == ["google"])
        }
    }

    @Test("A session of the account confirms; one of another account does not", arguments: ServiceKind.allCases)
    func confirmSignedIn(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            let account = try await world.signUp()
            let question = try await asked(world)
            // The previous user is still signed in.
            #expect(await service.currentSession?.user.id == account.user.id)
            try await world.signUp("eve@example.com")
            let other = await world.failure { try await service.confirmLink(question.ticket) }
            #expect(other == "refused 403 link_ticket_other_account")
            _ = try await service.signIn(email: Self.ada, password: Fixtures.password)
            let session = try await service.confirmLink(question.ticket)
            #expect(session.user.id == account.user.id && session.user.identities?.count == 2)
            try await service.signOut()
            let guest = await world.failure { try await service.confirmLink(question.ticket) }
            #expect(guest == "signedOut(Gatehouse.SignedOutReason.requested)")
        }
    }

    @Test(
        "An unproven address moves to a new account; the one that had it keeps everything else (D8)",
        arguments: ServiceKind.allCases)
    func recover(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let (service, account) = (world.service, try await world.signUp(name: "Eve"))
            let question = try await asked(world)
            let session = try await service.recoverAccount(with: question.ticket)
            #expect(session.user.id != account.user.id && session.user.email == Self.ada)
            #expect(session.user.identities?.map(\.provider) == ["google"])
            #expect(try await service.fetchMe().profile?.firstName != "Eve")
            let old = try await service.signIn(email: Self.ada, password: Fixtures.password)
            #expect(old.user.id == account.user.id && old.user.formerEmail == Self.ada && old.user.email == nil)
            #expect(try await service.fetchMe().profile?.firstName == "Eve")
            let again = await world.failure { try await service.recoverAccount(with: question.ticket) }
            #expect(again == "refused 404 link_ticket_not_found")
        }
    }

    @Test("A proven address cannot be recovered; the ticket stays valid", arguments: ServiceKind.allCases)
    func notRecoverable(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            let apple = try await service.signIn(with: try await world.providers.credentials(.apple, Self.ada))
            let linked = try await service.link(.google, in: world.providers.browser(Self.ada))
            #expect(linked.user.id == apple.user.id && linked.accessToken != apple.accessToken)
            let google = try #require(linked.user.identities?.first { $0.provider == "google" })
            _ = try await service.signIn(with: try await world.providers.credentials(.apple, Self.ada))
            try await service.unlink(google)
            let question = try await asked(world)
            #expect(question.signInMethods == ["apple"] && !question.canRecover)
            let failure = await world.failure { try await service.recoverAccount(with: question.ticket) }
            #expect(failure == "refused 422 link_not_recoverable")
            #expect(try await service.confirmLink(question.ticket).user.identities?.count == 2)
        }
    }

    @Test("A ticket is valid for ten minutes", arguments: ServiceKind.allCases)
    func late(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            let question = try await asked(world)
            world.advance(.seconds(601))
            let failures = [
                await world.failure { try await world.service.confirmLink(question.ticket) },
                await world.failure { try await world.service.recoverAccount(with: question.ticket) },
            ]
            #expect(failures == Array(repeating: "refused 404 link_ticket_not_found", count: 2))
        }
    }

    @Test("A second manual link is refused, and a link can be undone", arguments: ServiceKind.allCases)
    func link(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            let account = try await world.signUp()
            let google = try await world.providers.credentials(.google, "grace@example.com")
            #expect(try await service.link(with: google).user.id == account.user.id)
            let twice = await world.failure { try await service.link(with: google) }
            #expect(twice == "refused 422 identity_already_exists")
            _ = try await service.signIn(email: Self.ada, password: Fixtures.password)
            let made = try #require(try await service.undoableLinks().first)
            #expect(made.rule == "linked_by_hand" && made.until.timeIntervalSince(made.linkedAt) == 30 * 86_400)
            try await service.undoLink(identityID: made.id)
            #expect(await service.currentSession?.user.identities?.map(\.provider) == ["email"])
            let again = await world.failure { try await service.undoLink(identityID: made.id) }
            #expect(again == "refused 422 identity_not_found")
            let last = try #require(try await service.identities().first)
            let own = await world.failure { try await service.undoLink(identityID: try #require(last.identityID)) }
            #expect(own == "refused 422 link_not_undoable")
            let only = await world.failure { try await service.unlink(last) }
            #expect(only == "refused 422 single_identity_not_deletable")
        }
    }

    @Test("Undoing a link keeps the session that asks, although the link opened it", arguments: ServiceKind.allCases)
    func undoOwn(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            try await world.signUp()
            let google = try await world.providers.credentials(.google, "grace@example.com")
            _ = try await service.link(with: google)
            try await service.undoLink(identityID: try #require(try await service.undoableLinks().first).id)
            #expect(try await service.identities().map(\.provider) == ["email"])
        }
    }

    @Test("Metadata is merged, a null deletes its key, and every listener learns it", arguments: ServiceKind.allCases)
    func metadata(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            try await world.service.updateMetadata(["theme": "dark", "first_name": .null])
            let user = try #require(await world.service.currentSession?.user)
            #expect(user.userMetadata["theme"] == "dark" && user.userMetadata["first_name"] == nil)
            #expect(await world.events.first(3).last == "userUpdated +")
        }
    }

    @Test("A forged token is refused without its own error code", arguments: ServiceKind.allCases)
    func badToken(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            var credentials = try await world.providers.credentials(.google, Self.ada)
            credentials.nonce = "not the one of the request"
            #expect(await world.failure { try await world.service.signIn(with: credentials) } == "refused 400 ")
        }
    }
}
