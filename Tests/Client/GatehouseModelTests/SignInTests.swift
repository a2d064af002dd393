import Foundation
import Gatehouse
import GatehouseModel
import TestSupport
import Testing

/// Provider tokens open the account of their address: the server has no Apple and Google.
private struct ProvidersThatVouch: AuthService {
    let live: LiveAuthService
    /// Apple's identifier for every user.
    static let person = "001.apple"

    var authStateChanges: AsyncStream<AuthChange> { live.authStateChanges }
    var notices: AsyncStream<AuthNotice> { live.notices }
    var initialState: AuthState { live.initialState }
    var redirectTo: URL? { live.redirectTo }
    var reachability: Reachability { live.reachability }
    var currentSession: AuthSession? { get async { await live.currentSession.map(Self.vouched) } }
    func settings() async throws -> AuthServerSettings { try await live.settings() }
    func sendPasswordMail(to email: String) async throws { try await live.sendPasswordMail(to: email) }
    func resendConfirmation(to email: String) async throws { try await live.resendConfirmation(to: email) }
    func sendSignInMail(to email: String) async throws { try await live.sendSignInMail(to: email) }
    func resendEmailChange(of email: String) async throws { try await live.resendEmailChange(of: email) }
    func verify(code: String, sentTo email: String, for purpose: EmailCodeType) async throws -> SessionOrUser {
        try await live.verify(code: code, sentTo: email, for: purpose)
    }
    func openMailLink(_ url: URL, replacing: @escaping @Sendable (AuthUser) async -> Bool) async throws {
        try await live.openMailLink(url, replacing: replacing)
    }
    func sessions() async throws -> [SessionInfo] { try await live.sessions() }
    func revokeSession(id: UUID) async throws { try await live.revokeSession(id: id) }
    func accessToken() async throws -> String { try await live.accessToken() }
    func signInAnonymously() async throws -> AuthSession { try await live.signInAnonymously() }
    func signIn(email: String, password: String) async throws -> AuthSession {
        try await live.signIn(email: email, password: password)
    }
    func signUp(email: String, password: String, firstName: String?) async throws -> SessionOrUser {
        try await live.signUp(email: email, password: password, firstName: firstName)
    }
    func signIn(with credentials: IDTokenCredentials) async throws -> AuthSession {
        Self.vouched(try await live.signIn(email: credentials.idToken, password: TestServer.password))
    }
    func signIn(with provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession {
        try await live.signIn(with: provider, in: browser)
    }
    func confirmLink(_ ticket: AuthLinkTicket) async throws -> AuthSession { try await live.confirmLink(ticket) }
    func confirmLink(_ ticket: AuthLinkTicket, email: String, password: String) async throws -> AuthSession {
        try await live.confirmLink(ticket, email: email, password: password)
    }
    func sendLinkCode(for ticket: AuthLinkTicket) async throws { try await live.sendLinkCode(for: ticket) }
    func confirmLink(_ ticket: AuthLinkTicket, code: String) async throws -> AuthSession {
        try await live.confirmLink(ticket, code: code)
    }
    func recoverAccount(with ticket: AuthLinkTicket) async throws -> AuthSession {
        try await live.recoverAccount(with: ticket)
    }
    func updateMetadata(_ data: AuthJSONObject) async throws { try await live.updateMetadata(data) }
    func update(user: AuthUserAttributes) async throws -> AuthUser { try await live.update(user: user) }
    func reauthenticate() async throws { try await live.reauthenticate() }
    func checkAppleCredential(_ credentials: AppleConsent) async -> Bool {
        await live.checkAppleCredential(credentials)
    }
    func link(_ provider: AuthProvider, in browser: any WebAuthenticator) async throws -> AuthSession {
        try await live.link(provider, in: browser)
    }
    func undoableLinks() async throws -> [AuthUndoableLink] { try await live.undoableLinks() }
    func undoLink(identityID: UUID) async throws { try await live.undoLink(identityID: identityID) }
    func identities() async throws -> [AuthUserIdentity] { try await live.identities() }
    func link(with credentials: IDTokenCredentials) async throws -> AuthSession {
        try await live.link(with: credentials)
    }
    func unlink(_ identity: AuthUserIdentity) async throws { try await live.unlink(identity) }
    func signOut() async throws { try await live.signOut() }
    func fetchMe() async throws -> SignedInAccount { try await live.fetchMe() }
    func updateProfile(_ change: ProfileChange) async throws -> SignedInAccount {
        try await live.updateProfile(change)
    }
    func deleteAccount() async throws { try await live.deleteAccount() }

    private static func vouched(_ session: AuthSession) -> AuthSession {
        var session = session
        let identity = AuthUserIdentity(id: person, identityID: nil, userID: session.user.id, provider: "apple")
        session.user.identities = (session.user.identities ?? []) + [identity]
        return session
    }
}

@Suite("Signing in through providers and screens") @MainActor
struct SignInTests {
    private static let credential = AppleCredential(
        idToken: "ada@example.com", nonce: "n", person: ProvidersThatVouch.person, firstName: " Ada ")

    @Test("A name from Apple survives a failed first exchange")
    func appleName() async throws {
        try await ModelWorld.with(wrap: { ProvidersThatVouch(live: $0) }) { world in
            _ = try await world.server.signUp()
            await until { world.manager.phase == .unauthenticated }
            world.network.fail("/token")
            await #expect(throws: AuthError.self) { try await world.manager.signInWithApple { Self.credential } }
            #expect(await world.storage.contents.keys.contains("gatehouse.apple-names"))
            world.network.clear()
            let nameless = AppleCredential(
                idToken: "ada@example.com", nonce: "n", person: ProvidersThatVouch.person, firstName: nil)
            #expect(try await world.manager.signInWithApple { nameless } == .signedIn)
            await until { await !world.storage.contents.keys.contains("gatehouse.apple-names") }
            await until { world.manager.user?.firstName == "Ada" }
            // Like hosted Supabase, ignores the name in the sign-in.
            #expect(world.network.calls.contains("PUT /auth/v1/user"))
            #expect(await world.client.currentUser?.userMetadata["full_name"] == "Ada")
        }
    }

    @Test("Apple's name does not replace the profile's")
    func appleNameIsSecond() async throws {
        try await ModelWorld.with(wrap: { ProvidersThatVouch(live: $0) }) { world in
            _ = try await world.server.signUp(data: ["first_name": "Augusta"])
            await until { world.manager.phase == .unauthenticated }
            try await world.manager.signInWithApple { Self.credential }
            await until { await !world.storage.contents.keys.contains("gatehouse.apple-names") }
            #expect(world.manager.user?.firstName == "Augusta")
            #expect(!world.network.calls.contains("PUT /auth/v1/user"))
        }
    }

    @Test("A cancelled sheet leaves a guest and shows nothing")
    func cancelled() async throws {
        try await ModelWorld.with { world in
            await until { world.manager.phase == .unauthenticated }
            let model = LoginModel(manager: world.manager)
            await model.signInWithApple { throw AuthError.cancelled }?.value
            #expect(model.phase == .editing)
            #expect(model.message == nil)
            #expect(world.manager.phase == .unauthenticated)
            #expect(
                world.events.events == [.methodSelected(.apple), .started(.apple), .cancelled(.apple)])
        }
    }

    @Test(
        "A browser that returns elsewhere, or without a code for this device, is useless",
        arguments: [
            "other://back?code=c", "app://elsewhere?code=c", "app://somebody@back?code=c", "app://back?code=c",
            "app://back",
        ])
    func callback(_ address: String) async throws {
        try await ModelWorld.with { world in
            await until { world.manager.phase == .unauthenticated }
            let model = LoginModel(manager: world.manager)
            let browser = AppBrowser(redirectTo: URL(string: "app://back")!) { _ in URL(string: address)! }
            await model.signIn(with: .google, in: browser)?.value
            #expect(!world.manager.isLoggedIn)
            let message = try #require(SignInMessage(.google, .invalidCallback))
            if address != "app://back?code=c" { #expect(model.phase == .refused(.google, message)) }
        }
    }

    @Test("The email form signs up, signs in, and shows errors")
    func form() async throws {
        try await ModelWorld.with { world in
            await until { world.manager.phase == .unauthenticated }
            let model = LoginModel(manager: world.manager, mode: .signUp)
            (model.form.email, model.form.name) = (" ada@example.com ", "Ada")
            await model.submit(password: "short", confirmation: "short")?.value
            #expect(world.network.calls.isEmpty)
            let password = TestServer.password
            await model.submit(password: password, confirmation: password)?.value
            #expect(model.isFinished)
            await world.manager.signOut()
            await model.submit(password: password, confirmation: password)?.value
            #expect(model.message == SignInMessage(.email, .userExists))
            model.flip()
            #expect(model.message == nil && model.form.email == " ada@example.com ", "the address comes along")
            await model.submit(password: "wrong password")?.value
            #expect(model.message == SignInMessage(.email, .wrongCredentials))
            world.network.fail("/token")
            await model.submit(password: password)?.value
            #expect(model.message == SignInMessage(.email, .noNetwork))
            world.network.clear()
            await model.submit(password: password)?.value
            #expect(model.isFinished)
            #expect(world.manager.user?.firstName == "Ada")
        }
    }

    @Test("The profile screen asks before a sign-out or a deletion, and shows a failure")
    func profileScreen() async throws {
        try await ModelWorld.with { world in
            try await world.signUp()
            let model = ProfileModel(manager: world.manager)
            await model.confirm()?.value
            #expect(world.manager.isLoggedIn)
            model.askToDelete()
            #expect(
                model.question
                    == "This will permanently delete your account and all your data. This cannot be undone.")
            world.network.fail("/me")
            await model.confirm()?.value
            let message: ModelText = "You're offline. Some features may be unavailable."
            #expect(model.phase == .failed(ProfileAlert(title: "Could Not Delete Account", message: message)))
            model.dismiss()
            world.network.clear()
            await model.save(ProfileChange(firstName: "Grace"))?.value
            #expect(model.user?.firstName == "Grace")
            model.askToSignOut()
            #expect(model.question == "Are you sure you want to sign out?")
            await model.confirm()?.value
            #expect(model.user == nil)
        }
    }
}
