import Foundation
import GatehouseWire
import Testing
import WebAuthn

/// W3C Web Authentication Level 3, section 16, with the data in Tests/Protocols/WebAuthnTests/Vectors.json.
@Suite("W3C's test vectors (§16)")
struct VectorTests {
    private static let vectors: [AuthJSONObject] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors.json")
        // Found by the first test: no vectors.
        guard let text = try? Data(contentsOf: file), let json = try? JSONReader.read(Array(text)) else { return [] }
        return (json.objectValue?["vectors"]?.arrayValue ?? []).compactMap(\.objectValue)
    }()

    /// Allows frames for the vectors with `crossOrigin`.
    private static func party(_ info: String) throws -> RelyingParty {
        let tops = info == "none.ES256.topOrigin" || info == "none.ES256.crossOrigin" ? ["https://example.com"] : []
        return try RelyingParty(
            id: "example.org", name: "Example", origins: ["https://example.org"], topOrigins: tops)
    }

    @Test("Every registration and authentication verifies; Ed448, which is not offered, is refused")
    func all() throws {
        #expect(Self.vectors.count == 15)
        for vector in Self.vectors {
            let info = try #require(vector["info"]?.stringValue)
            if info == "packed.Ed448" {
                #expect(try failedStep { _ = try verify(vector, info) } == .algorithm)
            } else {
                #expect(throws: Never.self, "\(info)") { _ = try verify(vector, info) }
            }
        }
    }

    @Test("A vector with one bit of its signed data changed is refused")
    func changed() throws {
        for vector in Self.vectors {
            let info = try #require(vector["info"]?.stringValue)
            #expect(try failedStep { _ = try verify(vector, info, changesCount: true) } != nil, "\(info)")
        }
    }

    @Test("The record has the id, the AAGUID and the format of the vector")
    func records() throws {
        let formats: [(String, AttestationFormat)] = [
            ("none.ES256", .none), ("packed-self.ES256", .packed), ("packed.EdDSA", .packed), ("tpm.ES256", .tpm),
            ("android-key.ES256", .androidKey), ("apple.ES256", .apple), ("fido-u2f.ES256", .fidoU2F),
        ]
        for (info, format) in formats {
            let vector = try #require(Self.vectors.first { $0["info"]?.stringValue == info })
            let record = try verify(vector, info)
            let registration = try #require(vector["registration"]?.objectValue)
            #expect(record.attestation == format)
            #expect(record.id == (try bytes(registration, "credential_id")))
            #expect(record.aaguid == (try bytes(registration, "aaguid")))
        }
    }

    /// - Parameter changesCount: Changes the last bit of the count.
    private func verify(
        _ vector: AuthJSONObject, _ info: String, changesCount: Bool = false
    ) throws -> CredentialRecord {
        let party = try Self.party(info)
        let created = try #require(vector["registration"]?.objectValue)
        let id = try bytes(created, "credential_id")
        let registration = try RegistrationResponse(
            credential(id, created, [("clientDataJSON", nil), ("attestationObject", nil)]))
        let record = try party.verify(
            registration, RegistrationExpectation(challenge: bytes(created, "challenge")))
        let used = try #require(vector["authentication"]?.objectValue)
        var data = try bytes(used, "authenticatorData")
        if changesCount { data[data.count - 1] ^= 1 }
        let authentication = try AuthenticationResponse(
            credential(id, used, [("clientDataJSON", nil), ("authenticatorData", data), ("signature", nil)]))
        let verdict = try party.verify(
            authentication, AuthenticationExpectation(challenge: bytes(used, "challenge")), of: record)
        #expect(!verdict.isCloned)
        return record
    }

    private func bytes(_ members: AuthJSONObject, _ name: String) throws -> [UInt8] {
        let digits = try #require(members[name]?.stringValue).utf8.compactMap(\.hexadecimalValue)
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private func credential(
        _ id: [UInt8], _ members: AuthJSONObject, _ names: [(String, [UInt8]?)]
    ) throws -> AuthJSON {
        var response = AuthJSONObject()
        for (name, replacement) in names {
            response[name] = .string(Base64URL.text(try replacement ?? bytes(members, name)))
        }
        let id = AuthJSON.string(Base64URL.text(id))
        return ["id": id, "rawId": id, "type": "public-key", "response": .object(response)]
    }
}
