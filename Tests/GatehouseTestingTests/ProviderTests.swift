import Foundation
import Gatehouse
import GatehouseModel
import GatehouseTesting
import Testing

@Suite("People with an account at Apple or Google")
struct ProviderTests {
    let service = InMemoryAuthService()

    private func signIn(_ person: ProviderPerson, at provider: Provider = .apple) async throws -> UUID {
        try await service.signIn(with: person.credentials(from: provider)).user.id
    }

    @Test("The same person has the same account, each time and at each device")
    func same() async throws {
        let first = try await signIn(.ada)
        try await service.signOut()
        #expect(try await signIn(.ada) == first)
        #expect(try await signIn(.grace) != first)
        #expect(try await signIn(.hidingEmail) != first)
        #expect(try await signIn(.withoutEmail) != first)
        #expect(await service.currentSession?.user.email == nil)
    }

    @Test("An address that both sides have proven is one account; any other needs its owner (D7)")
    func address() async throws {
        let apple = try await signIn(.ada)
        #expect(try await signIn(.ada, at: .google) == apple)
        #expect(await service.currentSession?.user.identities?.map(\.provider) == ["apple", "google"])
        service.addAccount(email: "grace@example.com")
        await #expect(throws: Self.refusal("identity_needs_confirmation")) { try await signIn(.grace) }
        let unverified = ProviderPerson(id: "x", email: "ada@example.com", isEmailVerified: false)
        await #expect(throws: Self.refusal("identity_needs_confirmation")) { try await signIn(unverified) }
    }

    private static func refusal(_ code: String) -> AuthClientError {
        .refused(AuthRefusal(status: 422, code: AuthErrorCode(rawValue: code)))
    }

    @Test("A token with another nonce, of another provider, or of nobody is refused")
    func tokens() async throws {
        let good = ProviderPerson.ada.credentials(from: .apple, nonce: SignInNonce(raw: "n"))
        _ = try await service.signIn(with: good)
        let tokens: [(Provider, String, String?)] = [
            (.apple, good.idToken, "another"), (.apple, good.idToken, nil), (.google, good.idToken, "n"),
            (.apple, "", nil), (.apple, "a.b.c", nil), (.apple, "e30.e30.", nil), (.apple, "no token", nil),
        ]
        for (provider, token, nonce) in tokens {
            let wrong = OpenIDConnectCredentials(provider: provider, idToken: token, nonce: nonce)
            await #expect(throws: AuthClientError.refused(AuthRefusal(status: 400, code: .validationFailed))) {
                try await service.signIn(with: wrong)
            }
        }
    }

    @Test("Apple gives a name the first time only, and what was asked for")
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
        #expect(try await service.signIn(with: nameless.credentials).user.email == nil)
    }

    @Test("A sheet is cancelled, fails, is offline, or stays open, as the script says")
    func script() async throws {
        let sheet = ScriptedProviderSheet(.cancels, .fails, .isOffline, .signsIn(.grace))
        await #expect(throws: SignInFailure.cancelled) { try await sheet.apple() }
        await #expect(throws: SignInFailure.providerFailed) { try await sheet.google() }
        await #expect(throws: URLError(.notConnectedToInternet)) { try await sheet.google() }
        sheet.hold()
        let open = Task { try await sheet.google().provider }
        await until { sheet.heldCount == 1 }
        sheet.release()
        #expect(try await open.value == .google)
        #expect(try await sheet.google().provider == .google)
        await #expect(throws: SignInFailure.cancelled) { try await ScriptedProviderSheet().apple() }
    }

    @Test("A browser comes back with a code that fits its own flow, once")
    func browser() async throws {
        let sheet = ScriptedProviderSheet(.signsIn(.ada))
        let back = URL(string: "app://back?from=gatehouse")!
        let address = try await service.browserAddress(for: .google, redirectTo: back)
        let callback = try await sheet.browser(address)
        #expect(callback.absoluteString.hasPrefix("app://back?from=gatehouse&code="))
        #expect(try await service.finishSignIn(from: callback).user.email == "ada@example.com")
        await #expect(throws: AuthClientError.unknownFlow) { try await service.finishSignIn(from: callback) }
        await #expect(throws: SignInFailure.invalidCallback) {
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
