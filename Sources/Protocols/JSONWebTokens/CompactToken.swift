import GatehouseWire

/// Not yet verified (RFC 7515 §7.1).
struct CompactToken {
    /// Bytes; more than a request header can hold.
    static let maximumLength = 65_536

    let header: ArraySlice<UInt8>
    let payload: ArraySlice<UInt8>
    let signature: ArraySlice<UInt8>
    /// Header, dot and payload (RFC 7515 §5.1).
    let signingInput: ArraySlice<UInt8>

    init(_ token: String) throws(TokenRejection) {
        guard token.utf8.count <= Self.maximumLength else { throw .malformed(.whole) }
        let bytes = Array(token.utf8)
        let stop = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: stop), let last = bytes.lastIndex(of: stop), first < last,
            !bytes[(first + 1)..<last].contains(stop)
        else { throw .malformed(.whole) }
        header = bytes[..<first]
        payload = bytes[(first + 1)..<last]
        signature = bytes[(last + 1)...]
        signingInput = bytes[..<last]
    }
}

/// Only for comparison with the key (RFC 8725 §3.1).
struct TokenHeader {
    let algorithm: SigningAlgorithm
    let keyID: ExternalName?
    /// Lower case.
    let type: String?

    /// Members that let the token choose its key or change what the signature covers.
    private static let refused = ["jku", "jwk", "x5u", "x5c", "crit", "b64"]
    private static let types = ["jwt", "at+jwt"]

    init(_ part: ArraySlice<UInt8>) throws(TokenRejection) {
        let members = try CompactToken.object(part, .header)
        for name in Self.refused where members[name] != nil { throw .unsupportedHeader(member: name) }
        guard let algorithm = members["alg"]?.stringValue.flatMap(SigningAlgorithm.init(text:)) else {
            throw .unsupportedHeader(member: "alg")
        }
        type = members["typ"].map { $0.stringValue?.lowercased() ?? "" }
        if let type, !Self.types.contains(type) { throw .unsupportedHeader(member: "typ") }
        self.algorithm = algorithm
        keyID = try Self.keyID(members["kid"])
    }

    private static func keyID(_ member: AuthJSON?) throws(TokenRejection) -> ExternalName? {
        guard let member else { return nil }
        guard let id = member.stringValue.flatMap(ExternalName.init) else { throw .malformed(.header) }
        return id
    }
}

extension CompactToken {
    static func object(
        _ part: ArraySlice<UInt8>, _ name: TokenRejection.Part
    ) throws(TokenRejection) -> AuthJSONObject {
        try members(bytes(part, name), name)
    }

    static func bytes(_ part: ArraySlice<UInt8>, _ name: TokenRejection.Part) throws(TokenRejection) -> [UInt8] {
        guard let bytes = Base64URL.decode(part) else { throw .malformed(name) }
        return bytes
    }

    static func members(_ bytes: [UInt8], _ name: TokenRejection.Part) throws(TokenRejection) -> AuthJSONObject {
        do {
            let json = try JSONReader.read(bytes, refusesDuplicates: true)
            guard let members = json.objectValue else { throw TokenRejection.malformed(name) }
            return members
        } catch {
            throw .malformed(name)
        }
    }
}
