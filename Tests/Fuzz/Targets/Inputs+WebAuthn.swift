import GatehouseWire
import WebAuthn

extension Inputs {
    /// CBOR, public keys, authenticator data and attestation objects.
    static func cbor(_ input: [UInt8]) throws(FuzzFinding) {
        // Ignored, here and below: a refusal is as good as a value.
        if let (value, rest) = try? CBORReader.readPrefix(input[...]) {
            try expect(rest.count < input.count && rest.endIndex == input.endIndex, "the rest is not the input's end")
            let item = input[..<rest.startIndex]
            // As above.
            try expect((try? CBORReader.read(item)) == value, "an item that reads otherwise alone")
            // As above.
            try expect((try? CBORReader.read(item + [0])) == nil, "a byte after the item passes")
        }
        // As above.
        if let key = try? CredentialPublicKey(input) {
            try expect(!key.isValid([], for: input) && !key.isValid(input, for: input), "a signature that nobody made")
        }
        // As above.
        if let data = try? AuthenticatorData(input) { try expect(data) }
        // As above.
        if let object = try? AttestationObject(input) {
            try expect(object.authenticatorData.credential != nil, "an attestation of nothing")
            try expect(object.authenticatorData)
        }
    }

    private static func expect(_ data: AuthenticatorData) throws(FuzzFinding) {
        try expect(data.relyingPartyIDHash.count == 32, "a hash of another length")
        guard let credential = data.credential else { return }
        try expect(credential.aaguid.count == 16 && credential.id.count <= 65_535, "parts of other lengths")
        // As above.
        try expect((try? CBORReader.read(credential.publicKey[...]))?.mapValue != nil, "a key that is no map")
    }

    // Ignored: the test of any registration finds it missing.
    private static let party = try? RelyingParty(
        id: "example.org", name: "Example", origins: ["https://example.org"], topOrigins: ["https://example.com"])

    /// Browsers' responses and client data. No damaged response verifies for a challenge that was not issued.
    static func ceremony(_ input: [UInt8]) throws(FuzzFinding) {
        // Ignored, here and below: a refusal is as good as a value.
        if let data = try? ClientData(input) {
            try expect(data.hash.count == 32, "a hash of another length")
            if let origin = CeremonyOrigin(data.origin) {
                try expect(CeremonyOrigin(origin.text) == origin, "an origin of two spellings")
            }
        }
        // As above.
        guard let party, let json = try? JSONReader.read(input) else { return }
        let unissued = [UInt8](repeating: 0, count: 32)
        // As above.
        if let response = try? RegistrationResponse(json) {
            try expect((1...CredentialRecord.maximumIDLength).contains(response.credentialID.count), "an id's length")
            try expect(response.transports.count <= CredentialRecord.maximumTransports, "many transports")
            // As above.
            let record = try? party.verify(response, RegistrationExpectation(challenge: unissued))
            try expect(record == nil, "a challenge that was not issued")
        }
        // As above.
        if let response = try? AuthenticationResponse(json) {
            try expect((response.userHandle ?? []).count <= 64, "a long user handle")
        }
    }
}
