import Foundation
import Gatehouse
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Output of the terminal client")
struct ClientAnswerTests {
    private static let server = "https://accounts.example.com"
    private static let idText = "9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11"
    private static let time = Date(timeIntervalSince1970: 1_800_000_000.25)
    private static let timeText = "2027-01-15T08:00:00.25Z"

    private static func target() throws -> ClientTarget { try ClientTarget(address: server, key: "") }

    private static func user(email: String? = "ada@example.com") throws -> AuthUser {
        AuthUser(
            id: try #require(UUID(uuidString: idText)), appMetadata: ["providers": ["email", "google"]], email: email,
            createdAt: time, updatedAt: time)
    }

    private static func profile(teams: [String]? = ["nba_1", "nba_2"], data: AuthJSONObject = [:]) throws -> Profile {
        var others: AuthJSONObject = [:]
        others["favorite_teams"] = teams.map { .array($0.map(AuthJSON.string)) }
        return Profile(
            summary: ProfileSummary(
                id: try #require(UUID(uuidString: idText)), firstName: "Ada", data: data, createdAt: time,
                others: others),
            name: nil, avatarURL: URL(string: "https://example.com/a.png"), timezone: "Europe/London",
            isPremium: false, updatedAt: time)
    }

    private static let team = Team(
        ["id": "nba_1", "league": "nba", "name": "Ones", "city": "One", "abbreviation": "ONE"])

    private static func session(isCurrent: Bool) throws -> SessionInfo {
        SessionInfo(
            id: try #require(UUID(uuidString: idText)), createdAt: time, userAgent: "App\u{1B}[2J/1", ipAddress: "::1",
            isCurrent: isCurrent)
    }

    @Test("A user without an email is named by the number")
    func phone() throws {
        var user = try Self.user(email: nil)
        user.phone = "491701234567"
        let answer = ClientAnswer.signedIn(user, server: Self.server)
        #expect(
            answer.json["user"] == ["id": .string(Self.idText), "email": .null, "phone": "+491701234567"])
        #expect(answer.text == "Signed in as +49 170 123 4567 at \(Self.server).\n")
    }

    @Test("A texted factor's challenge is printed for the command that takes its code")
    func challenge() throws {
        let id = try #require(UUID(uuidString: Self.idText))
        let challenge = AuthFactorChallenge(id: id, type: .phone, expiresAt: 1_800_000_000)
        let answer = ClientAnswer.challenged(id, challenge)
        #expect(
            answer.json == [
                "challenge": .string(Self.idText), "factor": .string(Self.idText), "expires_at": 1_800_000_000,
            ])
        #expect(answer.text.contains("gatehouse mfa verify --factor \(Self.idText) --challenge \(Self.idText)"))
    }

    @Test("A sign-in names the user and the server")
    func signedIn() throws {
        let answer = ClientAnswer.signedIn(try Self.user(), server: Self.server)
        #expect(
            answer.json == [
                "signed_in": true, "server": .string(Self.server),
                "user": ["id": .string(Self.idText), "email": "ada@example.com"],
            ])
        #expect(answer.text == "Signed in as ada@example.com at \(Self.server).\n")
    }

    @Test("A user without an address is named by the account")
    func anonymous() throws {
        let answer = ClientAnswer.signedIn(try Self.user(email: nil), server: Self.server)
        #expect(answer.text == "Signed in as \(Self.idText) at \(Self.server).\n")
        #expect(answer.json["user"]?["email"] == .null)
    }

    @Test("A user that the server may have invented is not shown")
    func checkMail() throws {
        var target = try Self.target()
        let answer = ClientAnswer.checkMail(target)
        #expect(answer.json == ["signed_in": false, "server": .string(Self.server), "user": .null])
        let text = "Check your email, and enter its code with `gatehouse verify` to sign in at \(Self.server).\n"
        #expect(answer.text == text)
        target.inbox = "http://127.0.0.1:9999/dev/inbox"
        #expect(ClientAnswer.checkMail(target).text.hasSuffix("keeps its emails at http://127.0.0.1:9999/dev/inbox\n"))
    }

    @Test("whoami shows the known user, and whether the server confirmed it")
    func whoAmI() throws {
        let known = ClientAnswer.whoAmI(
            try Self.user(), try Self.profile().summary, server: Self.server, isChecked: true)
        #expect(
            known.json == [
                "server": .string(Self.server), "checked": true,
                "user": [
                    "id": .string(Self.idText), "email": "ada@example.com", "is_anonymous": false,
                    "providers": ["email", "google"], "created_at": .string(Self.timeText),
                ],
                "profile": ["first_name": "Ada", "data": [:], "favorite_teams": ["nba_1", "nba_2"]],
            ])
        #expect(known.text.hasPrefix("Signed in as  ada@example.com\nFirst name    Ada\n"))
        var proven = try Self.user()
        (proven.email, proven.formerEmail) = (nil, "ada@example.com")
        proven.setAside = [
            AuthSetAsideCredential(.password, setAsideAt: proven.createdAt),
            AuthSetAsideCredential(.passkey(id: proven.id, name: "iPhone"), setAsideAt: proven.createdAt),
        ]
        let told = ClientAnswer.whoAmI(proven, nil, server: Self.server, isChecked: true)
        #expect(told.json["user"]?["former_email"] == "ada@example.com")
        #expect(told.json["user"]?["set_aside"] == ["password", "passkey iPhone"])
        #expect(told.text.contains("Set aside     password, passkey iPhone\n"))
        let unknown = ClientAnswer.whoAmI(try Self.user(), nil, server: Self.server, isChecked: false)
        #expect(unknown.json["profile"] == .null)
        #expect(unknown.json["checked"] == false)
    }

    @Test("A profile shows teams by name, and an unknown id as it is")
    func profile() throws {
        let answer = ClientAnswer.profile(try Self.profile(), teams: [try #require(Self.team)])
        #expect(
            answer.json == [
                "id": .string(Self.idText), "first_name": "Ada", "data": [:],
                "favorite_teams": ["nba_1", "nba_2"], "name": .null,
                "avatar_url": "https://example.com/a.png", "timezone": "Europe/London", "is_premium": false,
                "created_at": .string(Self.timeText), "updated_at": .string(Self.timeText),
            ])
        #expect(answer.text.contains("Favorite teams  Ones (nba_1)\n                nba_2\n"))
        #expect(ClientAnswer.profile(try Self.profile(teams: []), teams: []).text.contains("No favorite teams yet"))
    }

    @Test("A server without a catalogue has no teams in the profile; the app's own fields are shown by name")
    func ownFields() throws {
        let answer = ClientAnswer.profile(
            try Self.profile(teams: nil, data: ["mood": "calm\u{1B}[2J", "goal": 8_000]), teams: [])
        #expect(answer.json["favorite_teams"] == nil)
        #expect(answer.json["data"] == ["goal": 8_000, "mood": "calm\u{1B}[2J"])
        #expect(!answer.text.contains("teams"))
        #expect(answer.text.hasSuffix("goal        8000\nmood        calm?[2J\n"), "\(answer.text)")
    }

    @Test("The current session is marked, and no device name moves the cursor")
    func sessions() throws {
        let answer = ClientAnswer.sessions([try Self.session(isCurrent: true), try Self.session(isCurrent: false)])
        #expect(
            answer.json["sessions"]?.arrayValue?.first == [
                "id": .string(Self.idText), "created_at": .string(Self.timeText), "refreshed_at": .null,
                "user_agent": "App\u{1B}[2J/1", "ip": "::1", "is_current": true,
            ])
        let lines = answer.text.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[1].hasSuffix("::1      App[2J  (this one)"))
        #expect(lines[2].contains("2027-01-15T08:00:00Z"))
    }

    @Test("A sign-out reports its effect")
    func signedOut() throws {
        let user = try Self.user()
        let done = ClientAnswer.signedOut(user, server: Self.server, isRevoked: true)
        #expect(done.json["revoked"] == true)
        #expect(done.text == "Signed out ada@example.com at \(Self.server).\n")
        let half = ClientAnswer.signedOut(user, server: Self.server, isRevoked: false)
        #expect(half.json["revoked"] == false)
        #expect(half.text == "Signed out ada@example.com on this machine only.\n")
        let nobody = ClientAnswer.signedOut(nil, server: Self.server, isRevoked: false)
        #expect(nobody.json["user"] == .null)
    }

    private static let totp = AuthEnrolledFactor.TOTP(
        qrCode: "<svg/>", secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/a:b?secret=JBSWY3DPEHPK3PXP")

    private static func enrolled() throws -> AuthEnrolledFactor {
        AuthEnrolledFactor(
            id: try #require(UUID(uuidString: idText)), type: .totp, friendlyName: "phone", totp: totp)
    }

    private static func factor() throws -> AuthFactor {
        AuthFactor(
            id: try #require(UUID(uuidString: idText)), factorType: .totp, friendlyName: "my\u{1B}[2Jphone",
            createdAt: time, updatedAt: time)
    }

    @Test("Second factors are listed with their state, and no name moves the cursor")
    func factors() throws {
        let answer = ClientAnswer.factors([try Self.factor()], level: "aal2")
        let row = try #require(answer.text.split(separator: "\n").dropFirst().first)
        #expect(row.hasPrefix(Self.idText) && row.contains("totp") && row.hasSuffix("my?[2Jphone"))
        #expect(answer.text.hasSuffix("This session has the level aal2.\n"))
        #expect(ClientAnswer.factors([], level: "aal1").text.hasPrefix("The account has no second factor.\n"))
    }

    @Test("A new factor's key and address are printed once, without its picture")
    func enrolled() throws {
        let answer = ClientAnswer.enrolled(try Self.enrolled(), Self.totp)
        #expect(answer.text.contains("\n    JBSWY3DPEHPK3PXP\n") && answer.text.contains(Self.totp.uri))
        #expect(answer.json["secret"] == "JBSWY3DPEHPK3PXP" && answer.json["qr_code"] == nil)
    }

    @Test("Docs/terminal-client.md has every member of every answer")
    func documented() throws {
        let (page, user) = (try TerminalClientPage().text, try Self.user())
        let id = try #require(UUID(uuidString: Self.idText))
        let answers: [ClientAnswer] = [
            .signedIn(user, server: Self.server), .checkMail(try Self.target()), .mailed(try Self.target()),
            .recovered(user, server: Self.server),
            .whoAmI(user, try Self.profile().summary, server: Self.server, isChecked: true),
            .profile(try Self.profile(), teams: []), .teams([try #require(Self.team)]),
            .sessions([try Self.session(isCurrent: true)]),
            .revoked([id], endsOthers: false, isSignedIn: true), .deleted(user, server: Self.server),
            .signedOut(user, server: Self.server, isRevoked: true),
            .factors([try Self.factor()], level: "aal1"), .enrolled(try Self.enrolled(), Self.totp),
            .raised(user, server: Self.server), .removed(id), .recoveryCodes(left: 9, of: 10),
            .recoveryCodes(["aaaa"]),
        ]
        for name in Set(answers.flatMap { Self.names(in: $0.json) }) {
            #expect(page.contains("`\(name)`"), "\(name) is not documented")
        }
    }

    private static func names(in json: AuthJSON) -> [String] {
        switch json {
        case .object(let members): members.keys + members.values.flatMap(names)
        case .array(let elements): elements.flatMap(names)
        default: []
        }
    }
}
