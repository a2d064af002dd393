import Crypto
import DevStack
import Foundation
package import GatehouseServer
package import GatehouseWire
import JSONWebTokens

/// Constant, so that apps can keep their keys.
package struct DevSecrets: Sendable {
    /// In the format of `GATEHOUSE_SECRETS`.
    let serverSecrets: Secret
    let jwtSecret: Secret
    /// `sb_publishable_` and 32 hexadecimal digits.
    package let publishableKey: String
    /// `sb_secret_` and 48 hexadecimal digits.
    package let secretKey: Secret
    let createdAt: Instant

    /// - Parameter randomBytes: A cryptographically secure source.
    package init(at now: Instant, randomBytes: (Int) -> [UInt8]) {
        serverSecrets = Secret("1:" + Data(randomBytes(32)).base64EncodedString())
        jwtSecret = Secret(randomBytes(32).hexadecimal)
        publishableKey = "sb_publishable_" + randomBytes(16).hexadecimal
        secretKey = Secret("sb_secret_" + randomBytes(24).hexadecimal)
        createdAt = now
    }

    /// Parses ``json``.
    package init?(json text: String) {
        // Ignored: the file is ours, and the user learns that it is damaged.
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

    /// For a file that only its owner can read.
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

    /// Ten years, in seconds: the keys are valid on one machine only.
    private static let keyLifetime: Int64 = 315_360_000

    /// The older kind: a token with a role (`anon`, `service_role`) and no subject.
    ///
    /// - Throws: ``KeyProblem`` if the file's secret was shortened.
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

    private static let otherOrigins = [
        "http://localhost:3000", "http://localhost:5173", "http://localhost:8080", "https://localhost",
    ]

    /// - Parameters:
    ///   - redirects: In addition to this machine's.
    ///   - isStrict: Applies the recommendations of `doctor`.
    package func environment(
        database: String, address: ListenAddress, redirects: [String] = [], isStrict: Bool = false,
        others: [Setting: String] = [:]
    ) -> [String: String] {
        let own: [Setting: String] = [
            Setting.database: database,
            .listen: "\(address)",
            .externalURL: address.localURL + "/auth/v1",
            .secrets: serverSecrets.reveal(),
            .jwtSecret: jwtSecret.reveal(),
            .jwtAlgorithm: "ES256",
            .publishableKeys: publishableKey,
            .secretKeys: secretKey.reveal(),
            .autoConfirm: "true",
            .anonymousEnabled: "true",
            .siteURL: address.isLoopback ? StandIns.site(address.localURL) : address.localURL,
            .uriAllowList: DevRedirects.list(redirects),
            .redirectPatterns: "true",
            .outgoingLoopback: "true", .hookLoopback: "true",
            .accountPages: "true", .accountPagesName: "gatehouse dev", .console: "true",
            .oauthServerEnabled: "true",
            .enrollRecoveryCodes: "true", .verifyRecoveryCodes: "true",
            .enrollSecurityKeys: "true", .verifySecurityKeys: "true",
            .passkeysEnabled: "true", .passkeySignUp: "true",
            .relyingPartyID: "localhost", .relyingPartyName: "gatehouse dev",
            // This server's pages, common tools' pages, and apps on Apple's platforms.
            .relyingPartyOrigins: (["http://localhost:\(address.port)"] + Self.otherOrigins).joined(separator: ","),
            .limits: "off", .passwordAnswerTime: "0",
            // Debug builds hash slowly, and ten recovery codes are ten hashes.
            .requestDuration: "60s",
            .logFormat: "console",
            .freshSignIn: isStrict ? SettingsChecks.freshSignIn : "",
        ]
        return own.merging(others) { $1 }.reduce(into: [:]) { $0[$1.key.environmentName] = $1.value }
    }
}
