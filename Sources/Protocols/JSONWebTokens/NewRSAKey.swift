import CryptoExtras
import GatehouseWire

extension JSONWebKey {
    /// 2,048 bits, from the system's random generator. Takes up to a second.
    ///
    /// - Parameter id: nil uses the ``thumbprint``.
    package static func newRS256(id: String? = nil) throws -> JSONWebKey {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        var members = try RSANumbers(pkcs1: Array(key.derRepresentation)).jwk
        members["alg"] = "RS256"
        if let id { members["kid"] = .string(id) }
        return try JSONWebKey(.object(members)).identified()
    }
}

/// From the crypto library's only export format: a DER sequence of integers (RFC 8017 §A.1.2).
private struct RSANumbers {
    private static let names = ["n", "e", "d", "p", "q", "dp", "dq", "qi"]
    let jwk: AuthJSONObject

    init(pkcs1 der: [UInt8]) throws(KeyProblem) {
        var rest = der[...]
        var content = try Self.element(0x30, &rest)
        // Version 0: two primes.
        guard rest.isEmpty, try Self.element(0x02, &content) == [0] else { throw .unreadable }
        var members: AuthJSONObject = ["kty": "RSA"]
        for name in Self.names {
            let number = try Self.element(0x02, &content).drop { $0 == 0 }
            members[name] = .string(Base64URL.text(Array(number)))
        }
        guard content.isEmpty else { throw .unreadable }
        jwk = members
    }

    private static func element(_ tag: UInt8, _ rest: inout ArraySlice<UInt8>) throws(KeyProblem) -> ArraySlice<UInt8> {
        guard rest.popFirst() == tag, var length = rest.popFirst().map(Int.init) else { throw .unreadable }
        if length >= 0x80 {
            let size = length - 0x80
            guard (1...2).contains(size), rest.count >= size else { throw .unreadable }
            length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(size)
        }
        guard rest.count >= length else { throw .unreadable }
        defer { rest = rest.dropFirst(length) }
        return rest.prefix(length)
    }
}
