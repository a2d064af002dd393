import GatehouseWire
import ProfileGateway
import Testing

@Suite("Changes of a profile")
struct ProfileChangesTests {
    private func changes(_ json: String, _ allowed: [String] = ProfileChanges.summaryFields) throws -> ProfileChanges {
        try ProfileChanges(try JSONMembers(Array(json.utf8)), allowed: allowed)
    }

    @Test(
        "A first name is trimmed; empty and null clear it; absent keeps it",
        arguments: [
            (#"{"first_name":"  Ada "}"#, Change.set("Ada")), (#"{"first_name":""}"#, .clear),
            (#"{"first_name":" \t\n"}"#, .clear),
            (#"{"first_name":null}"#, .clear), (#"{"favorite_teams":[]}"#, .keep),
            (#"{"first_name":"\u00a0Zo\u00eb\u2003"}"#, .set("Zoë")),
        ])
    func firstName(_ json: String, _ change: Change) throws { #expect(try changes(json).firstName == change) }

    @Test("Fifty characters are allowed, one more is not, counted as in the database")
    func length() throws {
        let fifty = String(repeating: "é", count: 50)
        #expect(try changes(#"{"first_name":" \#(fifty) "}"#).firstName == .set(fifty))
        #expect(throws: InvalidProfileChange.self) { try changes(#"{"first_name":"\#(fifty)x"}"#) }
        // One visible character, two scalars in SQL.
        let flags = String(repeating: "🇨🇭", count: 26)
        #expect(throws: InvalidProfileChange.self) { try changes(#"{"first_name":"\#(flags)"}"#) }
    }

    @Test("Teams lose duplicates and keep their order; null clears them")
    func teams() throws {
        let changes = try changes(#"{"favorite_teams":["nba_2","nfl_KC","nba_2","mlb_1-a"]}"#)
        #expect(changes.favoriteTeams == ["nba_2", "nfl_KC", "mlb_1-a"])
        #expect(try self.changes(#"{"favorite_teams":null}"#).favoriteTeams == [])
        #expect(try self.changes(#"{"first_name":null}"#).favoriteTeams == nil)
    }

    @Test(
        "An invalid team id is refused",
        arguments: [
            #""nba_1""#, "{}", "[1]", "[null]", #"["nba"]"#, #"["NBA_1"]"#, #"["nba_"]"#, #"["_1"]"#, #"["nba_1 "]"#,
            #"["nba_1_2"]"#,
            #"["1nba_1"]"#, #"["nba_é"]"#, #"["nba_\#(String(repeating: "1", count: 47))"]"#,
        ])
    func noTeams(_ json: String) {
        #expect(throws: InvalidProfileChange.self) { try changes(#"{"favorite_teams":\#(json)}"#) }
    }

    @Test("Thirty teams are allowed")
    func count() throws {
        let list = (1...31).map { #""nba_\#($0)""# }
        #expect(
            try changes(#"{"favorite_teams":[\#(list.dropLast().joined(separator: ","))]}"#).favoriteTeams?.count == 30)
        #expect(throws: InvalidProfileChange.self) {
            try changes(#"{"favorite_teams":[\#(list.joined(separator: ","))]}"#)
        }
        let longest = "nba_" + String(repeating: "1", count: 46)
        #expect(try changes(#"{"favorite_teams":["\#(longest)"]}"#).favoriteTeams == [longest])
    }

    @Test(
        "An empty change or an unknown field is refused by name",
        arguments: [
            ("{}", "There is nothing to change.", nil),
            (#"{"is_premium":true}"#, "is_premium cannot be changed here.", "/is_premium"),
            (#"{"first_name":"a","id":"x"}"#, "id cannot be changed here.", "/id"),
            (#"{"First_Name":"a"}"#, "First_Name cannot be changed here.", "/First_Name"),
            (#"{"a/b~":"a"}"#, "a/b~ cannot be changed here.", "/a~1b~0"),
            (#"{"name":"a"}"#, "name cannot be changed here.", "/name"),
            (#"{"first_name":1}"#, "first_name must be a string or null.", "/first_name"),
        ] as [(String, String, String?)])
    func refused(_ json: String, _ message: String, _ field: String?) {
        #expect(throws: InvalidProfileChange(message: message, field: field)) { try changes(json) }
    }

    @Test("The app's own fields are a merge patch; null clears them")
    func data() throws {
        #expect(try changes(#"{"data":{"mood":null}}"#).data == .merge(["mood": .null]))
        #expect(try changes(#"{"data":null}"#).data == .clear)
        #expect(try changes(#"{"first_name":"a"}"#).data == .keep)
        for json in ["1", "[]", #""{}""#, "true"] {
            #expect(throws: InvalidProfileChange(message: "data must be an object or null.", field: "/data")) {
                try changes(#"{"data":\#(json)}"#)
            }
        }
        let large = #"{"data":{"a":"\#(String(repeating: "a", count: 16_376))"}}"#
        #expect(try changes(large).data != .keep, "16,384 bytes")
        #expect(throws: InvalidProfileChange.self) { try changes(large.replacing("{\"a\"", with: "{\"ab\"")) }
        let levels = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
        #expect(try changes(#"{"data":{"a":\#(levels(7))}}"#).data != .keep)
        #expect(throws: InvalidProfileChange.self) { try changes(#"{"data":{"a":\#(levels(8))}}"#) }
    }

    @Test("The whole profile has more members, but is_premium is read-only")
    func whole() throws {
        let all = ProfileChanges.wholeFields
        let changes = try changes(
            #"{"name":" Ada L. ","avatar_url":"https://a.example/x.png","timezone":"Europe/Berlin","first_name":null}"#,
            all)
        #expect(changes.name == .set("Ada L."))
        #expect(changes.avatarURL == .set("https://a.example/x.png"))
        #expect(changes.timezone == .set("Europe/Berlin"))
        #expect(changes.firstName == .clear)
        #expect(throws: InvalidProfileChange(message: "is_premium cannot be changed here.", field: "/is_premium")) {
            try self.changes(#"{"is_premium":false}"#, all)
        }
        #expect(throws: InvalidProfileChange.self) {
            try self.changes(#"{"name":"\#(String(repeating: "n", count: 101))"}"#, all)
        }
    }

    @Test(
        "Time zones",
        arguments: [
            ("UTC", true), ("America/Los_Angeles", true), ("US/Pacific", true), ("Asia/Calcutta", true),
            ("Europe/Nowhere", false),
            ("PST", false), ("GMT+5", false), ("../etc/passwd", false), ("europe/berlin", false),
        ])
    func timezone(_ name: String, _ isKnown: Bool) {
        // Ignored: any error is a refusal.
        let result = try? changes(#"{"timezone":"\#(name)"}"#, ProfileChanges.wholeFields)
        #expect(result?.timezone == (isKnown ? .set(name) : nil))
    }

    @Test(
        "Addresses of pictures",
        arguments: [
            ("https://a.example", true), ("HTTPS://A.example:8443/p?q=%20#f", true), ("https://[2001:db8::1]/x", true),
            ("http://localhost:3000/x", true), ("http://127.0.0.1/x", true), ("http://[::1]:80/x", true),
            ("http://a.example/x", false), ("http://localhost.example/x", false), ("ftp://a.example/x", false),
            ("javascript:alert(1)", false), ("data:image/png;base64,AA", false), ("https://", false),
            ("https:///x", false),
            ("https://user@a.example/", false), ("https://a.example:99999/", false), ("https://a.example:x/", false),
            ("https://a b.example/", false), ("https://a.example/<x>", false), ("https://a..example/", false),
            ("https://.example/", false), ("https://ä.example/", false), ("//a.example/x", false),
            ("a.example/x", false),
            ("https://\(String(repeating: "a", count: 2_041))", false),
        ])
    func avatar(_ address: String, _ isAllowed: Bool) {
        // Ignored: any error is a refusal.
        let result = try? changes(#"{"avatar_url":"\#(address)"}"#, ProfileChanges.wholeFields)
        #expect(result?.avatarURL == (isAllowed ? .set(address) : nil))
    }
}
