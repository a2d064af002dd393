import Crypto
import DevStack
import Foundation
package import GatehouseServer
package import GatehouseWire
import JSONWebTokens

/// The made-up secrets of one `gatehouse dev` folder. They stay the same from run to run, so that an app keeps its
/// keys.
package struct DevSecrets: Sendable {
    /// As `GATEHOUSE_SECRETS` has it.
    let serverSecrets: Secret
    let jwtSecret: Secret
    package let publishableKey: String
    package let secretKey: Secret
    let createdAt: Instant

    /// - Parameter randomBytes: A cryptographic source.
    package init(at now: Instant, randomBytes: (Int) -> [UInt8]) {
        serverSecrets = Secret("1:" + Data(randomBytes(32)).base64EncodedString())
        jwtSecret = Secret(Self.letters(randomBytes(32)))
        publishableKey = "sb_publishable_" + Self.letters(randomBytes(16))
        secretKey = Secret("sb_secret_" + Self.letters(randomBytes(24)))
        createdAt = now
    }

    private static func letters(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Reads what ``json`` wrote.
    package init?(json text: String) {
        // Lost: where the text is no JSON. The file is ours; whoever changed it is told that it is damaged.
        guard let members = try? JSONReader.read(text).objectValue,
            let serverSecrets = members["server_secrets"]?.stringValue,
            let jwtSecret = members["jwt_secret"]?.stringValue,
            let publishableKey = members["publishable_key"]?.stringValue,
            let secretKey = members["secret_key"]?.stringValue,
            let createdAt = members["created_at"]?.intValue
        else { return nil }
        self.serverSecrets = Secret(serverSecrets)
        self.jwtSecret = Secret(jwtSecret)
        self.publishableKey = publishableKey
        self.secretKey = Secret(secretKey)
        self.createdAt = Instant(seconds: createdAt)
    }

    package var json: String {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("server_secrets", serverSecrets.reveal())
        writer.member("jwt_secret", jwtSecret.reveal())
        writer.member("publishable_key", publishableKey)
        writer.member("secret_key", secretKey.reveal())
        writer.member("created_at", createdAt.seconds)
        writer.endObject()
        return writer.text + "\n"
    }

    /// Ten years, in seconds: these keys are for one machine.
    private static let keyLifetime: Int64 = 315_360_000

    /// An older kind of key: a token that names a role and nobody (`anon`, `service_role`).
    ///
    /// - Throws: ``KeyProblem`` when the secret in the file was shortened.
    package func roleKey(_ role: String) throws -> String {
        var claims = JSONWriter(capacity: 128)
        claims.beginObject()
        claims.member("role", role)
        claims.member("iss", "gatehouse")
        claims.member("iat", createdAt.seconds)
        claims.member("exp", createdAt.seconds + Self.keyLifetime)
        claims.endObject()
        return try TokenSigner(JSONWebKey(hs256: jwtSecret)).sign(payload: claims.bytes)
    }

    /// The configuration of the folder's server, by the names of the environment.
    ///
    /// - Parameters:
    ///   - address: where it listens.
    ///   - redirects: where browsers may be sent back to, besides this machine.
    ///   - isStrict: with what `doctor` recommends to servers for others.
    package func environment(
        database: String, address: ListenAddress, redirects: [String] = [], isStrict: Bool = false
    ) -> [String: String] {
        [
            Setting.database: database,
            .listen: "\(address)",
            .externalURL: address.url + "/auth/v1",
            .secrets: serverSecrets.reveal(),
            .jwtSecret: jwtSecret.reveal(),
            .jwtAlgorithm: "ES256",
            .publishableKeys: publishableKey,
            .secretKeys: secretKey.reveal(),
            .autoConfirm: "true",
            .anonymousEnabled: "true",
            .siteURL: address.isLoopback ? StandIns.site(address.url) : address.url,
            .uriAllowList: DevRedirects.list(redirects),
            .redirectPatterns: "true",
            .outgoingLoopback: "true",
            .limits: "off", .passwordAnswerTime: "0",
            .logFormat: "console",
            .freshSignIn: isStrict ? SettingsChecks.freshSignIn : "",
        ].reduce(into: [:]) { $0[$1.key.environmentName] = $1.value }
    }
}
