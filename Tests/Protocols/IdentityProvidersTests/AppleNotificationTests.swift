import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Testing

@Suite("Apple's server-to-server notifications (D2)")
struct AppleNotificationTests {
    private let apple: ScriptedProvider

    init() throws { apple = try ScriptedProvider(issuer: "https://appleid.apple.com", key: TestKeys.rsa()) }

    private static func event(_ type: String, _ more: AuthJSONObject = [:]) -> AuthJSON {
        let usual: AuthJSON = [
            "type": .string(type), "sub": "ada-1", "event_time": .integer(noon.seconds - 5),
        ]
        return usual.with(more)
    }

    private func body(
        _ event: AuthJSON, _ changes: AuthJSONObject = [:], without name: String = "", by key: JSONWebKey? = nil
    ) throws -> [UInt8] {
        let usual: AuthJSONObject = ["jti": "n-1", "events": .string(event.text), "sub": .null]
        let claims = usual.merging(changes) { $1 }
        let token = try apple.token(claims, without: name, by: key)
        return Array(AuthJSON.object(["payload": .string(token.reveal())]).text.utf8)
    }

    private func rejection(_ body: [UInt8]) async throws -> IdentityRejection? {
        let provider = try apple.apple()
        guard case .rejected(let rejection)? = await failure({ try await provider.appleNotification(body, at: noon) })
        else { return nil }
        return rejection
    }

    @Test(
        "Each kind is read",
        arguments: [
            ("consent-revoked", .consentRevoked), ("account-delete", .accountDeleted),
            ("account-deleted", .accountDeleted), ("email-disabled", .emailDisabled),
            ("email-enabled", .emailEnabled), ("new-thing", .other("new-thing")),
        ] as [(String, AppleNotification.Kind)])
    func kinds(_ type: String, _ kind: AppleNotification.Kind) async throws {
        let more: AuthJSONObject = ["email": "x@privaterelay.appleid.com", "is_private_email": "true"]
        let notification = try await apple.apple().appleNotification(body(Self.event(type, more)), at: noon)
        #expect((notification.id, notification.client, notification.issuedAt) == ("n-1", "app", noon))
        let event = try #require(notification.events.first)
        #expect((event.kind, event.subject) == (kind, "ada-1"))
        #expect((event.email, event.isPrivateRelay) == ("x@privaterelay.appleid.com", true))
        #expect(event.occurredAt == noon - .seconds(5))
    }

    @Test("A repeated delivery reads the same, so its id reveals it")
    func duplicate() async throws {
        let (provider, body) = (try apple.apple(), try body(Self.event("consent-revoked")))
        let first = try await provider.appleNotification(body, at: noon)
        #expect(try await provider.appleNotification(body, at: noon + .seconds(60)) == first)
    }

    @Test("Times are read in seconds and in milliseconds; events as text, object or list")
    func spellings() async throws {
        let provider = try apple.apple()
        let inMilliseconds = Self.event("email-enabled", ["event_time": .integer(noon.seconds * 1_000 + 7)])
        let read = try await provider.appleNotification(body(inMilliseconds), at: noon)
        #expect(read.events[0].occurredAt == noon + .milliseconds(7))
        let object = try await provider.appleNotification(
            body([:], ["events": Self.event("email-enabled")]), at: noon)
        #expect(object.events.map(\.kind) == [.emailEnabled])
        let list: AuthJSON = [Self.event("email-enabled"), Self.event("consent-revoked")]
        #expect(
            try await provider.appleNotification(body(list), at: noon).events.map(\.kind)
                == [.emailEnabled, .consentRevoked])
        let timeless = try await provider.appleNotification(
            body(Self.event("email-enabled", ["event_time": "soon"])), at: noon)
        #expect(timeless.events[0].occurredAt == nil)
    }

    @Test("A notification that Apple did not sign, or not for us, is refused")
    func forged() async throws {
        let event = Self.event("account-delete")
        #expect(try await rejection(body(event)) == nil)
        let eve = TestKeys.es256("rs-1")
        #expect(try await rejection(body(event, by: eve)) == .notAccepted(.algorithmMismatch))
        #expect(try await rejection(body(event, by: TestKeys.es256("x"))) == .notAccepted(.unknownKey("x")))
        #expect(try await rejection(body(event, ["iss": "https://evil.example"])) == .foreignIssuer)
        #expect(
            try await rejection(body(event, ["aud": "other"]))
                == .wrongAudience(found: ["other"], accepted: ["web", "app"]))
        for text in ["", "{}", #"{"payload":1}"#, #"{"payload":"x.y.z"}"#, "payload=x"] {
            #expect(try await rejection(Array(text.utf8)) == .unreadable)
        }
        #expect(try await rejection([UInt8](repeating: UInt8(ascii: " "), count: 65_537)) == .unreadable)
    }

    @Test("A notification needs an id, a time, and events with a subject")
    func incomplete() async throws {
        let event = Self.event("account-delete")
        #expect(try await rejection(body(event, without: "jti")) == .notAccepted(.missingClaim("jti")))
        #expect(try await rejection(body(event, ["jti": ""])) == .notAccepted(.missingClaim("jti")))
        #expect(try await rejection(body(event, without: "iat")) == .notAccepted(.missingClaim("iat")))
        let malformed = IdentityRejection.notAccepted(.malformedClaim("events"))
        #expect(try await rejection(body(event, without: "events")) == malformed)
        let tooMany = AuthJSON.array([AuthJSON](repeating: event, count: 17))
        for events in [[:], [], event.without("sub"), event.without("type"), 1, tooMany] as [AuthJSON] {
            #expect(try await rejection(body(events)) == malformed)
        }
        #expect(try await rejection(body(event, ["events": "not json"])) == malformed)
    }

    @Test("Neither an ID token nor an old notification is one; without exp it is valid for seven days")
    func age() async throws {
        let idToken = Array(AuthJSON.object(["payload": .string(try apple.token().reveal())]).text.utf8)
        #expect(try await rejection(idToken) == .notAccepted(.missingClaim("jti")))
        let event = Self.event("consent-revoked")
        let time = { (seconds: Int64) in AuthJSON.integer(noon.seconds + seconds) }
        #expect(try await rejection(body(event, ["exp": time(-59)])) == nil)
        #expect(try await rejection(body(event, ["exp": time(-60)])) == .expired(noon - .seconds(60)))
        #expect(try await rejection(body(event, ["iat": time(-604_799)], without: "exp")) == nil)
        #expect(
            try await rejection(body(event, ["iat": time(-604_800)], without: "exp"))
                == .tooOld(noon - .seconds(604_800)))
        #expect(try await rejection(body(event, ["iat": time(61)])) == .notYetValid(claim: "iat"))
    }

    @Test("A notification cannot serve as an ID token")
    func confusion() async throws {
        let token = try apple.token(["jti": "n", "events": .string(Self.event("email-enabled").text), "sub": .null])
        #expect(await failure { try await apple.apple().native(token) } == .rejected(.missingSubject))
    }

    @Test("While the keys cannot be read no notification is refused for good; other providers have none")
    func unavailable() async throws {
        apple.fail("/auth/keys", .timedOut)
        let (provider, body) = (try apple.apple(), try body(Self.event("email-enabled")))
        #expect(
            await failure { try await provider.appleNotification(body, at: noon) }
                == .unavailable(.keys, .noAnswer(.timedOut)))
        #expect(
            await failure { try await apple.google().appleNotification(body, at: noon) }
                == .notOffered(.notification))
    }
}
