/// Contains names and lengths of members, never their values.
package enum KeyProblem: Error, Equatable, Sendable {
    case unreadable
    case missingMember(String)
    /// The wrong type, length or encoding, or inconsistent with the others.
    case malformedMember(String)
    /// An unknown `kty`, `crv` or `alg`.
    case unsupported(member: String)
    case algorithmDoesNotFit
    /// `use` is not `sig` (RFC 7517 §4.2).
    case notForSignatures
    /// Duplicates, or operations other than signing (RFC 7517 §4.3).
    case contradictoryOperations
    /// RFC 7518 §3.2.
    case secretTooShort(bytes: Int)
    /// Below 2048 (RFC 7518 §3.3).
    case modulusTooShort(bits: Int)
    case partsDisagree
    case cannotSign
    /// A key in a set has no `kid`.
    case missingID
    case duplicateID(String)
    /// Only an HS256 key may verify tokens without `kid`.
    case unfitForTokensWithoutID
}
