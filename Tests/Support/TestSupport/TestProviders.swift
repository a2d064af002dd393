package import AccountDomain
import DevStack
package import GatehouseServer
package import GatehouseWire
import IdentityProviders
import JSONWebTokens
import Synchronization

/// The dev stack's stand-ins, behind the same router.
package struct TestProviders: Sendable {
    package var linking: LinkingPolicy = .automatic
    package var address: AddressRequirement = .none

    package init(linking: LinkingPolicy = .automatic, address: AddressRequirement = .none) {
        (self.linking, self.address) = (linking, address)
    }
}

/// From the server to its providers, without a network.
package final class ProviderWire: Sendable {
    package enum Failure: Sendable { case noConnection, timedOut }

    private struct State {
        var send: OutgoingHTTP.Transport?
        var called: [String] = []
        var failure: Failure?
        var delay: (@Sendable () async throws -> Void)?
        var posted: [AuthJSON] = []
    }

    private let state = Mutex(State())

    /// The called paths, in order.
    package var called: [String] { state.withLock { $0.called } }

    /// By Apple's stand-in. A test delivers them, as often as necessary.
    package var posted: [AuthJSON] { state.withLock { $0.posted } }
    func keep(_ notification: AuthJSON) { state.withLock { $0.posted.append(notification) } }

    /// No provider responds; nil restores them.
    package func fail(_ failure: Failure?) { state.withLock { $0.failure = failure } }

    /// Waits before each call.
    package func hold(_ wait: (@Sendable () async throws -> Void)?) { state.withLock { $0.delay = wait } }

    package func connect(_ send: @escaping OutgoingHTTP.Transport) { state.withLock { $0.send = send } }

    @Sendable func transport(_ call: OutgoingCall) async throws -> OutgoingHTTP.Answer {
        let (send, failure, delay) = state.withLock { state in
            state.called.append(call.url.replacing(TestServer.external, with: ""))
            return (state.send, state.failure, state.delay)
        }
        if let delay { try await delay() }
        if case .timedOut = failure { throw TimeIsOver() }
        guard let send, failure == nil else { throw OutgoingFailure.noConnection("a test") }
        return try await send(call)
    }
}

extension TestServer {
    package static let external = "http://127.0.0.1:9999"
    package static let callback = external + "/auth/v1/callback"

    static func standIns(
        _ clock: TestClock, _ randomness: TestRandomness, _ wire: ProviderWire
    ) throws -> StandIns {
        var settings = StandInSettings(external: external)
        settings.notificationEndpoint = external + "/auth/v1/apple/notifications"
        return try StandIns.make(
            settings,
            in: StandInWorld(
                now: { clock.now }, randomBytes: { randomness.bytes($0) }, makeKey: { JSONWebKey.newES256() },
                wait: { _ in },
                post: { _, json in
                    wire.keep(try JSONReader.read(json))
                    return 200
                }))
    }

    static func providers(
        _ wanted: TestProviders, _ registration: StandInRegistration
    ) throws -> [ConfiguredProvider] {
        let key = try AppleSigningKey(
            pem: registration.apple.privateKey, keyID: registration.apple.keyID, teamID: registration.apple.teamID)
        let settings: [ProviderSettings] = [
            try .apple(
                clientIDs: [registration.apple.webClient] + registration.apple.apps, credential: .appleKey(key),
                base: registration.apple.base, issuers: [registration.apple.issuer]),
            try .google(
                clientIDs: [registration.google.webClient] + registration.google.apps,
                credential: .secret(registration.google.secret), issuer: registration.google.issuer),
        ]
        return settings.map {
            ConfiguredProvider(
                settings: $0, linking: wanted.linking, address: wanted.address, redirectURL: callback)
        }
    }
}
