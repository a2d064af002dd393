import Crypto
package import GatehouseWire

/// Verifies, and possibly signs, with one algorithm (RFC 7517, RFC 7518 §6, RFC 8037 §2). Does not print its private
/// part.
package struct JSONWebKey: Sendable {
    /// The `kid`.
    package let id: String?
    package let algorithm: SigningAlgorithm
    /// false for a standby key, which has a private part too.
    package let maySign: Bool
    let parts: KeyParts

    let namesAlgorithm: Bool

    private init(
        id: String?, algorithm: SigningAlgorithm, maySign: Bool, parts: KeyParts, namesAlgorithm: Bool = true
    ) {
        (self.id, self.algorithm, self.maySign, self.parts) = (id, algorithm, maySign, parts)
        self.namesAlgorithm = namesAlgorithm
    }

    /// Without `alg`, an RSA key signs with RS256, and another party's verifies every RSA algorithm; see
    /// ``verifying(_:)``.
    package init(_ jwk: AuthJSON) throws(KeyProblem) {
        let members = try KeyMembers(jwk)
        algorithm = try members.algorithm()
        namesAlgorithm = members.has("alg")
        id = try members.text("kid")
        parts = try KeyParts(members, algorithm)
        maySign = try members.maySign(hasPrivatePart: parts.signing != nil)
    }

    /// Parses ``privateJWK``.
    package init(text: Secret) throws(KeyProblem) {
        let jwk: AuthJSON
        do { jwk = try JSONReader.read(text.reveal()) } catch { throw .unreadable }
        try self.init(jwk)
    }

    /// Uses the secret's UTF-8 bytes, like Supabase Auth's `JWT_SECRET`.
    ///
    /// - Throws: ``KeyProblem/secretTooShort(bytes:)`` below 32 bytes.
    package init(hs256 secret: Secret, id: String? = nil) throws(KeyProblem) {
        let parts = try KeyParts(secret: Array(secret.reveal().utf8))
        self.init(id: id, algorithm: .hs256, maySign: true, parts: parts)
    }

    /// - Parameters:
    ///   - rawPrivateKey: The 32 big-endian bytes of the number d.
    ///   - id: The `kid`; nil uses the ``thumbprint``.
    /// - Throws: ``KeyProblem/malformedMember(_:)`` for another length, zero, or a number beyond the group's order.
    package init(es256 rawPrivateKey: [UInt8], id: String? = nil) throws(KeyProblem) {
        let key: P256.Signing.PrivateKey
        do { key = try P256.Signing.PrivateKey(rawRepresentation: rawPrivateKey) } catch { throw .malformedMember("d") }
        self = Self(id: id, algorithm: .es256, maySign: true, parts: KeyParts(p256: key)).identified()
    }

    /// Generates a key with the system's random generator.
    ///
    /// - Parameter id: The `kid`; nil uses the ``thumbprint``, which never begins with "-" here: commands take it as an
    ///   argument.
    package static func newES256(id: String? = nil) -> JSONWebKey {
        while true {
            let parts = KeyParts(p256: P256.Signing.PrivateKey())
            let key = JSONWebKey(id: id, algorithm: .es256, maySign: true, parts: parts).identified()
            if id != nil || key.id?.utf8.first != UInt8(ascii: "-") { return key }
        }
    }

    /// Adds the ``thumbprint`` as a missing `kid`. Not to a symmetric key: a digest of the secret must not be published
    /// (RFC 7638 §7).
    package func identified() -> JSONWebKey {
        guard id == nil, !algorithm.isSymmetric else { return self }
        return JSONWebKey(
            id: thumbprint, algorithm: algorithm, maySign: maySign, parts: parts, namesAlgorithm: namesAlgorithm)
    }

    /// nil for a symmetric key.
    package var publicHalf: JSONWebKey? {
        guard !algorithm.isSymmetric else { return nil }
        var half = parts
        half.forgetPrivatePart()
        return JSONWebKey(
            id: id, algorithm: algorithm, maySign: false, parts: half, namesAlgorithm: namesAlgorithm)
    }

    /// nil unless the key verifies with this algorithm. A public RSA key without `alg` verifies every RSA algorithm,
    /// because its publisher names none (RFC 7517 §4.4). Every other key has exactly one (RFC 8725 §3.1).
    func verifying(_ algorithm: SigningAlgorithm) -> JSONWebKey? {
        if algorithm == self.algorithm { return self }
        guard !namesAlgorithm, parts.signing == nil, let parts = parts.verifying(algorithm) else { return nil }
        return JSONWebKey(id: id, algorithm: algorithm, maySign: false, parts: parts)
    }

    /// For tokens, use ``KeySet`` instead.
    ///
    /// - Parameter signature: In JWS format; for ECDSA r and s concatenated, not DER (RFC 7518 §3.4).
    package func isValid(_ signature: [UInt8], for input: ArraySlice<UInt8>) -> Bool {
        parts.verifying.isValid(signature, for: input)
    }

    /// RFC 7638 §3, RFC 8037 §2.
    package var thumbprint: String {
        var members: AuthJSONObject = ["kty": .string(algorithm.keyType)]
        for (name, value) in parts.publicMembers { members["\(name)"] = .string(value) }
        if algorithm.isSymmetric {
            for (name, value) in parts.privateMembers { members["\(name)"] = .string(value.reveal()) }
        }
        return Base64URL.text(Array(SHA256.hash(data: Array(AuthJSON.object(members).text.utf8))))
    }
}

extension JSONWebKey: Unprinted {
    package var description: String { "<\(algorithm.rawValue) key \(id ?? "without id")>" }
}
