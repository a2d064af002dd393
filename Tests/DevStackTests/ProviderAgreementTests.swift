import DevStack
import GatehouseWire
import HTTPTypes
import IdentityProviders
import Testing

/// Our provider code against the stand-ins: both follow the companies' documentation, and must agree.
@Suite("The stand-ins and IdentityProviders agree")
struct ProviderAgreementTests {
    private func transport(_ door: DevDoor) -> ProviderTransport {
        { request in
            var headers: HTTPFields = [:]
            for (name, value) in request.headers {
                guard let name = HTTPField.Name(name) else { continue }
                headers[name] = value
            }
            headers[.authorization] = request.authorization?.reveal()
            let path = request.url.text.replacing(DevDoor.external, with: "")
            let answer = try await door.send(
                request.method == .get ? .get : .post, path, headers: headers, body: request.body?.reveal() ?? "")
            return ProviderResponse(status: answer.status, body: Array(answer.text.utf8))
        }
    }

    private func apple(_ door: DevDoor) throws -> OpenIDProvider {
        let key = try AppleSigningKey(
            pem: door.apple.privateKey, keyID: door.apple.keyID, teamID: door.apple.teamID)
        return try provider(
            .apple(
                clientIDs: [door.apple.webClient] + door.apple.apps, credential: .appleKey(key),
                base: door.apple.base, issuers: [door.apple.issuer]), door)
    }

    private func google(_ door: DevDoor) throws -> OpenIDProvider {
        try provider(
            .google(
                clientIDs: [door.google.webClient] + door.google.apps, credential: .secret(door.google.secret),
                issuer: door.google.issuer), door)
    }

    private func provider(_ settings: ProviderSettings, _ door: DevDoor) throws -> OpenIDProvider {
        try OpenIDProvider(
            settings, rule: OutgoingAddressRule(allowsLoopback: true), now: { door.now }, transport: transport(door))
    }

    private let secrets = AuthorizationSecrets(randomBytes: { Array(0..<UInt8($0)) })

    /// Sends a browser to the provider and chooses a person there.
    private func choose(_ person: String, at provider: OpenIDProvider, _ door: DevDoor) async throws -> DevAnswer {
        let request = AuthorizationRequest(
            state: "state-1", secrets: secrets, redirectURL: DevDoor.callback,
            extra: [(name: "access_type", value: "offline")])
        let url = try await provider.authorizationURL(request).replacing(DevDoor.external, with: "")
        #expect(try await door.send(.get, url).status == 200)
        return try await door.send(
            .post, url, headers: [.contentType: "application/x-www-form-urlencoded"], body: "person=\(person)")
    }

    @Test("A sign-in with Apple in a browser, and its revocation (D2)", arguments: Known.all)
    func appleInBrowser(_ known: Known) async throws {
        let door = try DevDoor()
        let provider = try apple(door)
        let code = try await choose(known.person, at: provider, door).hiddenFields["code"] ?? ""
        let tokens = try await provider.exchange(
            code: Secret(code), verifier: nil, redirectURL: DevDoor.callback, at: door.now)
        let identity = try await provider.identity(of: tokens, nonce: secrets.nonce, at: door.now)
        expect(identity, known)
        let token = try #require(tokens.refreshToken)
        _ = try await provider.revoke(token, client: tokens.client, at: door.now)
        #expect(door.standIns.apple.revocations.map(\.subject) == [identity.subject])
    }

    @Test("A sign-in with Google in a browser, and its revocation (D3)", arguments: Known.all.filter { !$0.isRelay })
    func googleInBrowser(_ known: Known) async throws {
        let door = try DevDoor()
        let provider = try google(door)
        let callback = try await choose(known.person, at: provider, door).callback
        try await provider.checkCallback(issuer: callback["iss"])
        let tokens = try await provider.exchange(
            code: Secret(callback["code"] ?? ""), verifier: secrets.verifier, redirectURL: DevDoor.callback,
            at: door.now)
        let identity = try await provider.identity(of: tokens, nonce: secrets.nonce, at: door.now)
        expect(identity, known)
        let token = try #require(tokens.refreshToken)
        _ = try await provider.revoke(token, client: tokens.client, at: door.now)
        #expect(door.standIns.google.revocations.map(\.subject) == [identity.subject])
    }

    @Test("Native ID tokens of both (D4)")
    func native() async throws {
        let door = try DevDoor()
        // SHA-256 of "12345" in hexadecimal, as an app sends it to Apple.
        let digest = "5994471abb01112afcc18159f6cc74b4f511b99806da59b3caf5a9c173cacfc5"
        let fromApple = try await door.appleCredential(["nonce": .string(digest)])["identityToken"] ?? ""
        let fromGoogle = try await door.googleCredential([
            "nonce": "12345", "server_client_id": .string(door.google.webClient),
        ])
        let atApple = try await apple(door).verify(
            idToken: Secret(fromApple), nonce: .presented("12345"), at: door.now)
        let atGoogle = try await google(door).verify(
            idToken: Secret(fromGoogle["idToken"] ?? ""), accessToken: Secret(fromGoogle["accessToken"] ?? ""),
            nonce: .presented("12345"), at: door.now)
        for identity in [atApple, atGoogle] { expect(identity, Known.all[0]) }
    }

    @Test("A wrong nonce is refused, and a failing token endpoint is not a refusal (D4, E7)")
    func troubles() async throws {
        let door = try DevDoor()
        let provider = try google(door)
        func signIn(_ person: String) async throws {
            let code = try await choose(person, at: provider, door).callback["code"] ?? ""
            let tokens = try await provider.exchange(
                code: Secret(code), verifier: secrets.verifier, redirectURL: DevDoor.callback, at: door.now)
            _ = try await provider.identity(of: tokens, nonce: secrets.nonce, at: door.now)
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
        let door = try DevDoor()
        let sent = try await door.post("/dev/apple/notify", json: ["person": "hidden", "event": "email-disabled"])
        let body = try #require(door.posted.all.first).json.text
        let notification = try await apple(door).appleNotification(Array(body.utf8), at: door.now)
        #expect(notification.events.map(\.kind) == [.emailDisabled])
        #expect(notification.events.first?.subject == sent["sub"])
        #expect(notification.events.first?.isPrivateRelay == true)
        #expect(notification.events.first?.occurredAt == door.now)
    }

    private func expect(_ identity: VerifiedIdentity, _ known: Known) {
        #expect(identity.email == known.email)
        #expect(identity.isEmailVerified == known.isVerified)
        #expect(identity.isPrivateRelay == known.isRelay)
    }
}
