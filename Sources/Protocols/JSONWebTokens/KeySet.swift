package import GatehouseWire

package struct VerifiedToken: Equatable, Sendable {
    package let claims: TokenClaims
    package let algorithm: SigningAlgorithm
    package let keyID: String?
}

/// A token names its key by `kid`, and the key determines the algorithm (RFC 8725 §3.1). Tokens without `kid` are
/// refused except HS256 ones if the set has a key for them, and those of a published document with a single key (OpenID
/// Connect Core 1.0 §10.1).
package struct KeySet: Sendable {
    /// Keys with an id, in the given order.
    package let keys: [JSONWebKey]
    private let positions: [ExternalName: Int]
    private let keyForTokensWithoutID: JSONWebKey?
    /// In another party's document.
    let isOnlyKey: Bool

    /// - Parameter keyForTokensWithoutID: An HS256 key. If it has an id, it also verifies tokens with that `kid`.
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

    init(onlyKey key: JSONWebKey) {
        keys = key.id == nil ? [] : [key]
        positions = key.id.map { [ExternalName(trusted: $0): 0] } ?? [:]
        keyForTokensWithoutID = key
        isOnlyKey = true
    }

    var isEmpty: Bool { keys.isEmpty && keyForTokensWithoutID == nil }

    package var algorithms: [SigningAlgorithm] {
        let keys = keys + [keyForTokensWithoutID].compactMap(\.self)
        return SigningAlgorithm.allCases.filter { algorithm in keys.contains { $0.verifying(algorithm) != nil } }
    }

    package subscript(id: String) -> JSONWebKey? { ExternalName(id).flatMap { self[$0] } }

    private subscript(id: ExternalName) -> JSONWebKey? { positions[id].map { keys[$0] } }

    /// Verifies form, header and signature, then the claims' types, `exp` and `nbf`. The caller checks issuer and
    /// audience with ``TokenClaims/check(issuer:audience:)``.
    ///
    /// - Parameters:
    ///   - token: At most 65,536 bytes.
    ///   - acceptsKeys: Accepts an HS256 token without `exp` and `sub`, like self-hosted Supabase's `anon` and
    ///     `service_role` keys. It is valid as long as the secret.
    /// - Throws: ``TokenRejection/unknownKey(_:)`` if newer keys may verify the token, ``TokenRejection/expired(_:)``
    ///   at `exp` plus `leeway`, otherwise another ``TokenRejection``.
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

    /// Verifies form, header and signature only, for other parties' tokens. The caller must check `exp` too.
    ///
    /// - Throws: ``TokenRejection``; ``TokenRejection/unknownKey(_:)`` if newer keys may verify the token.
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
            // A token without `kid` does not say whose key signed it.
            throw header.keyID == nil && isOnlyKey ? .unknownKey(nil) : .badSignature
        }
        return (try CompactToken.bytes(token.payload, .payload), key, header)
    }

    private func key(for header: TokenHeader) throws(TokenRejection) -> JSONWebKey {
        guard let id = header.keyID else {
            guard let key = keyForTokensWithoutID?.verifying(header.algorithm) else { throw .unknownKey(nil) }
            return key
        }
        guard let key = self[id] else { throw .unknownKey(PresentedKeyID(id.text)) }
        guard let key = key.verifying(header.algorithm) else { throw .algorithmMismatch }
        return key
    }
}

extension KeySet: Equatable {
    /// Ignores the order.
    package static func == (left: KeySet, right: KeySet) -> Bool {
        left.thumbprints == right.thumbprints
            && left.keyForTokensWithoutID?.thumbprint == right.keyForTokensWithoutID?.thumbprint
    }

    private var thumbprints: [ExternalName: String] { positions.mapValues { keys[$0].thumbprint } }
}
