import Foundation
import GatehouseWire
import Testing

@Suite("Shapes: what the writer writes, the reader reads")
struct ShapesTests {
    private static let id = "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10"
    private static let time = Instant(microseconds: 1_800_000_000_123_456)

    private func json(_ write: (inout JSONWriter) -> Void) throws -> AuthJSON {
        var writer = JSONWriter()
        write(&writer)
        return try JSONReader.read(writer.bytes)
    }

    /// A user with every member.
    private func writeUser(_ writer: inout JSONWriter, showsIdentities: Bool = true) {
        writer.user(
            id: Self.id, audience: "app", role: "member", email: "ada@example.com", phone: "49",
            newEmail: "new@example.com", newPhone: "50", appMetadata: #"{"a":1}"#, userMetadata: #"{"b":"é"}"#,
            isAnonymous: true, createdAt: Self.time, updatedAt: Self.time + .seconds(1),
            times: { event in UserEvent.allCases.firstIndex(of: event).map { Self.time + .seconds($0) } },
            showsIdentities: showsIdentities
        ) { writer in
            writer.identity(
                identityID: Self.id, id: "google-1", userID: Self.id, data: #"{"sub":"google-1"}"#,
                provider: "google", email: "ada@example.com", lastSignInAt: Self.time, createdAt: Self.time,
                updatedAt: Self.time)
        }
    }

    @Test("A user with its identity")
    func user() throws {
        let user = try AuthUser(json: json { writeUser(&$0) })
        #expect(user.id.uuidString.lowercased() == Self.id)
        #expect([user.aud, user.role, user.email, user.phone] == ["app", "member", "ada@example.com", "49"])
        #expect([user.newEmail, user.newPhone] == ["new@example.com", "50"])
        #expect(user.appMetadata == ["a": 1] && user.userMetadata == ["b": "é"] && user.isAnonymous)
        #expect(user.createdAt.instant == Self.time && user.updatedAt.instant == Self.time + .seconds(1))
        for (number, event) in UserEvent.allCases.enumerated() {
            #expect(user.times[event.rawValue]?.instant == Self.time + .seconds(number))
        }
        let identity = try #require(user.identities?.first)
        #expect(
            identity.id == "google-1" && identity.provider == "google" && identity.identityData["sub"] == "google-1")
        #expect(identity.identityID == user.id && identity.userID == user.id && identity.email == user.email)
        let times = [identity.createdAt, identity.updatedAt, identity.lastSignInAt]
        #expect(times.allSatisfy { $0?.instant == Self.time })
        #expect(try AuthUser(json: json { user.write(to: &$0) }) == user)
    }

    @Test("A list of users, without identities")
    func users() throws {
        let users = try AuthUser.list(
            json: json { writer in
                writer.beginObject()
                writer.list("users", 0..<2) { writer, _ in writeUser(&writer, showsIdentities: false) }
                writer.endObject()
            })
        #expect(users.count == 2 && users.allSatisfy { $0.identities == nil })
    }

    @Test(
        "A session",
        arguments: [WeakPasswordMember.leftOut, .fine, .weak(message: "no", reasons: ["length", "pwned"])])
    func session(_ weakPassword: WeakPasswordMember) throws {
        let answer = try AuthAnswer(
            json: json { writer in
                writer.session(
                    accessToken: "a", refreshToken: "r", expiresIn: 3_600, expiresAt: 1_800_003_600,
                    providerToken: "p", providerRefreshToken: "q", weakPassword: weakPassword
                ) { writeUser(&$0) }
            })
        guard case .session(let session) = answer else { return #expect(Bool(false), "\(answer)") }
        #expect([session.accessToken, session.refreshToken, session.tokenType] == ["a", "r", "bearer"])
        #expect(session.expiresIn == 3_600 && session.expiresAt == 1_800_003_600)
        #expect(session.providerToken == "p" && session.providerRefreshToken == "q")
        #expect(session.user.email == "ada@example.com")
        if case .weak(_, let reasons) = weakPassword {
            #expect(session.weakPasswordReasons == reasons)
        } else {
            #expect(session.weakPasswordReasons.isEmpty)
        }
    }

    @Test(
        "An error, in each format",
        arguments: [
            AuthErrorFormat.current, .older(status: 400, requestID: "id"), .older(status: 500, requestID: "id"),
            .oauth(error: "invalid request"),
        ])
    func error(_ format: AuthErrorFormat) throws {
        var writer = JSONWriter()
        writer.authError(format, .weakPassword, "too weak", weakPasswordReasons: ["length"])
        let answer = AuthErrorAnswer(body: writer.bytes)
        if case .oauth = format { #expect(answer.code == nil) } else { #expect(answer.code == .weakPassword) }
        #expect(answer.message == "too weak" && answer.weakPasswordReasons == ["length"])
    }

    @Test("The question of a link")
    func linkQuestion() throws {
        var writer = JSONWriter()
        writer.authError(
            .current, .identityNeedsConfirmation, "prove it",
            details: AuthLinkQuestion.members(
                ticket: "t", expiresAt: Self.time.seconds, email: "ada@example.com", provider: "google",
                signInMethods: ["password", "apple"], canRecover: true))
        let question = try #require(AuthErrorAnswer(body: writer.bytes).linkQuestion)
        #expect(question.ticket.text == "t" && question.expiresAt.instant.seconds == Self.time.seconds)
        #expect(question.email == "ada@example.com" && question.provider == "google" && question.canRecover)
        #expect(question.signInMethods == ["password", "apple"])
    }

    @Test("The lists of sessions and of links that can be undone")
    func lists() throws {
        let sessions = try SessionInfo.list(
            json: json { writer in
                writer.beginObject()
                writer.list("sessions", [true, false]) { writer, isCurrent in
                    writer.sessionInfo(
                        id: Self.id, createdAt: Self.time, refreshedAt: isCurrent ? Self.time : nil,
                        userAgent: isCurrent ? "curl" : nil, ipAddress: isCurrent ? "::1" : nil, isCurrent: isCurrent,
                        isBound: isCurrent)
                }
                writer.endObject()
            })
        let (id, date) = (try #require(UUID(uuidString: Self.id)), try #require(sessions.first).createdAt)
        #expect(date.instant == Self.time)
        var current = SessionInfo(
            id: id, createdAt: date, refreshedAt: date, userAgent: "curl", ipAddress: "::1", isCurrent: true)
        current.isBound = true
        #expect(sessions == [current, SessionInfo(id: id, createdAt: date)])
        let links = try AuthUndoableLink.list(
            json: json { writer in
                writer.beginObject()
                writer.list("links", ["google", nil]) { writer, provider in
                    writer.undoableLink(
                        identityID: Self.id, provider: provider, rule: "proven_by_both", linkedAt: Self.time,
                        until: Self.time)
                }
                writer.endObject()
            })
        let expected = ["google", nil].map {
            AuthUndoableLink(id: id, provider: $0, rule: "proven_by_both", linkedAt: date, until: date)
        }
        #expect(links == expected)
    }

    @Test("The gateway's profile, account and errors")
    func gateway() throws {
        let record = ProfileRecord(
            id: Self.id, firstName: "Ada", data: #"{"mood":"calm"}"#, name: nil, avatarURL: "https://example.com/a",
            timezone: "Europe/Berlin", isPremium: true, createdAt: Self.time, updatedAt: Self.time,
            others: [ProfileRecord.Member(name: "badges", json: "[1]")])
        let profile = try Profile(json: json { record.writeWhole(to: &$0) })
        #expect(profile.summary.firstName == "Ada" && profile.summary.data == ["mood": "calm"])
        #expect(profile.summary.others == ["badges": [1]])
        #expect(profile.name == nil && profile.avatarURL?.absoluteString == "https://example.com/a")
        #expect(profile.timezone == "Europe/Berlin" && profile.isPremium && profile.updatedAt.instant == Self.time)
        for shown in [record, nil] {
            let account = try SignedInAccount(
                json: json { $0.signedInAccount(id: Self.id, email: nil, profile: shown) })
            #expect(account == SignedInAccount(id: profile.summary.id, profile: shown.map { _ in profile.summary }))
        }
        for field in ["/data/mood", nil] {
            var writer = JSONWriter()
            writer.gatewayError(code: "BAD_REQUEST", message: "nothing", field: field)
            let error = GatewayErrorAnswer(body: writer.bytes)
            #expect(error.code == "BAD_REQUEST" && error.message == "nothing" && error.field == field)
        }
    }
}
