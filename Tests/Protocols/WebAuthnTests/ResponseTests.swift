import GatehouseWire
import SoftAuthenticator
import Testing
import WebAuthn

@Suite("Responses of browsers")
struct ResponseTests {
    private func registration(_ edit: (inout AuthJSONObject, inout AuthJSONObject) -> Void) throws -> AuthJSON {
        var ceremonies = try Ceremonies()
        let json = try ceremonies.authenticator.create(ceremonies.creationOptions(), origin: Ceremonies.origin)
        return try edited(json, edit)
    }

    private func authentication(_ edit: (inout AuthJSONObject, inout AuthJSONObject) -> Void) throws -> AuthJSON {
        var ceremonies = try Ceremonies()
        try ceremonies.register()
        let json = try ceremonies.authenticator.get(ceremonies.requestOptions(), origin: Ceremonies.origin)
        return try edited(json, edit)
    }

    private func edited(
        _ json: AuthJSON, _ edit: (inout AuthJSONObject, inout AuthJSONObject) -> Void
    ) throws -> AuthJSON {
        var members = try #require(json.objectValue)
        var response = try #require(members["response"]?.objectValue)
        edit(&members, &response)
        if members["response"]?.objectValue != nil { members["response"] = .object(response) }
        return .object(members)
    }

    @Test("A registration without transports and extension results, as Swift clients send it, is read")
    func short() throws {
        let json = try registration { members, response in
            _ = response.removeValue(forKey: "transports")
            _ = members.removeValue(forKey: "clientExtensionResults")
            _ = members.removeValue(forKey: "authenticatorAttachment")
        }
        #expect(try RegistrationResponse(json).transports.isEmpty)
    }

    @Test("Transports are bounded, and texts that cannot be names are dropped")
    func transports() throws {
        let json = try registration { _, response in
            response["transports"] = .array(["usb", "<b>", 7, "smart-card"] + [AuthJSON](repeating: "nfc", count: 100))
        }
        let transports = try RegistrationResponse(json).transports
        #expect(transports.count == 6 && transports.prefix(2).elementsEqual(["usb", "smart-card"], by: ==))
    }

    @Test("A malformed registration is refused before any check")
    func malformedRegistrations() throws {
        let edits: [(inout AuthJSONObject, inout AuthJSONObject) -> Void] = [
            { members, _ in members["type"] = "password" }, { members, _ in members["type"] = nil },
            { members, _ in members["id"] = nil }, { members, _ in members["id"] = "" },
            { members, _ in members["id"] = "a+b=" }, { members, _ in members["rawId"] = "AAAA" },
            { members, _ in members["rawId"] = nil },
            { members, _ in members["response"] = "text" }, { _, response in response["clientDataJSON"] = nil },
            { _, response in response["clientDataJSON"] = .string(Base64URL.text(Array("{\"type\":1}".utf8))) },
            { _, response in response["attestationObject"] = nil },
            { _, response in response["attestationObject"] = "oA" },
            { _, response in response["attestationObject"] = .string(String(repeating: "A", count: 100_000)) },
            { _, response in response["transports"] = "usb" },
        ]
        for (index, edit) in edits.enumerated() {
            let json = try registration(edit)
            #expect(try failedStep { _ = try RegistrationResponse(json) } == .form, "\(index)")
        }
        #expect(try failedStep { _ = try RegistrationResponse([]) } == .form)
    }

    @Test("A malformed authentication is refused before any check")
    func malformedAuthentications() throws {
        let edits: [(inout AuthJSONObject, inout AuthJSONObject) -> Void] = [
            { _, response in response["authenticatorData"] = .string(Base64URL.text([UInt8](repeating: 0, count: 36)))
            },
            { _, response in response["authenticatorData"] = .string(Base64URL.text([UInt8](repeating: 0, count: 38)))
            },
            // Attested data, or extensions, that are not there.
            { _, response in
                let data = [UInt8](repeating: 0, count: 32) + [0x41, 0, 0, 0, 0]
                response["authenticatorData"] = .string(Base64URL.text(data))
            },
            { _, response in
                let data = [UInt8](repeating: 0, count: 32) + [0x81, 0, 0, 0, 0]
                response["authenticatorData"] = .string(Base64URL.text(data))
            },
            { _, response in response["signature"] = nil },
            { _, response in response["signature"] = .string(Base64URL.text([UInt8](repeating: 0, count: 1_025))) },
            { _, response in response["userHandle"] = .string(Base64URL.text([UInt8](repeating: 0, count: 65))) },
            { _, response in response["userHandle"] = 7 },
        ]
        for (index, edit) in edits.enumerated() {
            let json = try authentication(edit)
            #expect(try failedStep { _ = try AuthenticationResponse(json) } == .form, "\(index)")
        }
    }

    @Test("Client data may have a byte order mark and unknown members, but no duplicates and no other types")
    func clientData() throws {
        let plain =
            #"{"type":"webauthn.get","challenge":"AAEC","origin":"https://example.org","#
            + #""new":{"a":[1]},"topOrigin":null}"#
        let data = try ClientData([0xEF, 0xBB, 0xBF] + Array(plain.utf8))
        #expect(data.kind == .get && data.challenge == [0, 1, 2] && !data.isCrossOrigin && data.topOrigin == nil)
        let refused = [
            "", "{", "null", plain + "x", #"{"type":"webauthn.get","type":"a","challenge":"AAEC","origin":"b"}"#,
            #"{"type":"webauthn.get","challenge":"AAEC="#, #"{"type":"webauthn.get","challenge":"AA=","origin":"b"}"#,
            #"{"type":"webauthn.get","challenge":"AAEC","origin":7}"#,
            #"{"type":"webauthn.get","challenge":"AAEC","origin":"b","crossOrigin":"true"}"#,
            #"{"type":"webauthn.get","challenge":"AAEC","origin":"b","topOrigin":[]}"#,
        ]
        for text in refused { #expect(try failedStep { _ = try ClientData(Array(text.utf8)) } == .form, "\(text)") }
    }

    @Test("Extension outputs are read, and bytes after them refused")
    func extensions() throws {
        var ceremonies = try Ceremonies()
        let outputs = CBORWriter.map([(CBORWriter.text("credProtect"), CBORWriter.integer(2))])
        let extended = changes {
            $0.flags = [.userPresent, .extensions]
            $0.extensions = outputs
        }
        #expect(try failedStep { try ceremonies.register(extended) } == nil)
        let trailing = changes {
            $0.flags = [.userPresent, .extensions]
            $0.extensions = outputs + [0]
        }
        #expect(try failedStep { try ceremonies.register(trailing) } == .form)
        let unannounced = changes { $0.extensions = outputs }
        #expect(try failedStep { try ceremonies.register(unannounced) } == .form)
    }
}
