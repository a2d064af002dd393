import Foundation
import Gatehouse
import GatehouseTesting
import TestSupport
import Testing

/// An agent that asks for access in a browser, or as a device whose code the user types.
struct ServiceAgent: Sendable {
    struct Request: Sendable {
        let link: OAuthConsentLink
        /// Takes the tokens. Returns whether it got them.
        let redeem: @Sendable (OAuthRedirect?) async throws -> Bool
    }

    let askExpecting: @Sendable (_ scope: String, _ email: String?) async throws -> Request
    let askAsDevice: @Sendable (_ scope: String) async throws -> Request

    init(_ service: InMemoryAuthService) {
        askExpecting = { scope, email in
            let asked =
                email.map { service.beginAuthorization(scope: scope, expecting: OAuthExpectedAccount(name: $0)) }
                ?? service.beginAuthorization(scope: scope)
            return Request(link: .authorization(asked.id)) { _ in service.redeem(asked) }
        }
        askAsDevice = { scope in
            let asked = service.beginDeviceAuthorization(scope: scope)
            return Request(link: .device(try #require(asked.userCode))) { _ in service.redeem(asked) }
        }
    }

    func ask(_ scope: String) async throws -> Request { try await askExpecting(scope, nil) }

    /// Registered at the first request.
    init(_ server: TestServer) {
        let client = OnceMade { try await TestAgent(server, named: Fixtures.agent.name) }
        askExpecting = { scope, email in
            let agent = try await client.value
            let hints = email.map { ["login_hint": $0] } ?? [:]
            let id = try #require(OAuthAuthorizationID(try await agent.ask(scope, hints)))
            return Request(link: .authorization(id)) { redirect in
                let url = redirect?.redirectURL.absoluteString ?? ""
                return try await agent.redeem(url).status == 200
            }
        }
        askAsDevice = { scope in
            let agent = try await client.value
            let asked = try await agent.askAsDevice(scope)
            return Request(link: .device(try #require(OAuthUserCode(asked.userCode)))) { _ in
                try await agent.redeem(deviceCode: asked.deviceCode).status == 200
            }
        }
    }
}

private actor OnceMade<Value: Sendable> {
    private let make: @Sendable () async throws -> Value
    private var made: Value?

    init(_ make: @escaping @Sendable () async throws -> Value) { self.make = make }

    var value: Value {
        get async throws {
            if let made { return made }
            let value = try await make()
            made = value
            return value
        }
    }
}
