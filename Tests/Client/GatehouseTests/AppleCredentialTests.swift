import Foundation
import Gatehouse
import GatehouseWire
import Testing

@Suite("Apple's credential state")
struct AppleCredentialTests {
    private static func session(_ identities: [AuthJSON]) -> HTTPReply {
        var (session, user) = (GoldenRequest.session.objectValue ?? [:], GoldenRequest.user.objectValue ?? [:])
        user["identities"] = .array(identities)
        session["user"] = .object(user)
        return ScriptedAnswers.json(.object(session))
    }

    private static func identity(_ provider: String, _ id: String, sub: String? = nil) -> AuthJSON {
        [
            "id": .string(id), "user_id": "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "provider": .string(provider),
            "identity_data": .object(sub.map { ["sub": .string($0)] } ?? [:]),
        ]
    }

    private static let apple = session([identity("email", "1"), identity("apple", "a", sub: "001.ada")])

    /// Returns the same state for every user, and records the requests.
    private final class Apple: Sendable {
        let asked = Locked<[String]>([])
        let state: Locked<AppleCredentialState>
        init(_ state: AppleCredentialState) { self.state = Locked(state) }

        var credentials: AppleConsent {
            AppleConsent { [self] person in
                asked.withLock { $0.append(person) }
                return state.withLock { $0 }
            }
        }
    }

    @Test("A user who stopped using Apple for this app is signed out, with the reason in event and state")
    func revoked() async throws {
        let answers = ScriptedAnswers([Self.apple, ScriptedAnswers.json([:])])
        let client = try await answers.signedIn()
        let listener = await Listener(to: client)
        let apple = Apple(.revoked)
        #expect(await client.checkAppleCredential(apple.credentials))
        #expect(apple.asked.withLock { $0 } == ["001.ada"])
        #expect(await client.state == .signedOut(.consentRevoked))
        await listener.waits(for: 2)
        #expect(await listener.events == [.initialSession, .signedOut(.consentRevoked)])
        #expect(answers.requests.last == "POST /logout?scope=local")
        #expect(answers.bearers.last == "access")
        #expect(await answers.storage.read("gatehouse.refresh-token") == .absent)
        await #expect(throws: AuthClientError.signedOut(.endedByServer(.consentRevoked))) { try await client.session }
    }

    @Test(
        "Every other state changes nothing: a new device, or one without a network, knows no user",
        arguments: [AppleCredentialState.authorized, .notFound, .transferred, .unavailable])
    func others(_ state: AppleCredentialState) async throws {
        let answers = ScriptedAnswers([Self.apple])
        let client = try await answers.signedIn()
        let apple = Apple(state)
        #expect(await !client.checkAppleCredential(apple.credentials))
        #expect(apple.asked.withLock { $0 }.count == 1)
        #expect(await client.currentSession != nil)
        #expect(answers.requests.count == 1)
    }

    @Test("Guests and accounts without Apple are not checked")
    func notAsked() async throws {
        let apple = Apple(.revoked)
        #expect(await !(try ScriptedAnswers([Self.apple]).client().checkAppleCredential(apple.credentials)))
        let client = try await ScriptedAnswers([Self.session([Self.identity("google", "g")])]).signedIn()
        #expect(await !client.checkAppleCredential(apple.credentials))
        #expect(apple.asked.withLock { $0 }.isEmpty)
        #expect(await client.currentSession != nil)
    }

    @Test("A token without the user's Apple id falls back to the identity; one check is enough")
    func several() async throws {
        let reply = Self.session([Self.identity("apple", "001.eve"), Self.identity("apple", "b", sub: "001.ada")])
        let client = try await ScriptedAnswers([reply]).signedIn()
        let asked = Locked<[String]>([])
        let credentials = AppleConsent { person in
            asked.withLock { $0.append(person) }
            return person == "001.eve" ? .revoked : .authorized
        }
        #expect(await !client.checkAppleCredential(credentials))
        #expect(asked.withLock { $0 } == ["001.eve", "001.ada"])
        #expect(await client.currentSession != nil)
    }

    @Test("One revocation ends one session; after a new use of Apple, the next one counts again")
    func once() async throws {
        let answers = ScriptedAnswers([Self.apple])
        let apple = Apple(.revoked)
        #expect(await (try answers.signedIn()).checkAppleCredential(apple.credentials))
        // With a password, after the app's next start.
        _ = try await answers.signedIn()
        let client = try answers.client()
        #expect(await !client.checkAppleCredential(apple.credentials))
        #expect(await client.currentSession != nil)
        apple.state.withLock { $0 = .authorized }
        #expect(await !client.checkAppleCredential(apple.credentials))
        apple.state.withLock { $0 = .revoked }
        #expect(await client.checkAppleCredential(apple.credentials))
    }

    @Test("A sign-in during the check stays signed in")
    func overtaken() async throws {
        let client = try await ScriptedAnswers([Self.apple]).signedIn()
        let credentials = AppleConsent { _ in
            // Ignored: the check below sees no user.
            _ = try? await client.signIn(email: "eve@b.c", password: "p")
            return .revoked
        }
        #expect(await !client.checkAppleCredential(credentials))
        #expect(await client.currentSession != nil)
    }

    @Test("A sign-in in progress continues when the old session ends")
    func signInUnderWay() async throws {
        let answers = ScriptedAnswers([Self.apple])
        let client = try await answers.signedIn()
        answers.meanwhile { await client.checkAppleCredential(Apple(.revoked).credentials) }
        try await client.signIn(email: "eve@b.c", password: "p")
        #expect(await client.currentSession != nil)
    }

    @Test("Without a network the user is signed out locally")
    func offline() async throws {
        let answers = ScriptedAnswers([Self.apple, HTTPReply(status: 503)])
        let client = try await answers.signedIn()
        #expect(await client.checkAppleCredential(Apple(.revoked).credentials))
        #expect(await client.state == .signedOut(.consentRevoked))
    }

    @Test("On Linux there is no check")
    func system() async {
        #expect(await SystemDefaults.appleCredentials().state("001.ada") != .revoked)
    }
}
