import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Sign-up with a passkey")
struct PasskeySignUpTests {
    private final class Authenticator: PasskeyAuthenticator {
        let asked = Locked<[String]>([])
        let account: PasskeyAccount?
        let hasAccountSheet: Bool

        init(account: PasskeyAccount? = nil) { (self.account, hasAccountSheet) = (account, account != nil) }

        func create(_ options: AuthPasskeyRegistrationOptions, style _: PasskeyCreationStyle) throws -> AuthJSON {
            asked.withLock { $0.append("create \(options.userName)") }
            return ["id": "new4"]
        }

        func createAccount(_ options: AuthPasskeyRegistrationOptions) throws -> PasskeyAccount {
            asked.withLock { $0.append("account \(options.relyingPartyID) \(options.userHandle)") }
            guard let account else { throw PasskeyAccountProblem.unavailable }
            return account
        }

        func get(_ options: AuthPasskeyAuthenticationOptions, style: PasskeyRequestStyle) throws -> AuthJSON {
            let allowed = options.options["allowCredentials"]?.arrayValue?.compactMap { $0["id"]?.stringValue } ?? []
            asked.withLock { $0.append("get \(allowed) \(options.allowedCredentials.count) \(style)") }
            return ["id": "new4"]
        }

        func signal(_ signal: PasskeySignal) {
            if case .unknown = signal {
                asked.withLock { $0.append("unknown") }
            } else {
                asked.withLock { $0.append("told") }
            }
        }
    }

    private static let id = UUID(uuidString: "A1B2C3D4-0000-4000-8000-000000000002")!

    private func signUp(mayBeStored: Bool = false) -> PasskeySignUp {
        var signUp = PasskeySignUp(
            challengeID: Self.id, credential: ["id": "new4"], relyingPartyID: "example.org", email: "a@b.c")
        signUp.mayBeStored = mayBeStored
        return signUp
    }

    private func server(_ replies: HTTPReply...) -> ScriptedAnswers {
        ScriptedAnswers([ScriptedAnswers.json(PasskeyAnswers.registration)] + replies)
    }

    @Test("A sign-up creates the passkey with the server's options, sends address and data, and keeps the session")
    func whole() async throws {
        let server = server(ScriptedAnswers.session)
        let (client, keys) = (try server.client(), Authenticator())
        let session = try await client.signUpWithPasskey(email: "a@b.c", data: ["first_name": "Ada"], with: keys)
        #expect(keys.asked.withLock { $0 } == ["create ada@example.com"])
        #expect(
            server.requests == [
                #"POST /passkeys/signup/options {"data":{"first_name":"Ada"},"email":"a@b.c"}"#,
                #"POST /passkeys/signup/verify {"challenge_id":"\#(Self.id.uuidString.lowercased())","#
                    + #""credential":{"id":"new4"},"data":{"first_name":"Ada"},"email":"a@b.c"}"#,
            ])
        #expect(await client.currentSession == session)
    }

    @Test("The system's sheet gets options without an address, and its address and name come with the passkey")
    func sheet() async throws {
        let server = server(ScriptedAnswers.session)
        let account = PasskeyAccount(
            credential: ["id": "new4"], email: "ada@example.com", name: AppleName(given: "Ada", family: "Lovelace"))
        let (client, keys) = (try server.client(), Authenticator(account: account))
        let signUp = try await client.passkeySignUp(inSheetOf: keys)
        #expect(signUp.email == "ada@example.com")
        #expect(signUp.data == ["first_name": "Ada", "full_name": "Ada Lovelace"])
        try await client.signUp(with: signUp, telling: keys)
        #expect(keys.asked.withLock { $0 } == ["account example.org [48, 102, 54, 100]"])
        #expect(server.requests.first == "POST /passkeys/signup/options {}")
        #expect(server.requests.last?.contains(#""email":"ada@example.com""#) == true)
    }

    @Test("Without a sheet, nothing further is sent")
    func noSheet() async throws {
        let server = server(ScriptedAnswers.session)
        let client = try server.client()
        await #expect(throws: PasskeyAccountProblem.unavailable) {
            try await client.passkeySignUp(inSheetOf: Authenticator())
        }
        #expect(server.requests.count == 1)
    }

    @Test(
        "A refused passkey is reported as unknown, unless the server may have it",
        arguments: [
            (400, "webauthn_verification_failed", true), (400, "webauthn_challenge_expired", true),
            (422, "user_already_exists", true), (422, "webauthn_credential_exists", false),
            (400, "webauthn_challenge_not_found", false), (429, "over_email_send_rate_limit", false),
            (500, "unexpected_failure", false),
        ])
    func refused(status: Int, code: String, isUnknown: Bool) async throws {
        let server = ScriptedAnswers([ScriptedAnswers.refusal(status, code)])
        let (client, keys) = (try server.client(), Authenticator())
        await #expect(throws: AuthClientError.self) { try await client.signUp(with: signUp(), telling: keys) }
        #expect(keys.asked.withLock { $0 } == (isUnknown ? ["unknown"] : []))
        #expect(server.requests.count == 1)
        #expect(await client.currentSession == nil)
    }

    @Test(
        "After a lost response, a sign-up that the server has stored signs in with its passkey, and with no other",
        arguments: ["webauthn_challenge_not_found", "webauthn_challenge_expired", "webauthn_credential_exists"])
    func stored(code: String) async throws {
        let server = ScriptedAnswers([
            ScriptedAnswers.refusal(400, code), ScriptedAnswers.json(PasskeyAnswers.authentication),
            ScriptedAnswers.session,
        ])
        let (client, keys) = (try server.client(), Authenticator())
        let session = try await client.signUp(with: signUp(mayBeStored: true), telling: keys)
        #expect(keys.asked.withLock { $0 } == [#"get ["new4"] 1 sheet"#])
        #expect(await client.currentSession == session)
    }

    @Test("After a lost response no passkey is reported as unknown: the first request may still be on its way")
    func notStored() async throws {
        for code in ["webauthn_verification_failed", "user_banned"] {
            let server = ScriptedAnswers([
                ScriptedAnswers.refusal(400, "webauthn_challenge_not_found"),
                ScriptedAnswers.json(PasskeyAnswers.authentication), ScriptedAnswers.refusal(400, code),
            ])
            let (client, keys) = (try server.client(), Authenticator())
            await #expect(throws: AuthClientError.self) {
                try await client.signUp(with: signUp(mayBeStored: true), telling: keys)
            }
            #expect(keys.asked.withLock { $0 } == [#"get ["new4"] 1 sheet"#])
        }
        let keys = Authenticator()
        let client = try ScriptedAnswers([ScriptedAnswers.refusal(422, "signup_disabled")]).client()
        await #expect(throws: AuthClientError.self) {
            try await client.signUp(with: signUp(mayBeStored: true), telling: keys)
        }
        #expect(keys.asked.withLock { $0 } == [])
    }

    @Test("The mail's link belongs to this device while the address waits, and to no flow after a refusal")
    func flow() async throws {
        let target = try #require(URL(string: "app://callback"))
        var members = GoldenRequest.session.objectValue ?? [:]
        var user = GoldenRequest.user.objectValue ?? [:]
        user["new_email"] = "a@b.c"
        members["user"] = .object(user)
        for (reply, flows) in [
            (ScriptedAnswers.json(.object(members)), 1), (ScriptedAnswers.session, 0),
            (ScriptedAnswers.refusal(422, "signup_disabled"), 0),
        ] {
            let server = ScriptedAnswers([reply])
            let client = try server.client()
            // Ignored: the refusal of the last example.
            _ = try? await client.signUp(with: signUp(), redirectTo: target, telling: Authenticator())
            #expect(await server.pendingVerifiers == flows)
            #expect(server.requests.first?.hasPrefix("POST /passkeys/signup/verify?redirect_to=app") == true)
            #expect(server.requests.first?.contains("code_challenge") == true)
        }
    }

    @Test("After a lost response to another passkey, password managers are told which ones the account has")
    func lostRegistration() async throws {
        let server = ScriptedAnswers([
            ScriptedAnswers.session, ScriptedAnswers.json(PasskeyAnswers.registration), HTTPReply(status: 502),
            ScriptedAnswers.json(PasskeyAnswers.registration),
        ])
        let (client, keys) = (try await server.signedIn(), Authenticator())
        await #expect(throws: AuthClientError.self) { try await client.registerPasskey(with: keys, style: .automatic) }
        #expect(keys.asked.withLock { $0 } == ["create ada@example.com", "told", "told"])
        #expect(server.requests.last == "POST /passkeys/registration/options")
    }

    @Test("Passkeys and their challenges are not printed")
    func unprinted() {
        let account = PasskeyAccount(credential: ["id": "secret"], email: "a@b.c", name: nil)
        let signUp = PasskeySignUp(challengeID: Self.id, credential: ["id": "secret"], relyingPartyID: "example.org")
        for value in [account, signUp] as [any Sendable] {
            var text = "\(value) \(String(reflecting: value))"
            dump(value, to: &text)
            #expect(!text.contains("secret\""), "\(text)")
        }
    }
}
