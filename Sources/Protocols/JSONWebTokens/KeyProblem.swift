/// Why a key or a key set is unusable. Contains names and lengths of members, never their values.
package enum KeyProblem: Error, Equatable, Sendable {
    /// Not a JSON object, too long, or a document without a usable key.
    case unreadable
    case missingMember(String)
    /// A member with the wrong type or length, not in Base64URL, or inconsistent with the others.
    case malformedMember(String)
    /// An unknown `kty`, `crv` or `alg`.
    case unsupported(member: String)
    /// `alg` does not match the type of the key.
    case algorithmDoesNotFit
    /// `use` is not `sig` (RFC 7517 §4.2).
    case notForSignatures
    /// `key_ops` contains duplicates, operations that the key does not support, or ones other than signing (RFC 7517
    /// §4.3).
    case contradictoryOperations
    /// An HMAC secret below 32 bytes (RFC 7518 §3.2).
    case secretTooShort(bytes: Int)
    /// An RSA modulus below 2048 bits (RFC 7518 §3.3).
    case modulusTooShort(bits: Int)
    /// The private part does not match the public part.
    case partsDisagree
    /// The key can only verify.
    case cannotSign
    /// A key in a set has no `kid`, so tokens could not refer to it.
    case missingID
    /// Two keys in a set have this `kid`.
    case duplicateID(String)
    /// Only an HS256 key may verify tokens without `kid`.
    case unfitForTokensWithoutID
}
