import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

/// Each body runs over both servers: an app's test must see the behavior that users see.
@Suite("The server in memory behaves like the real one")
struct SameAsLiveTests {
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
            ]
            #expect(
                failures == [
                    "refused 400 invalid_credentials", "refused 400 invalid_credentials",
                    "refused 422 user_already_exists", "refused 422 weak_password",
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
            var deep: AuthJSON = 1
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
            await until { world.events.notices.count >= 3 }
            let refreshes = world.events.notices.filter { if case .sessionEnded = $0 { false } else { true } }
            #expect(refreshes == [.refreshAttempted(.expired), .refreshFailed(.signedOut(reason))])
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
}
