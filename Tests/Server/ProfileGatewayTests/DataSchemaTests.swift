import GatehouseWire
import Testing

@testable import ProfileGateway

@Suite("The schema of an app's own fields")
struct DataSchemaTests {
    private func violation(_ schema: String, _ value: String) throws -> DataViolation? {
        let schema = try DataSchema(file: Array(schema.utf8))
        let value = try JSONReader.read(value)
        do throws(DataViolation) {
            try schema.check(value, at: DataPath())
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Each keyword allows and refuses",
        arguments: [
            (#"{"type":"integer"}"#, ["1", "-3", "2.0"], ["1.5", "true", #""1""#]),
            (#"{"type":"number"}"#, ["1", "1.5"], [#""1""#, "null"]),
            (#"{"type":["string","null"]}"#, [#""a""#, "null"], ["1", "{}"]),
            (#"{"type":"boolean"}"#, ["true"], ["0"]), (#"{"type":"array"}"#, ["[]"], ["{}"]),
            (#"{"enum":["a",1,{"b":1}]}"#, [#""a""#, "1.0", #"{"b":1.0}"#], [#""b""#, "2", #"{"b":2}"#]),
            (#"{"const":1}"#, ["1", "1.0"], ["2"]), (#"{"const":null}"#, ["null"], ["0"]),
            (#"{"const":1,"enum":[1,2]}"#, ["1"], ["2"]),
            (#"{"minLength":2,"maxLength":3}"#, [#""éé""#, #""abc""#, "1"], [#""é""#, #""abcd""#]),
            (#"{"minimum":1,"maximum":2.5}"#, ["1", "2.5", #""x""#], ["0.9", "3"]),
            (#"{"exclusiveMinimum":1,"exclusiveMaximum":2}"#, ["1.5"], ["1", "2"]),
            (#"{"minItems":1,"maxItems":2}"#, ["[1]", "[1,2]"], ["[]", "[1,2,3]"]),
            (#"{"items":{"type":"string"}}"#, ["[]", #"["a"]"#], ["[1]", #"["a",1]"#]),
            (#"{"items":false}"#, ["[]"], ["[1]"]),
            (#"{"minProperties":1,"maxProperties":1}"#, [#"{"a":1}"#], ["{}", #"{"a":1,"b":2}"#]),
            (#"{"required":["a"]}"#, [#"{"a":null}"#, "1"], ["{}"]),
            (#"{"properties":{"a":{"type":"string"}}}"#, [#"{"a":"x","b":1}"#, "{}"], [#"{"a":1}"#]),
            (#"{"properties":{"a":true},"additionalProperties":false}"#, [#"{"a":1}"#], [#"{"b":1}"#]),
            (#"{"additionalProperties":{"maxLength":1}}"#, [#"{"b":"x"}"#], [#"{"b":"xy"}"#]),
            (#"{"properties":{"a":false}}"#, ["{}"], [#"{"a":1}"#]),
        ] as [(String, [String], [String])])
    func keywords(_ keyword: String, _ allowed: [String], _ refused: [String]) throws {
        let schema = #"{"properties":{"x":\#(keyword)}}"#
        for value in allowed { #expect(try violation(schema, #"{"x":\#(value)}"#) == nil, "\(value)") }
        for value in refused { #expect(try violation(schema, #"{"x":\#(value)}"#) != nil, "\(value)") }
    }

    @Test(
        "The violation names the first field in the order of names",
        arguments: [
            (#"{"b":1,"a":[{"c":2},{"c":"x"}]}"#, "/data/a/1/c", "data.a[1].c must be of type integer."),
            (#"{"b":0}"#, "/data/b", "data.b must be at least 1."),
            (#"{"a":{}}"#, "/data/a", "data.a must be of type array."),
        ])
    func path(_ value: String, _ pointer: String, _ message: String) throws {
        let schema =
            #"{"properties":{"a":{"type":"array","items":{"properties":{"c":{"type":"integer"}}}},"#
            + #""b":{"minimum":1}}}"#
        let violation = try #require(try violation(schema, value))
        #expect(violation.path.pointer == pointer && violation.message == message)
    }

    @Test(
        "A schema that cannot be checked is refused, and the keyword named",
        arguments: [
            (#"{"properties":{"a":{"pattern":"^a"}}}"#, "/properties/a/pattern is not a supported keyword"),
            (##"{"$ref":"#"}"##, "/$ref is not"), (#"{"format":"date"}"#, "/format is not"),
            (#"{"allOf":[]}"#, "/allOf is not"), (#"{"items":{"uniqueItems":true}}"#, "/items/uniqueItems is not"),
            (#"{"type":"text"}"#, "/type must be one or more of null, boolean"),
            (#"{"type":"string"}"#, "/type must allow object"),
            (#"{"enum":[]}"#, "/enum must"), (#"{"minLength":-1}"#, "/minLength must"),
            (#"{"minLength":1.5}"#, "/minLength must"),
            (#"{"required":[1]}"#, "/required must"), (#"{"properties":[]}"#, "/properties must"),
            (#"{"additionalProperties":1}"#, "/additionalProperties must be a schema"),
            (#"{"maximum":"1"}"#, "/maximum must be a number"), ("[]", "the schema must be an object"),
            (
                #"{"$schema":"http://json-schema.org/draft-07/schema#"}"#,
                "/$schema must be https://json-schema.org/draft/2020-12/schema"
            ),
        ])
    func refused(_ schema: String, _ description: String) {
        do {
            _ = try DataSchema(file: Array(schema.utf8))
            Issue.record("the schema was accepted")
        } catch {
            #expect((error as? InvalidDataSchema)?.description.hasPrefix(description) == true, "\(error)")
        }
    }

    @Test("Annotations have no effect")
    func annotations() throws {
        let schema =
            #"{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"x","$comment":"x","title":"x","#
            + #""description":"x","default":1,"examples":[1],"deprecated":true}"#
        #expect(try violation(schema, #"{"a":1}"#) == nil)
    }
}
