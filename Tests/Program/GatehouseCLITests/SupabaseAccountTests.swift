import AccountDomain
import AccountStore
import GatehouseCLI
import GatehouseWire
import Testing

@Suite("Accounts of a Supabase database")
struct SupabaseAccountTests {
    private static let id = "5a7e1d5c-0000-4000-8000-000000000001"
    private static let session = "5a7e1d5c-0000-4000-8000-000000000002"
    private static let time = Instant(seconds: 1_800_000_000)

    private func account(
        user: String = #""email":"ada@example.com""#, rest: String = ""
    ) -> SupabaseAccount {
        let text = #"{"user":{"id":"\#(Self.id)",\#(user)}\#(rest)}"#
        return SupabaseAccount(Array(text.utf8), policy: SessionPolicy(), at: Self.time) {
            IdentityID(trusted: "00000000-0000-4000-8000-00000000000f")
        }
    }

    private func sessions(_ session: String, _ tokens: String) -> String {
        #","sessions":[{"id":"\#(Self.session)","created_at":"2027-01-15T00:00:00+00:00"\#(session)}],"tokens":[\#(tokens)]"#
    }

    private func token(_ number: Int, revoked: Bool, parent: String = "null") -> String {
        #"{"id":\#(number),"token":"aaaaaaaaaa\#(number)","revoked":\#(revoked),"parent":\#(parent),"#
            + #""session_id":"\#(Self.session)","updated_at":"2027-01-15T00:00:00Z"}"#
    }

    @Test("Unsupported data is skipped with the reason")
    func leftBehind() {
        for (user, remark): (String, Remark) in [
            (#""is_sso_user":true"#, .singleSignOn), (#""deleted_at":"2025-01-01T00:00:00Z""#, .deleted),
            (#""email":"nobody""#, .unreadable),
        ] {
            let account = account(user: user)
            #expect(account.imported == nil && account.notes.map(\.remark) == [remark], "\(user)")
        }
    }

    @Test("Reduced data is reported")
    func remarks() {
        let phone = #","factors":[{"factor_type":"phone","status":"verified","phone":"1"}]"#
        #expect(account(rest: phone).notes.map(\.remark) == [.secondFactor])
        let codes = #","factors":[{"factor_type":"recovery_code","status":"verified","secret":null}]"#
        #expect(account(rest: codes).notes.map(\.remark) == [.recoveryCodes])
        #expect(account(user: #""phone":"4912345""#).notes.map(\.remark) == [.phoneOnly])
        let encrypted = account(user: #""encrypted_password":"{\"key_id\":\"1\"}""#)
        #expect(encrypted.notes.map(\.remark) == [.accountValue] && encrypted.imported != nil)
        #expect(account().notes.isEmpty)
    }

    /// The COSE_Key of an ES256 key.
    private static let publicKey =
        "a5010203262001215820150a2aa493c369f6992b180f2ad6e29a5ab194ea1b3b610aafe183e3de045509"
        + "2258205f4638ec322da91997a8ac686172b9d5cc66f5dfc604d25d056aed8e759260cb"

    private func passkey(_ members: String, key: String = publicKey) -> String {
        #","passkeys":[{"id":"\#(Self.session)","public_key":"\\x\#(key)",\#(members)}]"#
    }

    @Test("A passkey is imported with its key, from a row in JSON and from the texts of a dump")
    func passkeys() throws {
        let (bytes, name) = (#""credential_id":"\\x0aff""#, #""friendly_name":"Key""#)
        let json = #""sign_count":7,"backup_eligible":true,"backed_up":true,"transports":["usb"],"aaguid":null"#
        let text = #""sign_count":"7","backup_eligible":"t","backed_up":"t","transports":"[\"usb\"]","aaguid":null"#
        for rest in [json, text] {
            let read = account(rest: passkey("\(bytes),\(name),\(rest)"))
            let passkey = try #require(read.imported?.passkeys.first)
            #expect(read.notes.isEmpty && passkey.credentialID == [0x0A, 0xFF] && passkey.algorithm == -7)
            #expect(passkey.signCount == 7 && passkey.isBackupEligible && passkey.isBackedUp)
            #expect(passkey.transports == ["usb"] && passkey.name == "Key" && passkey.user.text == Self.id)
            #expect(passkey.publicKey.count == 77 && passkey.model == Array(repeating: 0, count: 16))
        }
    }

    @Test(
        "A passkey that this server could not use stays behind, and is reported",
        arguments: [
            (#""credential_id":null"#, publicKey), (#""credential_id":"\\x""#, publicKey),
            (#""credential_id":"\\x0""#, publicKey), (#""credential_id":"0aff""#, publicKey),
            (#""credential_id":"\\x0aff","sign_count":4294967296"#, publicKey),
            (#""credential_id":"\\x0aff","sign_count":-1"#, publicKey), (#""credential_id":"\\x0aff""#, "a0"),
            (#""credential_id":"\\x0aff""#, "ff"),
        ])
    func unusablePasskey(_ members: String, _ key: String) {
        let account = account(rest: passkey(members, key: key))
        #expect(account.imported?.passkeys.isEmpty == true && account.notes.map(\.remark) == [.passkey])
    }

    @Test("A profile is imported without values that a PATCH would refuse, and names them")
    func profileValues() throws {
        let long = String(repeating: "a", count: 51)
        let odd = account(
            rest:
                #","profile":{"first_name":"\#(long)","full_name":" Ada ","timezone":"PST","is_premium":3,"#
                + #""avatar_url":"https://example.com/a\"onerror=","favorite_teams":["nba_1","Lakers"],"#
                + #""data":{"a":[[[[[[[[1]]]]]]]]}}"#)
        let columns = ["first_name", "avatar_url", "timezone", "favorite_teams", "data", "is_premium"]
        #expect(odd.notes.map(\.detail) == columns && odd.notes.allSatisfy { $0.remark == .profileValue })
        #expect(odd.imported?.profile?.name == "Ada")
        let good = account(
            rest:
                #","profile":{"first_name":null,"timezone":"Europe/Berlin","avatar_url":"https://example.com/a.png","#
                + #""favorite_teams":"{nba_1610612744,\"nfl_x\"}","data":{"mood":"calm","goal":null}}"#)
        let profile = try #require(good.imported?.profile)
        #expect(good.notes.isEmpty && profile.firstName == .some(nil) && profile.timezone == "Europe/Berlin")
        #expect(profile.favoriteTeams == #"["nba_1610612744","nfl_x"]"#)
        #expect(profile.data == #"{"mood":"calm"}"#)
    }

    @Test("An account without identities gets none, and a deleted one is reported")
    func withoutIdentities() {
        #expect(account(rest: #","identities":[]"#).imported?.account.identities.isEmpty == true)
        #expect(account(user: #""deleted_at":"2025-01-01T00:00:00Z""#).deleted?.text == Self.id)
        #expect(account().deleted == nil)
    }

    @Test("A session is imported if one of its tokens is valid")
    func sessionFates() {
        let good = token(12, revoked: false, parent: #""aaaaaaaaaa11""#)
        #expect(account(rest: sessions("", token(11, revoked: true) + "," + good)).notes.isEmpty)
        for (session, tokens, remark): (String, String, Remark) in [
            ("", token(11, revoked: true), .sessionEnded), ("", "", .sessionEnded),
            (#","not_after":"2030-01-01T00:00:00Z""#, good, .sessionExpired),
            (#","refreshed_at":"2026-01-01T00:00:00""#, good, .sessionExpired),
            (#","refresh_token_hmac_key":"{\"key_id\":\"1\"}""#, "", .sessionUnreadable),
            (#","aal":"aal9""#, good, .sessionUnreadable),
        ] {
            let notes = account(rest: sessions(session, tokens)).notes
            #expect(notes == [SupabaseAccount.Note(remark: remark, detail: Self.session)], "\(session)")
        }
    }

    @Test("A session names the factor that raised it")
    func factorOfSession() throws {
        let claims =
            #","claims":[{"session_id":"\#(Self.session)","authentication_method":"totp","#
            + #""updated_at":"2027-01-15T00:00:00Z"}]"#
        let raised = sessions(#","aal":"aal2","factor_id":"\#(Self.id)""#, token(12, revoked: false)) + claims
        let session = try #require(account(rest: raised).imported?.sessions?.first?.session)
        #expect(session.factor?.text == Self.id && session.assuranceLevel == .aal2)
        let low = sessions(#","factor_id":null"#, token(12, revoked: false))
        #expect(try #require(account(rest: low).imported?.sessions?.first?.session).factor == nil)
    }

    @Test(
        "Tokens from before the second factor are below the session's level",
        arguments: [
            // The previous token's time, and the second factor's.
            (#","created_at":"2027-01-14T23:00:00Z""#, "2027-01-14T23:00:00Z", 0),
            (#","created_at":"2027-01-14T22:59:59Z""#, "2027-01-14T23:00:00Z", 2), ("", "2027-01-14T23:00:00Z", 2),
            ("", nil, 0),
        ] as [(String, String?, Int64)])
    func levelOfTokens(_ created: String, _ raised: String?, _ counter: Int64) throws {
        let claims = raised.map {
            #","claims":[{"session_id":"\#(Self.session)","authentication_method":"totp","created_at":"\#($0)","#
                + #""updated_at":"2027-01-15T00:00:00Z"}]"#
        }
        let old = token(11, revoked: true).replacing("\"parent\":null", with: "\"parent\":null\(created)")
        let rows = sessions("", old + "," + token(12, revoked: false, parent: #""aaaaaaaaaa11""#))
        let byRows = try #require(account(rest: rows + (claims ?? "")).imported?.sessions?.first)
        #expect(byRows.session.levelCounter == counter && byRows.tokens.count == 2)
    }

    @Test("Without rows, a refresh after the second factor shows that the token before has its level")
    func levelOfCounters() throws {
        let key = String(repeating: "A", count: 43)
        let claims =
            #","claims":[{"session_id":"\#(Self.session)","authentication_method":"totp","#
            + #""created_at":"2027-01-14T23:00:00Z"}]"#
        for (refreshed, counter) in [("23:00:10", 2), ("23:00:11", 1)] as [(String, Int64)] {
            let columns =
                #","refresh_token_hmac_key":"\#(key)","refresh_token_counter":9,"refreshed_at":"2027-01-14T\#(refreshed)""#
            let read = try #require(account(rest: sessions(columns, "") + claims).imported?.sessions?.first)
            #expect(read.session.levelCounter == counter && read.tokens.count == 5, "\(refreshed)")
            let low = try #require(account(rest: sessions(columns, "")).imported?.sessions?.first)
            #expect(low.session.levelCounter == 0)
        }
    }

    @Test("Rows of a dump: texts for everything, t and f")
    func dumpRows() {
        let rest = sessions(
            #","refreshed_at":"2027-01-14 00:00:00.5","refresh_token_counter":null"#,
            #"{"id":"12","token":"aaaaaaaaaa12","revoked":"f","session_id":"\#(Self.session)"}"#)
        #expect(account(user: #""email":"ada@example.com","is_sso_user":"f""#, rest: rest).notes.isEmpty)
    }

    @Test("COPY's text: headings, nulls, escapes")
    func copyText() throws {
        let heading = try #require(CopyText.heading(#"COPY auth.users (id, "role", email) FROM stdin;"#))
        #expect(heading.table == "auth.users" && heading.columns == ["id", "role", "email"])
        #expect(CopyText.heading("COPY auth.users (id) TO stdout;") == nil)
        let text = "a\tb\\c\nd\re"
        #expect(CopyText.values(Array("x\t\\N\t\(CopyText.line(text))".utf8)) == ["x", nil, text])
        #expect(CopyText.values([]) == [""])
    }
}
