package import GatehouseServer
package import GatehouseWire
package import IdentityProviders
import JSONWebTokens

package struct ProviderChecks: Sendable {
    static let notice: Duration = .seconds(30 * 86_400)

    private let providers: [ConfiguredProvider]
    private let calls: ProviderCalls
    private let now: @Sendable () -> Instant

    package init(_ providers: [ConfiguredProvider], calls: ProviderCalls, now: @escaping @Sendable () -> Instant) {
        self.providers = providers
        self.calls = calls
        self.now = now
    }

    package func all() async -> [Finding] {
        var findings: [Finding] = []
        for provider in providers {
            let name = "provider \(provider.settings.name)"
            findings.append(await reach(provider.settings, name))
            if let secret = Self.secret(provider.settings, name, at: now()) { findings.append(secret) }
            if let redirect = Self.redirect(provider, name) { findings.append(redirect) }
        }
        return findings
    }

    /// At most five seconds per document.
    private func reach(_ settings: ProviderSettings, _ name: String) async -> Finding {
        var keys = "its keys"
        do {
            let provider = try OpenIDProvider(settings, rule: calls.rule, now: now, transport: calls.send)
            guard settings.acceptsIDTokens else {
                try await provider.reach()
                return .ok(name, "reachable")
            }
            keys = try await provider.metadata().keys.map { "its keys at \($0)" } ?? keys
            return .ok(
                name, "reachable; accepts ID tokens signed with \(Self.list(try await provider.usableAlgorithms()))")
        } catch ProviderFailure.unavailable(_, .unsupportedAlgorithms(let announced)) {
            return .problem(
                name, "its ID tokens are signed with \(announced.joined(separator: ", ")), which is not supported",
                "sign-in fails: configure it to sign with one of \(Self.list(settings.algorithms))")
        } catch ProviderFailure.unavailable(_, .noUsableKey(let algorithms)) {
            return .problem(
                name, "none of \(keys) verifies \(Self.list(algorithms))",
                "sign-in fails: the provider must publish its signing key")
        } catch ProviderFailure.unavailable(.keys, let trouble) {
            return .problem(
                name, "\(keys) cannot be read: \(Self.reason(trouble))",
                "sign-in fails: check that this machine can reach the URL")
        } catch ProviderFailure.unavailable(.userInfo, let trouble) {
            return .problem(
                name, "its profile address cannot be called: \(Self.reason(trouble))",
                "sign-in fails: check that this machine can reach the provider")
        } catch {
            return .problem(
                name, "its discovery document cannot be read: \(Self.reason(error))",
                "sign-in fails: check the issuer, and that this machine can reach it")
        }
    }

    private static func list(_ algorithms: some Collection<SigningAlgorithm>) -> String {
        SigningAlgorithm.allCases.filter(algorithms.contains).map(\.rawValue).joined(separator: ", ")
    }

    private static func reason(_ error: any Error) -> String {
        switch error {
        case ProviderFailure.unavailable(_, let trouble): reason(trouble)
        case ProviderTrouble.noAnswer(let failure): reason(failure)
        case ProviderTrouble.status(let status): "status \(status)"
        case ProviderTrouble.wrongIssuer: "it belongs to a different issuer"
        case ProviderTrouble.unreadable: "it is not a valid JSON document"
        case ProviderTransportFailure.noConnection(let cause): "no connection (\(cause))"
        case ProviderTransportFailure.timedOut: "no response in time"
        case ProviderTransportFailure.tooLong: "the response is too long"
        case ProviderTransportFailure.addressRefused(.notHTTPS(let host)): "\(host) does not use https"
        case ProviderTransportFailure.addressRefused(.notPublic(let host)):
            "\(host) is in a private network; allow it with outgoing_networks"
        case ProviderTransportFailure.addressRefused(.noAddress(let host)): "\(host) does not resolve"
        default: "\(error)"
        }
    }

    /// Apple's client secrets last at most [six
    /// months](https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret).
    ///
    /// - Returns: nil if the credential cannot expire.
    package static func secret(_ settings: ProviderSettings, _ name: String, at now: Instant) -> Finding? {
        let advice = "create a new one, or configure the .p8 key: external_apple_key does not expire"
        guard let end = settings.credential.expiresAt else {
            guard settings.kind == .apple, case .secret = settings.credential else { return nil }
            return .warning(name, "its client secret is not a token from Apple, which has an expiry", advice)
        }
        if end <= now { return .problem(name, "its client secret expired at \(end)", advice) }
        let text = "its client secret expires at \(end)"
        return end - now < notice ? .warning(name, text, advice) : .ok(name, text)
    }

    /// - Returns: nil if the redirect URL is correct or unused.
    package static func redirect(_ provider: ConfiguredProvider, _ name: String) -> Finding? {
        guard provider.settings.offersBrowserSignIn else { return nil }
        let url = ProviderURL(provider.redirectURL)
        if let url, url.isSecure || url.isLoopback { return nil }
        return .problem(
            name, "its redirect URL \(provider.redirectURL) is http: the network can read authorization codes",
            "set external_url, or its redirect_uri, to an https URL")
    }
}
