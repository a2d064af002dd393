import Crypto
package import GatehouseWire
import JSONWebTokens
import Synchronization

/// Apple's .p8 key. Signs client secrets on demand, so none expires after six months ([Creating a client
/// secret](https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret)).
package struct AppleSigningKey: Sendable {
    /// Apple's maximum.
    package static let maximumLifetime: Duration = .seconds(15_777_000)
    private static let audience = "https://appleid.apple.com"

    package let teamID: String
    package let keyID: String
    private let signer: TokenSigner

    /// - Parameters:
    ///   - pem: A literal `\n` is a line break, as is common in environment variables.
    ///   - keyID: Ten capital letters and digits, like `teamID`.
    package init(pem: Secret, keyID: String, teamID: String) throws(ProviderSettingsProblems) {
        var problems: [ProviderSettingsProblem] = []
        if !Self.isID(teamID) { problems.append(.teamID(teamID)) }
        if !Self.isID(keyID) { problems.append(.keyID(keyID)) }
        let signer: TokenSigner?
        do {
            let key = try P256.Signing.PrivateKey(pemRepresentation: pem.reveal().replacing(#"\n"#, with: "\n"))
            signer = try TokenSigner(JSONWebKey(es256: Array(key.rawRepresentation), id: keyID))
        } catch {
            // Drops the crypto library's error, which might contain parts of the key.
            signer = nil
            problems.append(.privateKey)
        }
        guard let signer, problems.isEmpty else { throw ProviderSettingsProblems(problems) }
        (self.teamID, self.keyID, self.signer) = (teamID, keyID, signer)
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == 10
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    }

    /// - Parameters:
    ///   - client: The Services ID or bundle id that the code or token was issued to.
    ///   - lifetime: Capped at ``maximumLifetime``.
    package func clientSecret(
        for client: String, at now: Instant, lifetime: Duration = .seconds(3_600)
    ) throws -> Secret {
        let claims: AuthJSON = [
            "iss": .string(teamID), "sub": .string(client), "aud": .string(Self.audience),
            "iat": .integer(now.seconds), "exp": .integer((now + min(lifetime, Self.maximumLifetime)).seconds),
        ]
        return Secret(try signer.sign(payload: Array(claims.text.utf8)))
    }
}

/// One per client id, each used for half of its lifetime.
final class AppleClientSecrets: Sendable {
    private static let lifetime: Duration = .seconds(3_600)

    private let key: AppleSigningKey
    private let made = Mutex<[ExternalName: (secret: Secret, at: Instant)]>([:])

    init(_ key: AppleSigningKey) { self.key = key }

    func secret(for client: String, at now: Instant) throws -> Secret {
        try made.withLock { made in
            if let last = made[ExternalName(trusted: client)], now >= last.at, now < last.at + Self.lifetime / 2 {
                return last.secret
            }
            let secret = try key.clientSecret(for: client, at: now, lifetime: Self.lifetime)
            made[ExternalName(trusted: client)] = (secret, now)
            return secret
        }
    }
}
