import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("Users with an account at Apple or Google")
struct ProviderTests {
    let service = InMemoryAuthService()

    private func signIn(_ person: ProviderPerson, at provider: AuthProvider = .apple) async throws -> UUID {
        try await service.service.signIn(with: person.credentials(from: provider)).user.id
    }

    @Test("The same user has the same account, each time and on each device")
    func same() async throws {
        let first = try await signIn(.ada)
        try await service.service.signOut()
        #expect(try await signIn(.ada) == first)
        #expect(try await signIn(.grace) != first)
        #expect(try await signIn(.hidingEmail) != first)
        #expect(try await signIn(.withoutEmail) != first)
        #expect(await service.service.currentSession?.user.email == nil)
    }

    @Test("An address proven on both sides is one account; any other needs its owner (D7)")
    func address() async throws {
        let apple = try await signIn(.ada)
        #expect(try await signIn(.ada, at: .google) == apple)
        #expect(await service.service.currentSession?.user.identities?.map(\.provider) == ["apple", "google"])
        service.addAccount(email: "grace@example.com")
        // Unproven, and another person at the provider, as after a company reassigned the address.
        let next = ProviderPerson(id: "x", email: "ada@example.com")
        for (person, canRecover) in [(ProviderPerson.grace, true), (next, false)] {
            let error = await #expect(throws: AuthClientError.self) { try await signIn(person) }
            #expect(error?.code == .identityNeedsConfirmation && error?.linkQuestion?.email == person.email)
            #expect(error?.linkQuestion?.canRecover == canRecover)
        }
    }

    @Test("An unverified address decides nothing")
    func unverified() async throws {
        let ada = try await signIn(.ada)
        let unverified = ProviderPerson(id: "x", email: "ada@example.com", isEmailVerified: false)
        #expect(try await signIn(unverified) != ada)
        #expect(await service.service.currentSession?.user.email == nil)
    }

    @Test("An unfinished sign-up becomes the account of the address's owner")
    func unfinished() async throws {
        let service = InMemoryAuthService(confirmsAutomatically: false)
        let id = try await service.service.signUp(email: "ada@example.com", password: "12345678", firstName: "Eve")
            .user?.id
        let session = try await service.service.signIn(with: ProviderPerson.ada.credentials(from: .google))
        #expect(session.user.id == id && session.user.identities?.map(\.provider) == ["google"])
        #expect(try await service.service.fetchMe().profile?.firstName == "Ada")
        await #expect(throws: AuthClientError.self) {
            try await service.service.signIn(email: "ada@example.com", password: "12345678")
        }
    }

    @Test("A sign-in method that its owner removed asks before it returns")
    func removed() async throws {
        let ada = try await signIn(.ada)
        _ = try await signIn(.ada, at: .google)
        let google = try #require(try await service.service.identities().last)
        try await service.service.unlink(google)
        let error = await #expect(throws: AuthClientError.self) { try await signIn(.ada, at: .google) }
        let question = try #require(error?.linkQuestion)
        #expect(question.signInMethods == ["apple"] && !question.canRecover)
        #expect(try await signIn(.ada) == ada)
        #expect(
            try await service.service.confirmLink(question.ticket).user.identities?.map(\.provider) == [
                "apple", "google",
            ])
    }

    @Test("A token with another nonce, of another provider, or unsigned is refused")
    func tokens() async throws {
        let good = ProviderPerson.ada.credentials(from: .apple, nonce: SignInNonce(raw: "n"))
        _ = try await service.service.signIn(with: good)
        let tokens: [(AuthProvider, String, String?)] = [
            (.apple, good.idToken, "another"), (.apple, good.idToken, nil), (.google, good.idToken, "n"),
            (.apple, "", nil), (.apple, "a.b.c", nil), (.apple, "e30.e30.", nil), (.apple, "no token", nil),
        ]
        for (provider, token, nonce) in tokens {
            let wrong = IDTokenCredentials(provider: provider, idToken: token, nonce: nonce)
            await #expect(throws: AuthClientError.refused(AuthRefusal(status: 400, code: nil, message: "in memory"))) {
                try await service.service.signIn(with: wrong)
            }
        }
    }

    @Test("Apple gives a name only the first time, and only if requested")
    func sheet() async throws {
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        let nonce = SignInNonce(raw: "n")
        let names = [
            try await sheet.apple(nonce: nonce).firstName, try await sheet.apple().firstName,
            try await ScriptedProviderSheet(.signsIn(.ada)).apple(scopes: ["email"]).firstName,
        ]
        #expect(names == ["Ada", nil, nil])
        #expect(sheet.requests.map(\.provider) == [.apple, .apple])
        #expect(sheet.requests.map(\.nonce) == [nonce.hashed, nil])
        #expect(sheet.requests.first?.scopes == ["name", "email"])
        let nameless = try await ScriptedProviderSheet(.signsIn(.ada)).apple(scopes: ["name"])
        #expect(try await service.service.signIn(with: nameless.credentials).user.email == nil)
    }

    @Test("A sheet is cancelled, fails, is offline, or stays open, as scripted")
    func script() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .fails, .isOffline, .signsIn(.grace))
        await #expect(throws: AuthError.cancelled) { try await sheet.apple() }
        await #expect(throws: AuthError.providerFailed) { try await sheet.google() }
        await #expect(throws: URLError(.notConnectedToInternet)) { try await sheet.google() }
        sheet.hold()
        let open = Task { try await sheet.google().provider }
        await until { sheet.heldCount == 1 }
        sheet.release()
        #expect(try await open.value == .google)
        #expect(try await sheet.google().provider == .google)
        await #expect(throws: AuthError.cancelled) { try await ScriptedProviderSheet().apple() }
    }

    /// Returns to an address chosen by the test.
    private struct Browser: WebAuthenticator {
        let redirect: URL
        let show: @Sendable (URL) async throws -> URL

        func authenticate(_ address: @Sendable (URL) async throws -> URL) async throws -> URL {
            try await show(try await address(redirect))
        }
    }

    @Test("A browser returns with a code for its own flow, once")
    func browser() async throws {
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        let back = URL(string: "app://back?from=gatehouse")!
        let kept = Locked<URL?>(nil)
        let browser = Browser(redirect: back) { address in
            let callback = try await sheet.browser(address)
            kept.withLock { $0 = callback }
            return callback
        }
        #expect(try await service.service.signIn(with: .google, in: browser).user.email == "ada@example.com")
        let callback = try #require(kept.withLock { $0 })
        #expect(callback.absoluteString.hasPrefix("app://back?from=gatehouse&code="))
        let otherFlow = AuthRefusal(status: 400, code: .badCodeVerifier, message: "in memory")
        await #expect(throws: AuthClientError.refused(otherFlow)) {
            try await service.service.signIn(with: .google, in: Browser(redirect: back) { _ in callback })
        }
        let elsewhere = Browser(redirect: back) { _ in URL(string: "app://elsewhere?code=c")! }
        await #expect(throws: AuthClientError.invalidCallback) {
            try await service.service.signIn(with: .google, in: elsewhere)
        }
        await #expect(throws: AuthError.invalidCallback) {
            try await sheet.browser(URL(string: "https://example.org")!)
        }
    }

    @Test("The hash of a nonce is its SHA-256, and no two are the same")
    func nonce() {
        // FIPS 180-4's example.
        #expect(
            SignInNonce(raw: "abc").hashed == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(SignInNonce().raw.utf8.count == 43)
        #expect(SignInNonce() != SignInNonce())
    }
}
