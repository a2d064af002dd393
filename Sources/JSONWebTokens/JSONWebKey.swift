import Crypto
package import GatehouseWire

/// A key that verifies, and perhaps signs, with one algorithm (RFC 7517, RFC 7518 §6, RFC 8037 §2).
///
/// Neither printing nor dumping one shows its private part.
package struct JSONWebKey: Sendable {
    /// The `kid`.
    package let id: String?
    package let algorithm: SigningAlgorithm
    /// Whether the private part is here and meant to sign; a standby key has one and does not.
    package let maySign: Bool
    let parts: KeyParts

    private init(id: String?, algorithm: SigningAlgorithm, maySign: Bool, parts: KeyParts) {
        (self.id, self.algorithm, self.maySign, self.parts) = (id, algorithm, maySign, parts)
    }

    /// Reads a private or public JWK. Without `alg` the algorithm is the usual one of the key's type: RS256 for
    /// RSA; the other types have only one.
    package init(_ jwk: AnyJSON) throws(KeyProblem) {
        let members = try KeyMembers(jwk)
        algorithm = try members.algorithm()
        id = try members.text("kid")
        parts = try KeyParts(members, algorithm)
        maySign = try members.maySign(hasPrivatePart: parts.signing != nil)
    }

    /// Reads a JWK from text such as ``privateJWK``.
    package init(text: Secret) throws(KeyProblem) {
        let jwk: AnyJSON
        do { jwk = try JSONReader.read(text.reveal()) } catch { throw .unreadable }
        try self.init(jwk)
    }

    /// An HMAC key whose bytes are the secret's UTF-8, as the Auth API's `JWT_SECRET` is used.
    ///
    /// - Throws: ``KeyProblem/secretTooShort(bytes:)`` below 32 bytes.
    package init(hs256 secret: Secret, id: String? = nil) throws(KeyProblem) {
        let parts = try KeyParts(secret: Array(secret.reveal().utf8))
        self.init(id: id, algorithm: .hs256, maySign: true, parts: parts)
    }

    /// - Parameters:
    ///   - rawPrivateKey: The 32 bytes of the number d, most significant first: randomness as an input.
    ///   - id: The `kid`; the key's ``thumbprint`` when nil.
    /// - Throws: ``KeyProblem/malformedMember(_:)`` for another length, zero, or a number beyond the group's order.
    package init(es256 rawPrivateKey: [UInt8], id: String? = nil) throws(KeyProblem) {
        let key: P256.Signing.PrivateKey
        do { key = try P256.Signing.PrivateKey(rawRepresentation: rawPrivateKey) } catch { throw .malformedMember("d") }
        self = Self(id: id, algorithm: .es256, maySign: true, parts: KeyParts(p256: key)).identified()
    }

    /// A new ES256 key from the system's random generator.
    ///
    /// - Parameter id: The `kid`; the key's ``thumbprint`` when nil.
    package static func newES256(id: String? = nil) -> JSONWebKey {
        let parts = KeyParts(p256: P256.Signing.PrivateKey())
        return JSONWebKey(id: id, algorithm: .es256, maySign: true, parts: parts).identified()
    }

    /// The same key with its ``thumbprint`` as `kid` where it had none. A symmetric key stays without one: the
    /// digest of a secret is not for publishing (RFC 7638 §7).
    package func identified() -> JSONWebKey {
        guard id == nil, !algorithm.isSymmetric else { return self }
        return JSONWebKey(id: thumbprint, algorithm: algorithm, maySign: maySign, parts: parts)
    }

    /// The key without its private part; nil for a symmetric key, which has no public one.
    package var publicHalf: JSONWebKey? {
        guard !algorithm.isSymmetric else { return nil }
        var half = parts
        half.forgetPrivatePart()
        return JSONWebKey(id: id, algorithm: algorithm, maySign: false, parts: half)
    }

    /// Whether the key made this signature, whatever was signed. Tokens go through ``KeySet`` instead.
    ///
    /// - Parameter signature: As JWS has it: for ECDSA r and s side by side, never DER (RFC 7518 §3.4).
    package func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>) -> Bool {
        parts.verifying.isValid(signature, for: input)
    }

    /// SHA-256 over the members that make the key, base64url (RFC 7638 §3, RFC 8037 §2).
    package var thumbprint: String {
        var members: JSONObject = ["kty": .string(algorithm.keyType)]
        for (name, value) in parts.publicMembers { members["\(name)"] = .string(value) }
        if algorithm.isSymmetric {
            for (name, value) in parts.privateMembers { members["\(name)"] = .string(value.reveal()) }
        }
        return Base64URL.text(Array(SHA256.hash(data: Array(AnyJSON.object(members).text.utf8))))
    }
}

extension JSONWebKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "<\(algorithm.rawValue) key \(id ?? "without id")>" }
    package var customMirror: Mirror {
        Mirror(self, children: ["id": id as Any, "algorithm": algorithm, "maySign": maySign])
    }
}
