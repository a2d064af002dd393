import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Named faults")
struct FaultTests {
    private static func refused(_ status: Int, _ code: AuthErrorCode?) -> AuthClientError {
        .refused(AuthRefusal(status: status, code: code, message: "in memory"))
    }

    @Test(
        "A fault applies to the next matching call, once, with the real error",
        arguments: [
            (.offline, .offline(.noAnswer("NSURLErrorDomain -1009"))),
            (.answerLost, .offline(.noAnswer("NSURLErrorDomain -1005"))),
            (.serviceUnavailable, refused(503, nil)), (.serverError, refused(500, .unexpectedFailure)),
            (.wrongCredentials, refused(400, .invalidCredentials)),
            (.storeLocked, .storeUnavailable(StoreProblem("locked", cause: .locked))),
            (
                .rateLimited(retryAfter: .seconds(30)),
                .refused(
                    AuthRefusal(
                        status: 429, code: .overRequestRateLimit, message: "in memory", retryAfter: .seconds(30)))
            ),
        ] as [(InMemoryAuthService.Fault, AuthClientError)])
    func signIn(_ fault: InMemoryAuthService.Fault, _ error: AuthClientError) async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        service.meet(fault)
        await #expect(throws: error) {
            try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        }
        #expect(service.pendingFaults.isEmpty)
        #expect(await service.service.currentSession == nil)
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
    }

    @Test(
        "Faults of links and questions are the API's errors",
        arguments: [
            (.linkTicketExpired, .confirmLink, 404, .linkTicketNotFound),
            (.linkTicketExpired, .recoverAccount, 404, .linkTicketNotFound),
            (.wrongCredentials, .confirmLink, 400, .invalidCredentials),
            (.notRecoverable, .recoverAccount, 422, .linkNotRecoverable),
            (.linkTooOld, .undoLink, 422, .linkNotUndoable),
        ] as [(InMemoryAuthService.Fault, InMemoryAuthService.Call, Int, AuthErrorCode)])
    func links(
        _ fault: InMemoryAuthService.Fault, _ call: InMemoryAuthService.Call, _ status: Int, _ code: AuthErrorCode
    ) async throws {
        let service = InMemoryAuthService.signedIn()
        service.meet(fault)
        // It does not affect another call.
        _ = try await service.service.identities()
        await #expect(throws: Self.refused(status, code)) {
            switch call {
            case .recoverAccount: _ = try await service.service.recoverAccount(with: AuthLinkTicket("t"))
            case .undoLink: try await service.service.undoLink(identityID: Fixtures.id(1))
            default: _ = try await service.service.confirmLink(AuthLinkTicket("t"))
            }
        }
        #expect(service.pendingFaults.isEmpty && service.calls == [.identities, call])
        #expect(await service.service.currentSession != nil)
    }

    @Test(
        "The gateway's faults are the gateway's errors",
        arguments: [
            (.offline, .offline(.noAnswer("NSURLErrorDomain -1009"))),
            (.serviceUnavailable, .refused(AuthRefusal(status: 503, code: nil))),
            (.serverError, .refused(AuthRefusal(status: 500, code: nil))),
            (.forbidden, .refused(AuthRefusal(status: 403, code: AuthErrorCode(rawValue: "FORBIDDEN")))),
            (.accessTokenRefused, .refusesValidToken(AuthErrorCode(rawValue: "TOKEN_INVALID"))),
            (
                .rateLimited(retryAfter: nil),
                .refused(AuthRefusal(status: 429, code: AuthErrorCode(rawValue: "RATE_LIMITED")))
            ),
            (.sessionEndedByServer(.sessionExpired), .signedOut(.endedByServer(.sessionExpired))),
        ] as [(InMemoryAuthService.Fault, AuthClientError)])
    func gateway(_ fault: InMemoryAuthService.Fault, _ error: AuthClientError) async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(fault)
        await #expect(throws: error) { try await service.service.fetchMe() }
        service.clear()
        if case .sessionEndedByServer = fault { return }
        _ = try await service.service.fetchMe()
    }

    @Test("A fault waits for a matching call, or for its own")
    func fits() async throws {
        let service = InMemoryAuthService.signedIn()
        service.meet(.weakPassword, .profileMissing)
        service.meet(.offline, at: .updateProfile)
        #expect(try await service.service.fetchMe().profile == nil)
        #expect(try await service.service.fetchMe().profile != nil)
        #expect(service.pendingFaults == [.weakPassword, .offline])
        await #expect(throws: AuthClientError.self) {
            try await service.service.updateProfile(ProfileChange(firstName: "Grace"))
        }
        #expect(service.calls == [.fetchMe, .fetchMe, .updateProfile])
        service.clear()
        #expect(service.pendingFaults.isEmpty)
    }

    @Test("The calls are the client's requests: some need several, and the end of a replaced session is no sign-out")
    func requests() async throws {
        let service = InMemoryAuthService.signedIn()
        let session = try await service.service.link(with: ProviderPerson.grace.credentials(from: .google))
        await until { service.openSessionCount == 1 }
        try await service.service.unlink(try #require(session.user.identities?.last))
        #expect(service.calls == [.link, .unlink, .user])
        service.clock.advance(by: .seconds(3_601))
        try await service.service.signOut()
        #expect(service.calls.suffix(2) == [.refresh, .signOut] && service.openSessionCount == 0)
    }

    @Test("The server acts on a request whose response is lost: the account exists")
    func answerLost() async throws {
        let service = InMemoryAuthService()
        service.meet(.answerLost, at: .signUp)
        await #expect(throws: AuthClientError.offline(.noAnswer("NSURLErrorDomain -1005"))) {
            try await service.service.signUp(email: "ada@example.com", password: Fixtures.password, firstName: "Ada")
        }
        #expect(service.account(email: "ada@example.com")?.profile?.firstName == "Ada")
        #expect(await service.service.currentSession == nil)
    }

    @Test("A slow response comes when released, and too late after a sign-out")
    func slow() async throws {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com")
        for signsOut in [false, true] {
            service.meet(.slow)
            let call = Task { try await service.service.signIn(email: "ada@example.com", password: Fixtures.password) }
            await until { service.heldCount == 1 }
            if signsOut { try await service.service.signOut() }
            service.release()
            if signsOut {
                await #expect(throws: AuthClientError.signedOut(.requested)) { try await call.value }
            } else {
                #expect(try await call.value.user.email == "ada@example.com")
            }
            #expect(await (service.service.currentSession == nil) == signsOut)
        }
    }

    @Test("A held call ends when its task is cancelled")
    func cancelled() async throws {
        let service = InMemoryAuthService.signedIn()
        service.meet(.slow)
        let call = Task { try await service.service.fetchMe() }
        await until { service.heldCount == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(service.heldCount == 0)
    }

    @Test("While the store is locked the user is unknown; the first event then names it")
    func storeLocked() async throws {
        let service = InMemoryAuthService.signedIn()
        service.stay(.storeLocked)
        var changes = service.service.authStateChanges.makeAsyncIterator()
        #expect(await service.service.currentSession == nil)
        let problem = AuthClientError.storeUnavailable(StoreProblem("locked", cause: .locked))
        await #expect(throws: problem) { try await service.service.accessToken() }
        await #expect(throws: problem) { try await service.service.fetchMe() }
        service.clear()
        let first = await changes.next()
        #expect(first?.event == .initialSession)
        #expect(first?.session?.user.email == "ada@example.com")
    }

    @Test("A sign-out with a locked store ends signed out and reports the kept session")
    func lockedSignOut() async throws {
        let service = InMemoryAuthService.signedIn()
        #expect(await service.service.currentSession != nil)
        service.stay(.storeLocked)
        await #expect(throws: AuthClientError.storeFailed(StoreProblem("locked", cause: .locked))) {
            try await service.service.signOut()
        }
        #expect(await service.service.currentSession == nil)
    }

    @Test("A sign-out without a connection leaves the session open at the server")
    func openSessions() async throws {
        let service = InMemoryAuthService.signedIn()
        #expect(service.openSessionCount == 1)
        service.meet(.offline)
        try await service.service.signOut()
        #expect(service.openSessionCount == 1)
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        try await service.service.signOut()
        #expect(service.openSessionCount == 1)
    }

    @Test("External changes arrive: the mail of a sign-up, a recovery mail, another part of the app, another process")
    func others() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        let events = await HeardEvents(service.service)
        _ = try await service.service.signUp(email: "ada@example.com", password: Fixtures.password, firstName: nil)
        service.confirmEmail(of: "ada@example.com")
        _ = try await service.service.signIn(email: "ada@example.com", password: Fixtures.password)
        service.changeUser { $0.userMetadata["theme"] = "dark" }
        await service.settled()
        #expect(await service.service.currentSession?.user.userMetadata["theme"] == "dark")
        service.endSession(.signedOutElsewhere)
        service.openRecoveryMail(of: "ada@example.com")
        await service.settled()
        #expect(
            await events.first(6) == [
                "initialSession", "signedIn +", "userUpdated +",
                "signedOut(Gatehouse.SignedOutReason.signedOutElsewhere)", "signedIn +", "passwordRecovery +",
            ])
        await #expect(throws: Never.self) { try await service.service.accessToken() }
    }
}
