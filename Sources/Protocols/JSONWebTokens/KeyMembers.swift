import GatehouseWire

/// RFC 7517 §4. Unknown members are ignored; null is treated as absent.
struct KeyMembers {
    private let members: AuthJSONObject

    init(_ jwk: AuthJSON) throws(KeyProblem) {
        guard let members = jwk.objectValue else { throw .unreadable }
        self.members = members.filter { !$0.value.isNull }
    }

    func has(_ name: String) -> Bool { members[name] != nil }

    func text(_ name: String) throws(KeyProblem) -> String? {
        guard let member = members[name] else { return nil }
        guard let text = member.stringValue, !text.isEmpty else { throw .malformedMember(name) }
        return text
    }

    func requiredText(_ name: String) throws(KeyProblem) -> String {
        guard let text = try text(name) else { throw .missingMember(name) }
        return text
    }

    func bytes(_ name: String, count: Int? = nil) throws(KeyProblem) -> [UInt8] {
        guard let bytes = Base64URL.decode(try requiredText(name)), bytes.count == count ?? bytes.count else {
            throw .malformedMember(name)
        }
        return bytes
    }

    /// A Base64urlUInt (RFC 7518 §2), without the leading zeros that some publishers include.
    func number(_ name: String) throws(KeyProblem) -> [UInt8] {
        let number = Array(try bytes(name).drop { $0 == 0 })
        guard !number.isEmpty else { throw .malformedMember(name) }
        return number
    }

    /// Without `alg`: RS256 for an RSA key, and the only one for others.
    func algorithm() throws(KeyProblem) -> SigningAlgorithm {
        let type = try requiredText("kty")
        guard SigningAlgorithm.allCases.contains(where: { $0.keyType == type }) else {
            throw .unsupported(member: "kty")
        }
        let curve = type == "EC" || type == "OKP" ? try requiredText("crv") : nil
        let fitting = SigningAlgorithm.allCases.filter { $0.keyType == type && $0.curve == curve }
        guard let usual = fitting.first else { throw .unsupported(member: "crv") }
        guard let name = try text("alg") else { return usual }
        guard let algorithm = SigningAlgorithm(text: name) else { throw .unsupported(member: "alg") }
        guard fitting.contains(algorithm) else { throw .algorithmDoesNotFit }
        return algorithm
    }

    func maySign(hasPrivatePart: Bool) throws(KeyProblem) -> Bool {
        if let use = try text("use"), use != "sig" { throw .notForSignatures }
        guard let member = members["key_ops"] else { return hasPrivatePart }
        guard let elements = member.arrayValue else { throw .malformedMember("key_ops") }
        let operations = elements.compactMap(\.stringValue)
        guard operations.count == elements.count else { throw .malformedMember("key_ops") }
        guard
            [["sign"], ["verify"], ["sign", "verify"], ["verify", "sign"]].contains(where: {
                $0.elementsEqual(operations, by: ==)
            }),
            hasPrivatePart || !operations.contains("sign")
        else { throw .contradictoryOperations }
        return operations.contains("sign")
    }
}
