import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import Testing

/// Both follow the companies' documentation, and must agree.
@Suite("The stand-ins and IdentityProviders agree")
struct ProviderAgreementTests {
    private func transport(_ router: DevRouter) -> ProviderTransport {
        { request in
            var headers: HTTPFields = [:]
            for (name, value) in request.headers {
                guard let name = HTTPField.Name(name) else { continue }
                headers[name] = value
            }
            headers[.authorization] = request.authorization?.reveal()
            let path = request.url.text.replacing(DevRouter.external, with: "")
            let answer = try await router.send(
                request.method == .get ? .get : .post, path, headers: headers, body: request.body?.reveal() ?? "")
            return ProviderResponse(status: answer.status, body: Array(answer.text.utf8))
        }
    }

    private func apple(_ router: DevRouter) throws -> OpenIDProvider {
        let key = try AppleSigningKey(
            pem: router.apple.privateKey, keyID: router.apple.keyID, teamID: router.apple.teamID)
        return try provider(
            .apple(
                clientIDs: [router.apple.webClient] + router.apple.apps, credential: .appleKey(key),
                base: router.apple.base, issuers: [router.apple.issuer]), router)
    }

    private func google(_ router: DevRouter) throws -> OpenIDProvider {
        try provider(
            .google(
                clientIDs: [router.google.webClient] + router.google.apps, credential: .secret(router.google.secret),
                issuer: router.google.issuer), router)
    }

    private func provider(_ settings: ProviderSettings, _ router: DevRouter) throws -> OpenIDProvider {
        try OpenIDProvider(
            settings, rule: OutgoingAddressRule(allowsLoopback: true), now: { router.now }, transport: transport(router)
        )
    }

    private let secrets = AuthorizationSecrets(randomBytes: { Array(0..<UInt8($0)) })

    private func choose(_ person: String, at provider: OpenIDProvider, _ router: DevRouter) async throws -> DevAnswer {
        let request = AuthorizationRequest(
            state: "state-1", secrets: secrets, redirectURL: DevRouter.callback,
            extra: [(name: "access_type", value: "offline")])
        let url = try await provider.authorizationURL(request).replacing(DevRouter.external, with: "")
        #expect(try await router.send(.get, url).status == 200)
        return try await router.send(
            .post, url, headers: [.contentType: "application/x-www-form-urlencoded"], body: "person=\(person)")
    }

    @Test("A sign-in with Apple in a browser, and its revocation (D2)", arguments: Known.all)
    func appleInBrowser(_ known: Known) async throws {
        let router = try DevRouter()
        let provider = try apple(router)
        let code = try await choose(known.person, at: provider, router).hiddenFields["code"] ?? ""
        let tokens = try await provider.exchange(
            code: Secret(code), verifier: nil, redirectURL: DevRouter.callback, at: router.now)
        let identity = try await provider.identity(of: tokens, nonce: secrets.nonce, at: router.now)
        expect(identity, known)
        let token = try #require(tokens.refreshToken)
        _ = try await provider.revoke(token, client: tokens.client, at: router.now)
        #expect(router.standIns.apple.revocations.map(\.subject) == [identity.subject])
    }

    @Test("A sign-in with Google in a browser, and its revocation (D3)", arguments: Known.all.filter { !$0.isRelay })
    func googleInBrowser(_ known: Known) async throws {
        let router = try DevRouter()
        let provider = try google(router)
        let callback = try await choose(known.person, at: provider, router).callback
        try await provider.checkCallback(issuer: callback["iss"])
        let tokens = try await provider.exchange(
            code: Secret(callback["code"] ?? ""), verifier: secrets.verifier, redirectURL: DevRouter.callback,
            at: router.now)
        let identity = try await provider.identity(of: tokens, nonce: secrets.nonce, at: router.now)
        expect(identity, known)
        let token = try #require(tokens.refreshToken)
        _ = try await provider.revoke(token, client: tokens.client, at: router.now)
        #expect(router.standIns.google.revocations.map(\.subject) == [identity.subject])
    }

    @Test("Native ID tokens of both (D4)")
    func native() async throws {
        let router = try DevRouter()
        // SHA-256 of "12345" in hexadecimal.
        let digest = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
        let fromApple = try await router.appleCredential(["nonce": .string(digest)])["identityToken"] ?? ""
        let fromGoogle = try await router.googleCredential([
            "nonce": "12345", "server_client_id": .string(router.google.webClient),
        ])
        let atApple = try await apple(router).verify(
            idToken: Secret(fromApple), nonce: .presented("12345"), at: router.now)
        let atGoogle = try await google(router).verify(
            idToken: Secret(fromGoogle["idToken"] ?? ""), accessToken: Secret(fromGoogle["accessToken"] ?? ""),
            nonce: .presented("12345"), at: router.now)
        for identity in [atApple, atGoogle] { expect(identity, Known.all[0]) }
    }

    @Test("A wrong nonce is refused, and a failing token endpoint is not a refusal (D4, E7)")
    func troubles() async throws {
        let router = try DevRouter()
        let provider = try google(router)
        func signIn(_ person: String) async throws {
            let code = try await choose(person, at: provider, router).callback["code"] ?? ""
            let tokens = try await provider.exchange(
                code: Secret(code), verifier: secrets.verifier, redirectURL: DevRouter.callback, at: router.now)
            _ = try await provider.identity(of: tokens, nonce: secrets.nonce, at: router.now)
        }
        await #expect(throws: ProviderFailure.rejected(.nonceMismatch(seen: .base64URLDigest))) {
            try await signIn("wrong-nonce")
        }
        await #expect(throws: ProviderFailure.unavailable(.tokens, .status(503))) {
            try await signIn("provider-error")
        }
    }

    @Test("An Apple notification is read as it was sent")
    func notification() async throws {
        let router = try DevRouter()
        let sent = try await router.post("/dev/apple/notify", json: ["person": "hidden", "event": "email-disabled"])
        let body = try #require(router.posted.all.first).json.text
        let notification = try await apple(router).appleNotification(Array(body.utf8), at: router.now)
        #expect(notification.events.map(\.kind) == [.emailDisabled])
        #expect(notification.events.first?.subject == sent["sub"])
        #expect(notification.events.first?.isPrivateRelay == true)
        #expect(notification.events.first?.occurredAt == router.now)
    }

    private func expect(_ identity: VerifiedIdentity, _ known: Known) {
        #expect(identity.email == known.email)
        #expect(identity.isEmailVerified == known.isVerified)
        #expect(identity.isPrivateRelay == known.isRelay)
    }
}
