package import AccountDomain
package import AuthServer
package import GatehouseServer
package import GatehouseWire
import IdentityProviders
import Synchronization

/// ``HookReceiver`` answers them, each under a path with its name.
package struct TestHooks: Sendable {
    package var hooks: [HookName]
    /// Whether requests continue when a hook fails.
    package var continues: Bool
    package var webhooks: [WebhookEndpoint]
    /// Its provider is the receiver as well, as the hook `captcha`.
    package var needsCaptcha: Bool
    /// Their collector is the receiver as well, as the hook `v1/traces`.
    package var traces: TraceSettings?

    package init(
        _ hooks: [HookName] = [], continues: Bool = false, webhooks: [WebhookEndpoint] = [], needsCaptcha: Bool = false,
        traces: TraceSettings? = nil
    ) {
        (self.hooks, self.continues, self.webhooks) = (hooks, continues, webhooks)
        (self.needsCaptcha, self.traces) = (needsCaptcha, traces)
    }

    private static let secrets = [WebhookSecret(Secret("v1,whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="))]

    package static func webhook(
        _ name: String = "app", _ kinds: Set<AccountEventKind> = Set(AccountEventKind.allCases)
    ) -> WebhookEndpoint {
        WebhookEndpoint(
            name: name, url: HookReceiver.base + name, secrets: secrets.compactMap(\.self), kinds: kinds)
    }

    func configure(_ settings: inout ServerSettings) {
        if needsCaptcha {
            settings.captcha = CaptchaSettings(url: HookReceiver.base + "captcha", secret: Secret("a secret"))
        }
        settings.traces = traces
        configure(&settings.hooks)
    }

    private func configure(_ configuration: inout HookConfiguration) {
        configuration.rule = OutgoingAddressRule(allowsLoopback: true)
        configuration.webhooks = webhooks
        for name in hooks {
            configuration.hooks[name] = Hook(
                url: HookReceiver.base + name.rawValue, secrets: Self.secrets.compactMap(\.self),
                continuesOnFailure: continues)
        }
    }
}

/// Receives hooks, webhooks, captcha checks and traces. Responds with 200 and `{}` by default.
package final class HookReceiver: Sendable {
    package struct Call: Sendable {
        /// The name of the hook or webhook.
        package let name: String
        package let headers: [String: String]
        /// The form's text, for the captcha.
        package let json: AuthJSON
    }

    package typealias Answer = @Sendable (Call) async throws -> (status: Int, json: AuthJSON)

    static let base = "http://127.0.0.1:9998/"

    private struct State {
        var calls: [Call] = []
        var answer: Answer = { _ in (200, [:]) }
    }

    private let state = Mutex(State())

    package var calls: [Call] { state.withLock { $0.calls } }

    package func answers(_ answer: @escaping Answer) { state.withLock { $0.answer = answer } }

    /// - Parameter other: For calls to other servers.
    func transport(otherwise other: @escaping OutgoingHTTP.Transport) -> OutgoingHTTP.Transport {
        { call in
            if let answer = try await self.answer(to: call) { return answer }
            return try await other(call)
        }
    }

    /// - Returns: nil for a call to another server.
    private func answer(to call: OutgoingCall) async throws -> OutgoingHTTP.Answer? {
        guard call.url.hasPrefix(Self.base), let body = call.body else { return nil }
        let name = String(call.url.dropFirst(Self.base.count))
        let form = name == "captcha" ? AuthJSON.string(String(decoding: body, as: UTF8.self)) : nil
        let received = Call(name: name, headers: call.headers, json: try form ?? JSONReader.read(body))
        let answer = state.withLock { state in
            state.calls.append(received)
            return state.answer
        }
        let (status, json) = try await answer(received)
        return OutgoingHTTP.Answer(
            status: status, headers: ["content-type": "application/json"], body: Array(json.text.utf8))
    }
}
