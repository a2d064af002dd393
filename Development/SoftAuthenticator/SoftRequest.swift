import GatehouseWire
import WebAuthn

struct SoftRequest {
    let challenge: [UInt8]
    let relyingPartyID: String
    /// `excludeCredentials` or `allowCredentials`.
    let descriptors: [[UInt8]]
    let userHandle: [UInt8]
    let userName: String
    let algorithm: COSEAlgorithm

    init(creation options: AuthJSON) throws(SoftAuthenticatorProblem) {
        let members = options.objectValue ?? [:]
        challenge = try Self.bytes(members, "challenge")
        guard let party = members["rp"]?.objectValue?["id"]?.stringValue else { throw .malformedOptions("rp") }
        guard let user = members["user"]?.objectValue else { throw .malformedOptions("user") }
        relyingPartyID = party
        userHandle = try Self.bytes(user, "id")
        userName = user["name"]?.stringValue ?? ""
        descriptors = try Self.descriptors(members["excludeCredentials"])
        let offered = (members["pubKeyCredParams"]?.arrayValue ?? []).compactMap { parameter in
            parameter.objectValue?["alg"]?.intValue.flatMap { COSEAlgorithm(rawValue: $0) }
        }
        guard let first = offered.first else { throw .noAlgorithm }
        algorithm = first
    }

    init(request options: AuthJSON) throws(SoftAuthenticatorProblem) {
        let members = options.objectValue ?? [:]
        challenge = try Self.bytes(members, "challenge")
        guard let party = members["rpId"]?.stringValue else { throw .malformedOptions("rpId") }
        relyingPartyID = party
        descriptors = try Self.descriptors(members["allowCredentials"])
        (userHandle, userName, algorithm) = ([], "", .es256)
    }

    private static func bytes(_ members: AuthJSONObject, _ name: String) throws(SoftAuthenticatorProblem) -> [UInt8] {
        guard let bytes = members[name]?.stringValue.flatMap({ Base64URL.decode($0) }) else {
            throw .malformedOptions(name)
        }
        return bytes
    }

    private static func descriptors(_ member: AuthJSON?) throws(SoftAuthenticatorProblem) -> [[UInt8]] {
        var ids: [[UInt8]] = []
        for descriptor in member?.arrayValue ?? [] { ids.append(try bytes(descriptor.objectValue ?? [:], "id")) }
        return ids
    }
}
