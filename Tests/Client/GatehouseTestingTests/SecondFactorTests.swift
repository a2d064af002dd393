import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Second factors", .timeLimit(.minutes(5))) @MainActor
struct SecondFactorTests {
    /// The account has an app and recovery codes; signed out.
    private func protected() async -> (InMemoryAuthService, AuthManager, codes: [String]) {
        let service = InMemoryAuthService()
        service.addAccount(email: "ada@example.com", firstName: "Ada")
        let codes = service.addApp()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        return (service, manager, codes)
    }

    private func signIn(_ manager: AuthManager) async throws -> ProofModel {
        let outcome = try await manager.signInWithEmail("ada@example.com", password: Fixtures.password)
        #expect(outcome == .secondFactorNeeded)
        return ProofModel(question: try #require(manager.secondFactor), manager: manager)
    }

    @Test("A password alone shows nobody: the phase asks for the app's code, which signs in")
    func signIn() async throws {
        let (service, manager, _) = await protected()
        let proof = try await signIn(manager)
        #expect(manager.phase == .secondFactorNeeded && !manager.isLoggedIn && manager.user == nil)
        #expect(!service.calls.contains(.fetchMe))
        #expect(proof.explanation == ModelText("Enter the code that %@ shows.", "My phone"))
        proof.code = "12 34 56 7"
        #expect(proof.code == "123456")
        proof.code = "١٢ ३４５6"
        #expect(proof.code == "123456")
        await proof.submit()?.value
        #expect(proof.message?.text == "The code is wrong or has expired.")
        #expect(proof.code.isEmpty && manager.phase == .secondFactorNeeded)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(proof.phase == .proven && manager.phase == .authenticated)
        await manager.wait { $0.isProfileLoaded }
        #expect(manager.user?.firstName == "Ada" && manager.secondFactor == nil)
        #expect(manager.lastMethod == .email)
    }

    @Test("A recovery code works instead, once, in any spelling")
    func recoveryCode() async throws {
        let (service, manager, codes) = await protected()
        let proof = try await signIn(manager)
        #expect(proof.otherMethods == [.recoveryCode])
        proof.use(.recoveryCode)
        proof.code = codes[0].prefix(8).uppercased() + "-" + codes[0].suffix(8)
        await proof.submit()?.value
        #expect(manager.phase == .authenticated)
        #expect(try await manager.factors.recoveryCodes()?.remaining == 9)
        await manager.signOut()
        let again = try await signIn(manager)
        again.use(.recoveryCode)
        again.code = codes[0]
        await again.submit()?.value
        #expect(again.message?.text == "The code is wrong or has expired.")
        #expect(service.openSessionCount == 1)
    }

    @Test("Five wrong recovery codes lock them, and the app still works")
    func locked() async throws {
        let (service, manager, codes) = await protected()
        let proof = try await signIn(manager)
        proof.use(.recoveryCode)
        for _ in 0..<5 {
            proof.code = "wrong"
            await proof.submit()?.value
        }
        proof.code = codes[0]
        await proof.submit()?.value
        #expect(proof.message?.text == "Too many wrong codes. Please wait a while, or use another way.")
        proof.use(try #require(proof.otherMethods.first))
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(manager.phase == .authenticated)
    }

    @Test("A lost answer leaves the question, and the next code signs in")
    func lostAnswer() async throws {
        let (service, manager, _) = await protected()
        let proof = try await signIn(manager)
        service.meet(.answerLost, at: .verifyFactor)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(manager.phase == .secondFactorNeeded && proof.message != nil)
        service.clock.advance(by: .seconds(30))
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        #expect(manager.phase == .authenticated)
    }

    @Test("A restart in between asks again, also offline; giving up signs out")
    func restart() async throws {
        let (service, manager, _) = await protected()
        _ = try await signIn(manager)
        service.goOffline()
        let next = service.makeManager()
        #expect(next.phase == .secondFactorNeeded && next.secondFactor?.methods.count == 2)
        service.goOnline()
        await ProofModel(question: try #require(next.secondFactor), manager: next).cancel()?.value
        #expect(next.phase == .unauthenticated && next.secondFactor == nil)
        #expect(service.openSessionCount == 0)
        await manager.wait { $0.phase == .unauthenticated }
    }

    @Test("An app is added with its first code, and other sessions end; recovery codes come once")
    func enroll() async throws {
        let service = InMemoryAuthService.signedIn()
        service.addDevice(userAgent: nil)
        let manager = service.makeManager()
        await manager.wait { $0.isProfileLoaded }
        let model = AppEnrollmentModel(issuer: "Journal", manager: manager)
        await model.load()
        #expect(model.phase == .editing && model.groupedSecret?.hasPrefix("JBSW Y3DP") == true)
        model.code = "000000"
        await model.submit()?.value
        #expect(model.message?.text == "The code is wrong or has expired.")
        model.code = try #require(service.appCode())
        await model.submit()?.value
        #expect(model.phase == .added && model.secret == nil)
        #expect(service.openSessionCount == 1)
        let codes = RecoveryCodesModel(replacing: false, manager: manager)
        await codes.load()
        #expect(codes.codes.count == 10 && codes.codes.allSatisfy { $0.split(separator: "-").count == 4 })
        #expect(codes.file(title: "Journal").hasPrefix("Journal\n\n" + codes.codes[0] + "\n"))
        let security = SecurityModel(manager: manager)
        await security.load()
        #expect(security.factors.map(\.friendlyName) == [nil] && security.codes?.remaining == 10)
        await security.remove(security.factors[0])?.value
        #expect(security.message?.text == "Remove the recovery codes first.")
        await security.deleteCodes()?.value
        await security.remove(security.factors[0])?.value
        #expect(security.factors.isEmpty && security.codes == nil && manager.phase == .authenticated)
    }

    @Test("A begun enrollment is replaced by the next one")
    func begunEnrollment() async throws {
        let service = InMemoryAuthService.signedIn()
        let manager = service.makeManager()
        await manager.wait { $0.isProfileLoaded }
        await AppEnrollmentModel(issuer: nil, manager: manager).load()
        let model = AppEnrollmentModel(issuer: nil, manager: manager)
        await model.load()
        #expect(model.phase == .editing)
        #expect(try await manager.factors.list().count == 1)
    }

    @Test("A confirmed address keeps the second factor, in one session")
    func address() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        service.addAccount(email: "ada@example.com")
        service.addApp()
        let manager = service.makeManager()
        await manager.wait { $0.phase == .unauthenticated }
        let proof = try await signIn(manager)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        _ = try await manager.credentials.changeEmail("countess@example.com")
        let code = try #require(service.mailCode(.emailChange, to: "ada@example.com"))
        _ = try await manager.credentials.confirmEmail(withCode: code, sentTo: "ada@example.com")
        try await manager.mail.openLink(try #require(service.mailLink(.emailChange, to: "countess@example.com")))
        await manager.wait { $0.user?.email == "countess@example.com" }
        // Nothing asks for the second factor again.
        try await manager.credentials.changePassword("another battery")
        #expect(service.openSessionCount == 1)
    }

    @Test("The client's own verification shows the user, and a factor that was removed elsewhere too")
    func elsewhere() async throws {
        let (service, manager, _) = await protected()
        let proof = try await signIn(manager)
        guard case .app(let app)? = proof.method else { throw CancellationError() }
        _ = try await service.service.verify(code: try #require(service.appCode()), of: app.id)
        await manager.wait { $0.phase == .authenticated }
        #expect(manager.isLoggedIn && manager.secondFactor == nil)
    }
}

@Suite("Fresh proofs", .timeLimit(.minutes(5))) @MainActor
struct FreshProofTests {
    private func user(answers: Bool = true) async -> (InMemoryAuthService, AuthManager) {
        let service = InMemoryAuthService.signedIn()
        service.serverSettings.allowsPasskeys = true
        let manager = service.makeManager()
        manager.answersProofQuestions = answers
        await manager.wait { $0.isProfileLoaded }
        return (service, manager)
    }

    @Test("The call asks, and goes on after the password; a wrong one asks again")
    func password() async throws {
        let (service, manager) = await user()
        service.meet(.freshProofNeeded, at: .deleteAccount)
        let profile = ProfileModel(manager: manager)
        profile.askToDelete()
        let deletion = profile.confirm()
        await manager.wait { $0.proofQuestion != nil }
        let proof = ProofModel(question: try #require(manager.proofQuestion), manager: manager)
        #expect(proof.method == .password && proof.question.need == .freshProof)
        await proof.submit(password: "wrong password")?.value
        #expect(proof.message?.text == "That isn't your account's password.")
        #expect(manager.isLoggedIn && manager.proofQuestion != nil)
        await proof.submit(password: Fixtures.password)?.value
        await deletion?.value
        #expect(manager.phase == .unauthenticated && service.account(email: "ada@example.com") == nil)
        #expect(service.calls.count { $0 == .deleteAccount } == 2)
    }

    @Test("A dismissed question ends the call without a message")
    func dismissed() async throws {
        let (service, manager) = await user()
        service.meet(.freshProofNeeded, at: .updateUser)
        let model = ChangePasswordModel(manager: manager)
        let work = model.submit(password: "another battery", confirmation: "another battery")
        await manager.wait { $0.proofQuestion != nil }
        let proof = ProofModel(question: try #require(manager.proofQuestion), manager: manager)
        #expect(proof.cancel() == nil)
        await work?.value
        #expect(model.message == nil && model.phase == .editing && manager.proofQuestion == nil && manager.error == nil)
    }

    @Test("An account with a second factor proves it, never its password")
    func secondFactor() async throws {
        let (service, manager) = await user()
        service.addApp()
        service.meet(.freshProofNeeded, at: .deleteAccount)
        let work = Task { try await manager.deleteAccount() }
        await manager.wait { $0.proofQuestion != nil }
        let proof = ProofModel(question: try #require(manager.proofQuestion), manager: manager)
        #expect(proof.question.methods.count == 2 && !proof.question.methods.contains(.password))
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        try await work.value
        #expect(manager.phase == .unauthenticated)
    }

    @Test("A session below the second factor asks for it when a change needs it")
    func lowSession() async throws {
        let (service, manager) = await user()
        service.addApp()
        let work = Task { try await manager.credentials.changePassword("another battery") }
        await manager.wait { $0.proofQuestion != nil }
        let proof = ProofModel(question: try #require(manager.proofQuestion), manager: manager)
        #expect(proof.question.need == .secondFactor)
        proof.code = try #require(service.appCode())
        await proof.submit()?.value
        try await work.value
        #expect(service.calls.count { $0 == .updateUser } == 2)
    }

    @Test("A passkey proves, if the account has one and no second factor")
    func passkey() async throws {
        let (service, manager) = await user()
        let passkeys = ScriptedPasskeys()
        try await manager.passkeys.add(with: passkeys)
        service.meet(.freshProofNeeded, at: .deleteAccount)
        let work = Task { try await manager.deleteAccount() }
        await manager.wait { $0.proofQuestion != nil }
        let proof = ProofModel(question: try #require(manager.proofQuestion), manager: manager)
        #expect(proof.question.methods == [.passkey, .password])
        await proof.submit(with: passkeys)?.value
        try await work.value
        #expect(!manager.isLoggedIn)
    }

    @Test("Without a screen that answers, the call throws at once, as does one of a user without any proof")
    func nobodyAnswers() async throws {
        let (service, manager) = await user(answers: false)
        service.meet(.freshProofNeeded, at: .deleteAccount)
        await #expect(throws: AuthError.freshSignInNeeded) { try await manager.deleteAccount() }
        #expect(manager.proofQuestion == nil)

        let other = InMemoryAuthService()
        other.addAccount(of: .ada, at: .apple)
        let guest = other.makeManager()
        guest.answersProofQuestions = true
        await guest.wait { $0.phase == .unauthenticated }
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        _ = try await guest.signInWithApple { try await sheet.apple(nonce: SignInNonce()) }
        other.meet(.freshProofNeeded, at: .deleteAccount)
        await #expect(throws: AuthError.freshSignInNeeded) { try await guest.deleteAccount() }
    }

    @Test("F12: The cancellation of a caller ends its wait; the question goes with the last one")
    func cancelled() async throws {
        let (service, manager) = await user()
        service.stay(.freshProofNeeded, at: .deleteAccount)
        service.stay(.freshProofNeeded, at: .updateUser)
        let deletion = Task { try await manager.deleteAccount() }
        await manager.wait { $0.proofQuestion != nil }
        let change = Task { try await manager.credentials.changePassword("another battery") }
        await until { service.calls.contains(.updateUser) }
        deletion.cancel()
        await #expect(throws: AuthError.cancelled) { try await deletion.value }
        await manager.wait { $0.proofQuestion != nil }
        change.cancel()
        await #expect(throws: AuthError.cancelled) { try await change.value }
        #expect(manager.proofQuestion == nil && !manager.isLoading && manager.isLoggedIn)
        #expect(manager.error == nil)
    }

    @Test("A sign-out ends the question, and the waiting call")
    func signOut() async throws {
        let (service, manager) = await user()
        service.meet(.freshProofNeeded, at: .deleteAccount)
        let work = Task { try await manager.deleteAccount() }
        await manager.wait { $0.proofQuestion != nil }
        await manager.signOut()
        await #expect(throws: AuthError.cancelled) { try await work.value }
        #expect(manager.proofQuestion == nil && service.account(email: "ada@example.com") != nil)
    }
}
