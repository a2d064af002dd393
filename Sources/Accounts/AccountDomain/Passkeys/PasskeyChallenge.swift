package import GatehouseWire

/// A passkey challenge that the server recognizes without storing it, so that anonymous callers cannot fill a table.
///
/// The id is a version 8 UUID (RFC 9562 §5.8): expiry time, random bits, and a proof of origin and purpose. The
/// challenge is a MAC of the id, so only its receiver knows it.
package struct PasskeyChallenge: Sendable {
    package enum Purpose: Sendable {
        case authentication
        case registration(UserID)
        /// Created without a gesture (`mediation: "conditional"`).
        case conditionalRegistration(UserID)
        /// The authenticator shows the name.
        case signUp(name: String)
    }

    package let id: PasskeyChallengeID
    /// 32 bytes.
    package let bytes: [UInt8]
    package let expiresAt: Instant
    /// For ``Purpose/signUp(name:)``: the new account's id.
    package let newUser: UserID

    private static let proofStart = 12

    /// - Parameter random: 6 bytes.
    package init(
        for purpose: Purpose, lifetime: Duration, _ secrets: ServerSecrets, random: [UInt8], at now: Instant
    ) {
        let milliseconds = UInt64(max(0, (now + lifetime).microseconds)) / 1_000
        var id = (0..<6).map { UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * UInt64($0))) } + random.prefix(6)
        id[6] = id[6] & 0x0F | 0x80
        id[8] = id[8] & 0x3F | 0x80
        let proof = secrets.challengeProofs(Self.proofContext(purpose, id))[0]
        self.init(id: id + proof.prefix(16 - Self.proofStart), purpose, secrets, secret: 0)
    }

    /// Recognizes a challenge from a node with these secrets. It may have expired or been used.
    package init?(_ id: PasskeyChallengeID, for purpose: Purpose, _ secrets: ServerSecrets) {
        let bytes = id.bytes
        let context = Self.proofContext(purpose, Array(bytes.prefix(Self.proofStart)))
        let secret = secrets.challengeProofs(context).firstIndex { proof in
            zip(proof, bytes.dropFirst(Self.proofStart)).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
        }
        guard let secret else { return nil }
        self.init(id: bytes, purpose, secrets, secret: secret)
    }

    private init(id: [UInt8], _ purpose: Purpose, _ secrets: ServerSecrets, secret: Int) {
        self.id = PasskeyChallengeID(bytes: id)
        bytes = secrets.challengeProofs(Self.context("challenge", purpose, id))[secret]
        let milliseconds = id.prefix(6).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        expiresAt = Instant(microseconds: milliseconds * 1_000)
        newUser = UserID(random: secrets.challengeProofs(Self.context("user", purpose, id))[secret])
    }

    private static func proofContext(_ purpose: Purpose, _ id: [UInt8]) -> [UInt8] { context("proof", purpose, id) }

    private static func context(_ use: String, _ purpose: Purpose, _ id: [UInt8]) -> [UInt8] {
        Array(use.utf8) + [0] + id + purpose.context
    }
}

package typealias PasskeyChallengeID = Identifier<PasskeyChallenge>

extension PasskeyChallenge.Purpose {
    fileprivate var context: [UInt8] {
        switch self {
        case .authentication: [1]
        case .registration(let user): [2] + user.bytes
        case .signUp(let name): [3] + Array(name.utf8)
        case .conditionalRegistration(let user): [4] + user.bytes
        }
    }
}
