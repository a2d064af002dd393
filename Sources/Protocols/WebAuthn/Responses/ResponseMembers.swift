import GatehouseWire

/// `PublicKeyCredential` (§5.1, `toJSON`), bounded before decoding.
struct ResponseMembers {
    /// Bytes after decoding.
    static let maximumLength = 65_536
    static let maximumUserHandleLength = 64

    private let members: AuthJSONObject

    init(credential json: AuthJSON) throws(CeremonyFailure) {
        guard let members = json.objectValue else { throw CeremonyFailure(.form, "the credential is no object") }
        self.members = members
        guard members["type"]?.stringValue == "public-key" else {
            throw CeremonyFailure(.form, "type is not public-key")
        }
    }

    private init(_ members: AuthJSONObject) { self.members = members }

    func response() throws(CeremonyFailure) -> ResponseMembers {
        guard let response = members["response"]?.objectValue else {
            throw CeremonyFailure(.form, "response is missing")
        }
        return ResponseMembers(response)
    }

    /// `id` and `rawId` must match (§5.1).
    func credentialID() throws(CeremonyFailure) -> [UInt8] {
        let id = try bytes("id", maximum: CredentialRecord.maximumIDLength)
        let rawID = try bytes("rawId", maximum: CredentialRecord.maximumIDLength)
        guard rawID == id else { throw CeremonyFailure(.form, "id and rawId differ") }
        guard !id.isEmpty else { throw CeremonyFailure(.form, "id is empty") }
        return id
    }

    /// Base64url without padding.
    func bytes(_ name: StaticString, maximum: Int = maximumLength) throws(CeremonyFailure) -> [UInt8] {
        guard let bytes = try optionalBytes(name, maximum: maximum) else {
            throw CeremonyFailure(.form, "\(name) is missing")
        }
        return bytes
    }

    /// - Returns: nil if absent or null.
    func optionalBytes(_ name: StaticString, maximum: Int = maximumLength) throws(CeremonyFailure) -> [UInt8]? {
        guard let member = members["\(name)"], !member.isNull else { return nil }
        guard let text = member.stringValue, text.utf8.count <= Base64URL.encodedCount(maximum),
            let bytes = Base64URL.decode(text)
        else { throw CeremonyFailure(.form, "\(name) is not base64url or too long") }
        return bytes
    }

    /// Absent means none. Drops names that cannot be of the enumeration.
    func transports() throws(CeremonyFailure) -> [String] {
        guard let member = members["transports"], !member.isNull else { return [] }
        guard let names = member.arrayValue else { throw CeremonyFailure(.form, "transports is no array") }
        return names.prefix(CredentialRecord.maximumTransports).compactMap { name in
            guard let text = name.stringValue, (1...32).contains(text.utf8.count),
                text.utf8.allSatisfy({ $0.isLowerAlphanumeric || $0 == UInt8(ascii: "-") })
            else { return nil }
            return text
        }
    }
}
