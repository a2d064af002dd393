package import GatehouseWire

/// A token whose signature and times were right.
package struct VerifiedToken: Equatable, Sendable {
    package let claims: TokenClaims
    package let algorithm: SigningAlgorithm
    /// The key that verified it.
    package let keyID: String?
}

/// The keys that verify tokens.
///
/// A token names its key by `kid`, and the key decides the algorithm: an unknown name is refused, and so is a
/// header that claims another algorithm (RFC 8725 §3.1). There is no default key. Tokens that name none are
/// refused too, but for HS256 where the set was given a key for them, and where another party publishes one key and
/// no other (OpenID Connect Core 1.0 §10.1).
package struct KeySet: Sendable {
    /// Those with a name, in the order given.
    package let keys: [JSONWebKey]
    private let positions: [ExternalName: Int]
    private let keyForTokensWithoutID: JSONWebKey?
    /// Whether it is all that another party publishes.
    let isOnlyKey: Bool

    /// - Parameter keyForTokensWithoutID: An HS256 key; when it has an id, it serves under that as well.
    /// - Throws: ``KeyProblem/missingID``, ``KeyProblem/duplicateID(_:)``, ``KeyProblem/unfitForTokensWithoutID``.
    package init(_ keys: [JSONWebKey], keyForTokensWithoutID: JSONWebKey? = nil) throws(KeyProblem) {
        var (named, positions): ([JSONWebKey], [ExternalName: Int]) = ([], [:])
        for key in keys {
            guard let id = key.id else { throw .missingID }
            guard positions.updateValue(named.count, forKey: ExternalName(trusted: id)) == nil else {
                throw .duplicateID(id)
            }
            named.append(key)
        }
        if let key = keyForTokensWithoutID {
            guard key.algorithm == .hs256 else { throw .unfitForTokensWithoutID }
            if let id = key.id {
                if let position = positions[ExternalName(trusted: id)] {
                    guard named[position].thumbprint == key.thumbprint else { throw .duplicateID(id) }
                } else {
                    positions[ExternalName(trusted: id)] = named.count
                    named.append(key)
                }
            }
        }
        (self.keys, self.positions, self.keyForTokensWithoutID) = (named, positions, keyForTokensWithoutID)
        isOnlyKey = false
    }

    /// The keys of another party's document that has one alone.
    init(onlyKey key: JSONWebKey) {
        keys = key.id == nil ? [] : [key]
        positions = key.id.map { [ExternalName(trusted: $0): 0] } ?? [:]
        keyForTokensWithoutID = key
        isOnlyKey = true
    }

    var isEmpty: Bool { keys.isEmpty && keyForTokensWithoutID == nil }

    package subscript(id: String) -> JSONWebKey? { ExternalName(id).flatMap { self[$0] } }

    private subscript(id: ExternalName) -> JSONWebKey? { positions[id].map { keys[$0] } }

    /// Checks form, header and signature, and only then reads the claims and checks `exp` and `nbf`. Issuer and
    /// audience are the caller's (``TokenClaims/check(issuer:audience:)``).
    ///
    /// - Parameters:
    ///   - leeway: How far the clocks may be apart.
    ///   - acceptsKeys: Whether a token without `exp` is good when it has no `sub` and a shared secret (HS256) signed it.
    ///     Self-hosted Supabase uses such tokens as keys, `anon` and `service_role`. A key ends with the secret.
    package func verify(
        _ token: String, at now: Instant, leeway: Duration = .zero, acceptsKeys: Bool = false
    ) throws(TokenRejection) -> VerifiedToken {
        let signed = try signed(token)
        let claims = try TokenClaims(payload: signed.payload)
        if claims.expiresAt == nil {
            let isKey = claims.subject?.isEmpty ?? true && signed.key.algorithm == .hs256
            guard acceptsKeys && isKey else { throw .missingClaim("exp") }
        }
        try claims.check(at: now, leeway: leeway)
        return VerifiedToken(claims: claims, algorithm: signed.key.algorithm, keyID: signed.key.id)
    }

    /// Checks form, header and signature, and nothing of what is claimed: for tokens of others, whose claims have
    /// other types and other rules. Whoever calls this checks `exp` as well.
    package func payload(of token: String) throws(TokenRejection) -> SignedPayload {
        let signed = try signed(token)
        let members = try CompactToken.members(signed.payload, .payload)
        return SignedPayload(members: members, algorithm: signed.key.algorithm, type: signed.header.type)
    }

    private func signed(
        _ token: String
    ) throws(TokenRejection) -> (payload: [UInt8], key: JSONWebKey, header: TokenHeader) {
        let token = try CompactToken(token)
        let header = try TokenHeader(token.header)
        let key = try key(for: header)
        guard let signature = Base64URL.decode(token.signature) else { throw .malformed(.signature) }
        guard key.isValid(signature, for: token.signingInput) else {
            // Whose signature it is, a token that names no key does not say.
            throw header.keyID == nil && isOnlyKey ? .unknownKey(nil) : .badSignature
        }
        return (try CompactToken.bytes(token.payload, .payload), key, header)
    }

    private func key(for header: TokenHeader) throws(TokenRejection) -> JSONWebKey {
        guard let id = header.keyID else {
            guard let key = keyForTokensWithoutID, key.algorithm == header.algorithm else { throw .unknownKey(nil) }
            return key
        }
        guard let key = self[id] else { throw .unknownKey(PresentedKeyID(id.text)) }
        guard key.algorithm == header.algorithm else { throw .algorithmMismatch }
        return key
    }
}

extension KeySet: Equatable {
    /// By the ids and the keys that they name, in any order.
    package static func == (left: KeySet, right: KeySet) -> Bool {
        left.thumbprints == right.thumbprints
            && left.keyForTokensWithoutID?.thumbprint == right.keyForTokensWithoutID?.thumbprint
    }

    private var thumbprints: [ExternalName: String] { positions.mapValues { keys[$0].thumbprint } }
}
