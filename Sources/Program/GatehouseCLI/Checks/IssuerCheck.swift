package import GatehouseServer
import GatehouseWire
import JSONWebTokens

package struct IssuerCheck: Sendable {
    private let settings: RemoteIssuerSettings
    private let http: OutgoingHTTP

    package init(_ settings: RemoteIssuerSettings, http: OutgoingHTTP) {
        (self.settings, self.http) = (settings, http)
    }

    /// Within ten seconds.
    package func finding() async -> Finding {
        let name = "issuer"
        do {
            let algorithms = try KeySet(published: await settings.fetchKeys(http)).algorithms
            guard !algorithms.isEmpty else {
                let all = SigningAlgorithm.allCases.filter { !$0.isSymmetric }.map(\.rawValue)
                return .problem(
                    name, "\(settings.keysURL) has no key that verifies tokens",
                    "every token is rejected: configure the issuer to sign with one of \(all.joined(separator: ", "))")
            }
            let names = algorithms.map(\.rawValue).joined(separator: ", ")
            return .ok(name, "\(settings.keysURL) publishes keys for \(names)")
        } catch {
            return .problem(
                name, "\(settings.keysURL) cannot be read: \(Self.reason(error))",
                "requests get status 503: check \(Setting.jwksURL.environmentName), and that this machine can reach it")
        }
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case OutgoingFailure.status(let status): "status \(status)"
        case KeyProblem.unreadable: "it is not a JWK Set"
        default: "\(error)"
        }
    }
}
