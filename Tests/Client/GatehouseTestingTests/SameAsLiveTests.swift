import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// Returns with an address without visiting a page.
struct Browser: WebAuthenticator {
    let back: URL

    init(_ back: String) { self.back = URL(string: back)! }

    func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
        _ = try await address(URL(string: "app://back")!)
        return back
    }
}

/// Each body runs over the service in memory and over the live one: an app's test must see the behavior that users see.
@Suite("The in-memory service behaves like the live one")
struct SameAsLiveTests {
    @Test("A guest has no session, no token and no profile", arguments: ServiceKind.allCases)
    func guest(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            #expect(await world.service.currentSession == nil)
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) { try await world.service.accessToken() }
            await #expect(throws: AuthClientError.signedOut(.neverSignedIn)) { try await world.service.identities() }
            let nobody = AuthClientError.signedOut(.neverSignedIn)
            await #expect(throws: nobody) { try await world.service.fetchMe() }
            await #expect(throws: nobody) { try await world.service.deleteAccount() }
            #expect(world.events.all == ["initialSession"])
        }
    }

    @Test("A sign-up signs in, with a profile; a later listener gets it first", arguments: ServiceKind.allCases)
    func signUp(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let session = try await world.signUp(" Ada@Example.com".trimmingCharacters(in: .whitespaces), name: " Ada ")
            #expect(session.user.email == "ada@example.com")
            #expect(session.user.identities?.map(\.provider) == ["email"])
            #expect(session.user.userMetadata["first_name"] == " Ada ")
            #expect(session.user.appMetadata["provider"] == "email")
            #expect(session.expiresIn == 3_600 && session.tokenType == "bearer")
            #expect(await world.service.currentSession == session)
            #expect(try await world.service.accessToken() == session.accessToken)
            let me = try await world.service.fetchMe()
            #expect(me.id == session.user.id && me.email == "ada@example.com")
            #expect(me.profile?.firstName == "Ada" && me.profile?.data == [:])
            #expect(await world.events.first(2) == ["initialSession", "signedIn +"])
            #expect(await HeardEvents(world.service).all == ["initialSession +"])
        }
    }

    @Test("Refusals have the same status and code", arguments: ServiceKind.allCases)
    func refusals(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            try await world.signUp()
            let failures = [
                await world.failure { try await service.signIn(email: "ada@example.com", password: "another one") },
                await world.failure { try await service.signIn(email: "eve@example.com", password: "another one") },
                await world.failure { try await world.signUp() },
                await world.failure {
                    try await service.signUp(email: "eve@example.com", password: "short", firstName: nil)
                },
                await world.failure { try await service.signIn(with: .google, in: Browser("app://back")) },
                await world.failure {
                    try await service.signIn(with: .google, in: Browser("app://back?error=access_denied"))
                },
            ]
            #expect(
                failures == [
                    "refused 400 invalid_credentials", "refused 400 invalid_credentials",
                    "refused 422 user_already_exists", "refused 422 weak_password", "unknownFlow",
                    "refused 0 access_denied",
                ])
            // The previous user is still signed in.
            #expect(await world.service.currentSession?.user.email == "ada@example.com")
            #expect(await world.events.first(2) == ["initialSession", "signedIn +"])
        }
    }

    @Test("Without confirmation there is no sign-in and no word on a known address", arguments: ServiceKind.allCases)
    func unconfirmed(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind, confirms: false) { world in
            for _ in 0..<2 {
                let answer = try await world.service.signUp(
                    email: "ada@example.com", password: Fixtures.password, firstName: "Ada")
                #expect(answer.session == nil && answer.user?.email == "ada@example.com")
            }
            let failure = await world.failure {
                try await world.service.signIn(email: "ada@example.com", password: Fixtures.password)
            }
            #expect(failure == "refused 400 email_not_confirmed")
            #expect(world.events.all == ["initialSession"])
        }
    }

    @Test("A profile change changes the given fields and is validated", arguments: ServiceKind.allCases)
    func profile(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            try await world.signUp()
            var me = try await service.updateProfile(
                ProfileChange(data: ["mood": "calm", "goals": ["steps": 8_000, "sleep": 8]]))
            #expect(me.profile?.firstName == "Ada")
            me = try await service.updateProfile(
                ProfileChange(firstName: " Grace ", data: ["mood": .null, "goals": ["sleep": .null]]))
            #expect(me.profile?.firstName == "Grace" && me.profile?.data == ["goals": ["steps": 8_000]])
            #expect(try await service.updateProfile(ProfileChange(firstName: "  ")).profile?.firstName == nil)
            var deep: AnyJSON = 1
            for _ in 0..<8 { deep = ["a": deep] }
            let wrong: [(ProfileChange, String)] = [
                (ProfileChange(), "BAD_REQUEST"),
                (ProfileChange(firstName: .set(String(repeating: "a", count: 51))), "BAD_REQUEST"),
                (ProfileChange(data: ["a": deep]), "DATA_TOO_DEEP"),
                (ProfileChange(data: ["a": .string(String(repeating: "a", count: 16_384))]), "DATA_TOO_LARGE"),
            ]
            for (change, code) in wrong {
                let failure = await world.failure { try await service.updateProfile(change) }
                #expect(failure == "refused 400 \(code)")
            }
            #expect(try await service.fetchMe().profile?.data == ["goals": ["steps": 8_000]])
        }
    }

    @Test("An expired token is refreshed, and every listener learns it", arguments: ServiceKind.allCases)
    func refresh(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let first = try await world.signUp()
            world.advance(.seconds(3_500))
            #expect(try await world.service.accessToken() == first.accessToken)
            world.advance(.seconds(101))
            #expect(await world.service.currentSession == first)
            let token = try await world.service.accessToken()
            #expect(token != first.accessToken)
            #expect(await world.service.currentSession?.accessToken == token)
            #expect(await world.events.first(3) == ["initialSession", "signedIn +", "tokenRefreshed +"])
            await until { !world.events.notices.isEmpty }
            #expect(world.events.notices == [.refreshAttempted(.expired)])
        }
    }

    @Test(
        "A sign-out ends signed out, network or not, with one event", arguments: ServiceKind.allCases, [true, false])
    func signOut(_ kind: ServiceKind, _ isOffline: Bool) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            world.setOffline(isOffline)
            try await world.service.signOut()
            #expect(await world.service.currentSession == nil)
            await #expect(throws: AuthClientError.signedOut(.requested)) { try await world.service.accessToken() }
            try await world.service.signOut()
            world.setOffline(false)
            _ = try await world.service.signIn(email: "ada@example.com", password: Fixtures.password)
            #expect(
                await world.events.first(4) == [
                    "initialSession", "signedIn +", "signedOut(Gatehouse.SignedOutReason.requested)", "signedIn +",
                ])
        }
    }

    @Test("Without a connection calls fail as offline, and nobody is signed out", arguments: ServiceKind.allCases)
    func offline(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let service = world.service
            try await world.signUp()
            world.setOffline(true)
            let failures = [
                await world.failure { try await service.fetchMe() },
                await world.failure { try await service.updateProfile(ProfileChange(firstName: .clear)) },
                await world.failure { try await service.identities() },
                await world.failure { try await service.signIn(email: "a@b.example", password: "12345678") },
            ]
            #expect(failures == ["offline", "offline", "offline", "offline"])
            world.advance(.seconds(3_601))
            #expect(await world.failure { try await service.accessToken() } == "offline")
            #expect(await world.failure { try await service.fetchMe() } == "offline")
            #expect(await service.currentSession != nil)
            await until { world.events.notices.count >= 4 }
            #expect(world.events.notices.first == .refreshAttempted(.expired))
            guard case .refreshFailed(.offline(.noAnswer)) = world.events.notices[1] else {
                Issue.record("\(world.events.notices[1])")
                return
            }
            world.setOffline(false)
            _ = try await service.fetchMe()
        }
    }

    @Test("A deleted account is gone, and deleting it again is harmless", arguments: ServiceKind.allCases)
    func delete(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            try await world.signUp()
            try await world.service.deleteAccount()
            try await world.service.deleteAccount()
            #expect(await world.service.currentSession != nil)
            try await world.service.signOut()
            let failure = await world.failure {
                try await world.service.signIn(email: "ada@example.com", password: Fixtures.password)
            }
            #expect(failure == "refused 400 invalid_credentials")
        }
    }

    @Test("The server's word ends a session, with a reason", arguments: ServiceKind.allCases)
    func ended(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let session = try await world.signUp()
            try await world.removeAccount(session.user.id)
            world.advance(.seconds(3_601))
            let reason = SignedOutReason.endedByServer(.refreshTokenNotFound, because: .accountDeleted)
            await #expect(throws: AuthClientError.signedOut(reason)) {
                try await world.service.fetchMe()
            }
            await #expect(throws: AuthClientError.signedOut(reason)) { try await world.service.accessToken() }
            #expect(await world.events.first(3).last == "signedOut(\(String(reflecting: reason)))")
            await until { world.events.notices.count >= 2 }
            #expect(world.events.notices == [.refreshAttempted(.expired), .refreshFailed(.signedOut(reason))])
        }
    }

    @Test("Calls of a deleted account fail", arguments: ServiceKind.allCases)
    func gone(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let session = try await world.signUp()
            try await world.removeAccount(session.user.id)
            world.advance(.seconds(60))
            let failure = await world.failure { try await world.service.identities() }
            let reason = SignedOutReason.endedByServer(.userNotFound, because: .accountDeleted)
            #expect(failure == "signedOut(\(String(reflecting: reason)))")
            #expect(await world.service.currentSession == nil)
        }
    }

    @Test("The sign-in methods are listed", arguments: ServiceKind.allCases)
    func identities(_ kind: ServiceKind) async throws {
        try await ServiceWorld.with(kind) { world in
            let session = try await world.signUp()
            let identity = try #require(try await world.service.identities().first)
            #expect(identity.provider == "email" && identity.userID == session.user.id)
            #expect(identity.identityID != nil && identity.email == "ada@example.com")
        }
    }
}
