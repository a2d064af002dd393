import GatehouseWire
import Testing

@Suite("Members of a request body")
struct JSONMembersTests {
    private func members(_ text: String) throws -> JSONMembers { try JSONMembers(Array(text.utf8)) }

    @Test("Names match case-insensitively, and an exact name comes first")
    func names() throws {
        #expect(try members(#"{"Email":"a"}"#).string("email") == "a")
        #expect(try members(#"{"EMAIL":"a"}"#).string("email") == "a")
        #expect(try members(#"{"Email":"a","email":"b","EMAIL":"c"}"#).string("email") == "b")
        #expect(try members(#"{"emails":"a","e-mail":"b"}"#).string("email") == nil)
    }

    @Test("Among several inexact names the same one wins in every run")
    func inexactNames() throws {
        for _ in 0..<100 {
            let members = try members(#"{"Email":"a","EMAIL":"b","eMail":"c","emaiL":"d"}"#)
            #expect(try members.string("email") == "b")
        }
    }

    @Test("A null counts as absent, and as mentioned")
    func nulls() throws {
        let members = try members(#"{"a":null,"b":1,"C":null}"#)
        #expect(members["a"] == nil)
        #expect(try members.string("a") == nil)
        #expect(try members.bool("a") == nil)
        #expect(try members.object("a") == nil)
        #expect(try members.secret("a") == nil)
        #expect(members["c"] == nil)
        #expect(members["d"] == nil)
        #expect(members.mentions("a"))
        #expect(members.mentions("b"))
        #expect(!members.mentions("d"))
        #expect(members.names.sorted() == ["C", "a", "b"])
    }

    @Test("Each type is read as itself")
    func types() throws {
        let members = try members(#"{"s":"x","e":"","t":true,"f":false,"o":{"n":null},"i":3}"#)
        #expect(try members.string("s") == "x")
        #expect(try members.string("e") == "")
        #expect(try members.secret("s")?.reveal() == "x")
        #expect(try members.bool("t") == true)
        #expect(try members.bool("f") == false)
        #expect(try members.object("o") == ["n": .null])
        #expect(members["i"] == 3)
        #expect(JSONMembers(["a": 1])["a"] == 1)
    }

    @Test(
        "A wrong type is a problem that names the member",
        arguments: [#"{"m":1}"#, #"{"m":1.5}"#, #"{"m":[]}"#, #"{"M":[{}]}"#])
    func wrongTypes(_ text: String) throws {
        let members = try members(text)
        #expect(throws: JSONProblem.wrongType(member: "m", expected: "string")) { try members.string("m") }
        #expect(throws: JSONProblem.wrongType(member: "m", expected: "string")) { try members.secret("m") }
        #expect(throws: JSONProblem.wrongType(member: "m", expected: "bool")) { try members.bool("m") }
        #expect(throws: JSONProblem.wrongType(member: "m", expected: "object")) { try members.object("m") }
    }

    @Test("Text is not a flag, a flag is not text, and an object is neither")
    func nearTypes() throws {
        let members = try members(#"{"text":"true","flag":true}"#)
        #expect(throws: JSONProblem.wrongType(member: "text", expected: "bool")) { try members.bool("text") }
        #expect(throws: JSONProblem.wrongType(member: "flag", expected: "string")) { try members.string("flag") }
        #expect(throws: JSONProblem.wrongType(member: "text", expected: "object")) { try members.object("text") }
    }

    @Test("A body that is not an object is refused", arguments: ["[]", "1", "null", #""a""#, "true"])
    func notAnObject(_ text: String) {
        #expect(throws: JSONProblem.malformed("expected an object")) { try members(text) }
    }

    @Test("A body that is not JSON is refused with the reader's problem")
    func malformed() {
        #expect(throws: JSONProblem.malformed("unexpected end")) { try members("") }
        #expect(throws: JSONProblem.malformed("text after the value")) { try members("{}{}") }
    }
}
