import Crypto
import CryptoExtras
import GatehouseWire

struct KeyParts: Sendable {
    let verifying: VerifyingKey
    private(set) var signing: SigningKey?
    /// In the order of writing.
    private(set) var publicMembers: [(name: StaticString, value: String)] = []
    private(set) var privateMembers: [(name: StaticString, value: Secret)] = []

    init(_ members: KeyMembers, _ algorithm: SigningAlgorithm) throws(KeyProblem) {
        switch algorithm {
        case .hs256: self = try Self(secret: members.bytes("k"))
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: self = try Self(rsa: members, algorithm)
        case .es256: self = try Self(p256: members)
        case .es384: self = try Self(p384: members)
        case .es512: self = try Self(p521: members)
        case .edDSA: self = try Self(ed25519: members)
        }
    }

    /// - Throws: ``KeyProblem/secretTooShort(bytes:)`` below 32 bytes (RFC 7518 §3.2).
    init(secret: [UInt8]) throws(KeyProblem) {
        guard secret.count >= 32 else { throw .secretTooShort(bytes: secret.count) }
        let key = SymmetricKey(data: secret)
        (verifying, signing) = (.hs256(key), .hs256(key))
        privateMembers = [("k", Secret(Base64URL.text(secret)))]
    }

    init(p256 key: P256.Signing.PrivateKey) {
        (verifying, signing) = (.es256(key.publicKey), .es256(key))
        let point = Array(key.publicKey.rawRepresentation)
        publicMembers = Self.point("P-256", x: Array(point.prefix(32)), y: Array(point.suffix(32)))
        privateMembers = [("d", Secret(Base64URL.text(Array(key.rawRepresentation))))]
    }

    private init(p256 members: KeyMembers) throws(KeyProblem) {
        let (x, y) = (try members.bytes("x", count: 32), try members.bytes("y", count: 32))
        let publicKey = try Self.accepted("x") { try P256.Signing.PublicKey(rawRepresentation: x + y) }
        guard members.has("d") else {
            (verifying, signing) = (.es256(publicKey), nil)
            publicMembers = Self.point("P-256", x: x, y: y)
            return
        }
        let secret = try members.bytes("d", count: 32)
        let key = try Self.accepted("d") { try P256.Signing.PrivateKey(rawRepresentation: secret) }
        guard Array(key.publicKey.rawRepresentation) == x + y else { throw .partsDisagree }
        self = Self(p256: key)
    }

    private init(p384 members: KeyMembers) throws(KeyProblem) {
        let (x, y) = (try members.bytes("x", count: 48), try members.bytes("y", count: 48))
        let publicKey = try Self.accepted("x") { try P384.Signing.PublicKey(rawRepresentation: x + y) }
        publicMembers = Self.point("P-384", x: x, y: y)
        verifying = .es384(publicKey)
        guard members.has("d") else {
            signing = nil
            return
        }
        let secret = try members.bytes("d", count: 48)
        let key = try Self.accepted("d") { try P384.Signing.PrivateKey(rawRepresentation: secret) }
        guard Array(key.publicKey.rawRepresentation) == x + y else { throw .partsDisagree }
        signing = .es384(key)
        privateMembers = [("d", Secret(Base64URL.text(secret)))]
    }

    private init(p521 members: KeyMembers) throws(KeyProblem) {
        let (x, y) = (try members.bytes("x", count: 66), try members.bytes("y", count: 66))
        let publicKey = try Self.accepted("x") { try P521.Signing.PublicKey(rawRepresentation: x + y) }
        publicMembers = Self.point("P-521", x: x, y: y)
        verifying = .es512(publicKey)
        guard members.has("d") else {
            signing = nil
            return
        }
        let secret = try members.bytes("d", count: 66)
        let key = try Self.accepted("d") { try P521.Signing.PrivateKey(rawRepresentation: secret) }
        guard Array(key.publicKey.rawRepresentation) == x + y else { throw .partsDisagree }
        signing = .es512(key)
        privateMembers = [("d", Secret(Base64URL.text(secret)))]
    }

    private init(ed25519 members: KeyMembers) throws(KeyProblem) {
        let x = try members.bytes("x", count: 32)
        let publicKey = try Self.accepted("x") { try Curve25519.Signing.PublicKey(rawRepresentation: x) }
        publicMembers = [("crv", "Ed25519"), ("x", Base64URL.text(x))]
        verifying = .edDSA(publicKey)
        guard members.has("d") else {
            signing = nil
            return
        }
        let secret = try members.bytes("d", count: 32)
        let key = try Self.accepted("d") { try Curve25519.Signing.PrivateKey(rawRepresentation: secret) }
        guard Array(key.publicKey.rawRepresentation) == x else { throw .partsDisagree }
        signing = .edDSA(key)
        privateMembers = [("d", Secret(Base64URL.text(secret)))]
    }

    /// Requires both primes and the derived values (RFC 7518 §6.3.2). Refuses more than two primes.
    private init(rsa members: KeyMembers, _ algorithm: SigningAlgorithm) throws(KeyProblem) {
        let (n, e) = (try members.number("n"), try members.number("e"))
        let bits = n.count * 8 - n[0].leadingZeroBitCount
        guard bits >= 2_048 else { throw .modulusTooShort(bits: bits) }
        let publicKey = try Self.accepted("n") { try _RSA.Signing.PublicKey(n: n, e: e) }
        publicMembers = [("n", Base64URL.text(n)), ("e", Base64URL.text(e))]
        verifying = .rsa(publicKey, algorithm)
        guard members.has("d") else {
            signing = nil
            return
        }
        guard !members.has("oth") else { throw .unsupported(member: "oth") }
        let (d, p, q) = (try members.number("d"), try members.number("p"), try members.number("q"))
        guard p.count + q.count >= n.count, p.count < n.count, q.count < n.count else { throw .partsDisagree }
        let key: _RSA.Signing.PrivateKey
        do { key = try _RSA.Signing.PrivateKey(n: n, e: e, d: d, p: p, q: q) } catch { throw .partsDisagree }
        signing = .rsa(key, algorithm)
        for (name, value) in [("d", d), ("p", p), ("q", q)] as [(StaticString, [UInt8])] {
            privateMembers.append((name, Secret(Base64URL.text(value))))
        }
        for name in ["dp", "dq", "qi"] as [StaticString] {
            privateMembers.append((name, Secret(Base64URL.text(try members.number("\(name)")))))
        }
    }

    mutating func forgetPrivatePart() { (signing, privateMembers) = (nil, []) }

    /// nil unless it is an RSA key.
    func verifying(_ algorithm: SigningAlgorithm) -> KeyParts? {
        guard case .rsa(let key, _) = verifying, algorithm.keyType == "RSA" else { return nil }
        return KeyParts(verifying: .rsa(key, algorithm), publicMembers: publicMembers)
    }

    private init(verifying: VerifyingKey, publicMembers: [(name: StaticString, value: String)]) {
        (self.verifying, self.publicMembers) = (verifying, publicMembers)
    }

    private static func point(_ curve: String, x: [UInt8], y: [UInt8]) -> [(name: StaticString, value: String)] {
        [("crv", curve), ("x", Base64URL.text(x)), ("y", Base64URL.text(y))]
    }

    // Drops the crypto library's error, which might contain parts of the key.
    private static func accepted<Key>(_ member: String, _ make: () throws -> Key) throws(KeyProblem) -> Key {
        do { return try make() } catch { throw .malformedMember(member) }
    }
}
