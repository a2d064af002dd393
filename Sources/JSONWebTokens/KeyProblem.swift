/// Why a key, or a set of keys, cannot be used. Names members and lengths, never what they hold.
package enum KeyProblem: Error, Equatable, Sendable {
    /// Not a JSON object, longer than allowed, or a document without a key that serves.
    case unreadable
    case missingMember(String)
    /// A member of the wrong type, not base64url, of the wrong length, or no number that fits the others.
    case malformedMember(String)
    /// A `kty`, `crv` or `alg` that we do not know.
    case unsupported(member: String)
    /// `alg` belongs to keys of another kind.
    case algorithmDoesNotFit
    /// `use` is not `sig` (RFC 7517 §4.2).
    case notForSignatures
    /// `key_ops` asks for what the key cannot do, repeats itself, or is not about signatures (RFC 7517 §4.3).
    case contradictoryOperations
    /// An HMAC secret below 32 bytes (RFC 7518 §3.2).
    case secretTooShort(bytes: Int)
    /// An RSA modulus below 2048 bits (RFC 7518 §3.3).
    case modulusTooShort(bits: Int)
    /// The private part belongs to another public part.
    case partsDisagree
    /// The key may verify only.
    case cannotSign
    /// A key in a set needs a `kid`, or no token can name it.
    case missingID
    /// Two keys of a set have this `kid`.
    case duplicateID(String)
    /// Only an HS256 key may stand in for tokens that name no key.
    case unfitForTokensWithoutID
}
