import AccountDomain
import AccountStore
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Lines of accounts")
struct AccountLineTests {
    private static let id = "5a7e1d5c-0000-4000-8000-000000000001"
    private static let time = Instant(seconds: 1_800_000_000)
    private static let newID = IdentityID(trusted: "00000000-0000-4000-8000-00000000000f")

    private func account(_ line: String) throws(LineProblem) -> Account {
        try AccountLine.account(Array(line.utf8), at: Self.time) { Self.newID }
    }

    @Test("A row of Supabase's auth.users, as row_to_json gives it")
    func supabaseRow() throws {
        let account = try account(
            """
            {"instance_id":"00000000-0000-0000-0000-000000000000","id":"\(Self.id.uppercased())","aud":"authenticated",\
            "role":"authenticated","email":"Bob@Example.com","encrypted_password":\
            "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",\
            "email_confirmed_at":"2024-05-01 10:00:00.123456+00","confirmation_token":"","email_change":"",\
            "last_sign_in_at":"2024-06-01T00:00:00+02:00","raw_app_meta_data":\
            {"provider":"email","providers":["email"]},"raw_user_meta_data":"{\\"first_name\\":\\"Bob\\",\\"x\\":null}",\
            "is_super_admin":null,"created_at":"2024-05-01T10:00:00+00:00","updated_at":null,"phone":"",\
            "confirmed_at":"2024-05-01T10:00:00+00:00","banned_until":null,"is_sso_user":false,"is_anonymous":"f"}
            """)
        let user = account.user
        #expect(user.id.text == Self.id)
        #expect(user.email == "bob@example.com")
        #expect(user.phone == nil && user.newEmail == nil)
        #expect(user.passwordHash?.utf8Count == 60)
        #expect(user.times.emailConfirmedAt == Instant("2024-05-01T10:00:00.123456Z"))
        #expect(user.times.lastSignInAt == Instant("2024-05-31T22:00:00Z"))
        #expect(user.times.updatedAt == user.times.createdAt)
        #expect(user.userMetadata == #"{"first_name":"Bob"}"#)
        #expect(!user.isAnonymous)
        #expect(account.identities.map(\.provider) == ["email"])
        #expect(account.identities.first?.providerID == Self.id)
        #expect(account.identities.first?.email == "bob@example.com")
        #expect(account.identities.first?.data.contains(#""email_verified":true"#) == true)
    }

    @Test("The identities of the line are kept unchanged")
    func identities() throws {
        let account = try account(
            """
            {"id":"\(Self.id)","email":"a@example.com","identities":[{"id":"5a7e1d5c-0000-4000-8000-0000000000aa",\
            "user_id":"\(Self.id)","provider":"google","provider_id":"1234","identity_data":\
            {"email":"A@Example.com","sub":"1234"},"created_at":"2024-01-01T00:00:00Z","last_sign_in_at":null}]}
            """)
        let identity = try #require(account.identities.first)
        #expect(account.identities.count == 1)
        #expect(identity.id.text == "5a7e1d5c-0000-4000-8000-0000000000aa")
        #expect(identity.providerID == "1234" && identity.email == "a@example.com")
        #expect(identity.lastSignInAt == nil)
        #expect(account.user.appMetadata == #"{"provider":"google","providers":["google"]}"#)
    }

    @Test("Identities from before 2023 have the provider's user id in id")
    func oldIdentities() throws {
        let identity = try account(
            #"{"id":"\#(Self.id)","identities":[{"id":"apple.1","provider":"apple","identity_data":{}}]}"#
        ).identities.first
        #expect(identity?.id == Self.newID && identity?.providerID == "apple.1")
        // The user's id is there for each of the user's own addresses.
        let email = try account(
            #"{"id":"\#(Self.id)","identities":[{"id":"\#(Self.id)","provider":"email","identity_data":{}}]}"#
        ).identities.first
        #expect(email?.id == Self.newID && email?.providerID == Self.id)
    }

    @Test("An account with a phone number gets an identity for it, an anonymous one none")
    func usualIdentities() throws {
        let phone = try account(#"{"id":"\#(Self.id)","phone":"+49 123456"}"#)
        #expect(phone.identities.map(\.provider) == ["phone"] && phone.user.phone == "49123456")
        let anonymous = try account(#"{"id":"\#(Self.id)","is_anonymous":true}"#)
        #expect(anonymous.identities.isEmpty && anonymous.user.isAnonymous)
        #expect(anonymous.user.times.createdAt == Self.time)
    }

    @Test("A written line reads back the same")
    func roundTrip() throws {
        var user = User(
            id: UserID(trusted: Self.id), audience: "app", role: "member", times: UserTimes(createdAt: Self.time))
        user.email = "ada@example.com"
        user.phone = "491234567"
        user.passwordHash = Secret("$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy")
        user.appMetadata = #"{"provider":"email","providers":["email","phone"],"tier":3}"#
        user.userMetadata = #"{"n":1.5,"name":"Ada \"the first\" 👩‍💻"}"#
        user.times.bannedUntil = Instant(microseconds: 1_900_000_000_000_001)
        user.times.emailConfirmedAt = Self.time
        let identity = Identity(
            id: Self.newID, user: user.id, provider: "email", providerID: Self.id,
            data: #"{"email":"ada@example.com"}"#, email: "ada@example.com", at: Self.time)
        let line = AccountLine.text(Account(user: user, identities: [identity]))
        #expect(!line.contains("\n"))
        #expect(AccountLine.text(try account(line)) == line)
    }

    @Test("A change of address that waits is listed, and neither exported nor imported")
    func waitingChange() throws {
        var user = User(
            id: UserID(trusted: Self.id), audience: "app", role: "member", times: UserTimes(createdAt: Self.time))
        (user.newEmail, user.newPhone) = ("new@example.com", "491234567")
        (user.times.emailChangeSentAt, user.times.phoneChangeSentAt) = (Self.time, Self.time)
        let listed = AccountLine.text(Account(user: user, identities: []))
        #expect(listed.contains(#""email_change":"new@example.com""#) && listed.contains("phone_change_sent_at"))
        let exported = AccountLine.text(ExportedAccount(Account(user: user, identities: [])))
        #expect(!exported.contains("_change"))
        let read = try account(listed).user
        #expect(read.newEmail == nil && read.newPhone == nil)
        #expect(read.times.emailChangeSentAt == nil && read.times.phoneChangeSentAt == nil)
    }

    @Test("A deleted account keeps its digest and gets no identities")
    func deleted() throws {
        let account = try account(
            #"{"id":"\#(Self.id)","email":"0beec7b5ea3f","deleted_at":"2024-01-01T00:00:00Z"}"#)
        #expect(account.user.email == "0beec7b5ea3f" && account.identities.isEmpty)
    }

    @Test("An identity that a line has twice is imported once")
    func repeatedIdentity() throws {
        let google = #"{"provider":"google","provider_id":"1"}"#
        let read = try account(
            #"{"id":"\#(Self.id)","identities":[\#(google),\#(google),{"provider":"google","provider_id":"2"}]}"#)
        #expect(read.identities.map(\.providerID) == ["1", "2"])
    }

    @Test(
        "A bad line is reported with its fault",
        arguments: [
            ("", "not a JSON object: unexpected end"), ("[]", "not a JSON object: not an object"),
            ("{\"id\":1}", "id is not text"), ("{}", "id is not a UUID"),
            (#"{"id":"ID","email":"a b"}"#, "email is not an address"),
            (#"{"id":"ID","phone":"call me"}"#, "phone is not a telephone number"),
            (#"{"id":"ID","created_at":"yesterday"}"#, "created_at is not a time such as 2026-01-31T12:00:00Z"),
            (
                #"{"id":"ID","created_at":"0001-01-01T00:00:00+01:00"}"#,
                "created_at is not a time such as 2026-01-31T12:00:00Z"
            ),
            (#"{"id":"ID","is_anonymous":"perhaps"}"#, "is_anonymous is neither true nor false"),
            (#"{"id":"ID","is_sso_user":true}"#, "single sign-on accounts are not in this version"),
            (#"{"id":"ID","raw_user_meta_data":[1]}"#, "raw_user_meta_data is not a JSON object"),
            (#"{"id":"ID","raw_app_meta_data":"{"}"#, "raw_app_meta_data is not JSON"),
            (#"{"id":"ID","identities":{}}"#, "identities is not a JSON array"),
            (#"{"id":"ID","identities":[1]}"#, "identities has what is no object"),
            (#"{"id":"ID","identities":[{"provider":"x"}]}"#, "an identity lacks provider or provider_id"),
            (
                #"{"id":"ID","identities":[{"user_id":"5a7e1d5c-0000-4000-8000-000000000002"}]}"#,
                "an identity has the user_id of another account"
            ),
        ])
    func badLine(line: String, reason: String) {
        #expect(throws: LineProblem(reason)) { try account(line.replacing("\"ID\"", with: "\"\(Self.id)\"")) }
    }

    private func read(_ columns: String) throws -> (account: Account, notes: [String]) {
        var notes: [String] = []
        let line = Array(#"{"id":"\#(Self.id)",\#(columns)}"#.utf8)
        let account = try AccountLine.account(line, at: Self.time, noting: { notes.append($0) }) { Self.newID }
        return (account, notes)
    }

    @Test("Metadata that is too long loses its largest members, as few as possible")
    func longMetadata() throws {
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        let (account, notes) = try read(
            #""raw_user_meta_data":{"a":"\#(text(20_000))","b":"\#(text(30_000))","c":1,"d":"\#(text(10_000))"}"#)
        let members = try JSONReader.read(account.user.userMetadata).objectValue
        #expect(members?.keys.sorted() == ["a", "c", "d"])
        #expect(notes == ["raw_user_meta_data has more than 32768 bytes; its largest members are left out"])
    }

    @Test(
        "An account whose password hash cannot be checked is read without a password",
        arguments: [
            ("hunter2", "no bcrypt"), ("!locked", "no bcrypt"),
            ("$2b$14$XajjQvNhvvRt5GSeFk1xFeyqRrsxkhBkUiQeg0dt.wU1qD4aFDcga", "costs too much"),
        ])
    func unusableHash(_ hash: String, _ reason: String) throws {
        let (account, notes) = try read(#""email":"ada@example.com","encrypted_password":"\#(hash)""#)
        #expect(account.user.passwordHash == nil && account.user.email == "ada@example.com")
        #expect(notes.count == 1 && notes.first?.contains(reason) == true)
        #expect(notes.first?.hasSuffix("the password must be reset") == true)
    }

    @Test("An account whose address is none keeps its providers, and is refused without any")
    func unusableAddress() throws {
        let google = #"{"provider":"google","provider_id":"7","identity_data":{"email":"j\u00f6rg@example.com"}}"#
        let email = #"{"provider":"email","provider_id":"\#(Self.id)","identity_data":{}}"#
        let address = #""email":"j\u00f6rg@example.com","email_confirmed_at":"2024-05-01T10:00:00Z""#
        let (account, notes) = try read(#"\#(address),"identities":[\#(email),\#(google)]"#)
        #expect(account.user.email == nil && account.user.times.emailConfirmedAt == nil)
        #expect(account.identities.map(\.provider) == ["google"] && account.identities.first?.email == nil)
        #expect(notes == ["email is not an address"])
        #expect(throws: LineProblem("email is not an address")) { try read(#"\#(address),"identities":[\#(email)]"#) }
    }
}
