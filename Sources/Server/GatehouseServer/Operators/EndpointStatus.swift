import AccountDomain
package import AccountStore
import AuthServer
import GatehouseWire

package struct EndpointStatus: Sendable {
    package enum Kind: String, Sendable {
        case hook, webhook
    }

    package let name: String
    package let kind: Kind
    /// It responded with 410 and gets no more events.
    package let isDisabled: Bool
    /// nil for a hook.
    package let waiting: Int?
    /// Without the query, which may contain a key.
    package let url: String

    package var state: String { isDisabled ? "disabled" : "on" }

    /// In the settings' order. Costs two statements.
    ///
    /// - Throws: ``DatabaseFailure``.
    package static func all(_ configuration: HookConfiguration, _ accounts: Accounts) async throws -> [EndpointStatus] {
        var found = HookName.allCases.compactMap { name in
            configuration.hooks[name].map { hook in
                EndpointStatus(
                    name: name.rawValue, kind: .hook, isDisabled: false, waiting: nil, url: withoutQuery(hook.url))
            }
        }
        guard !configuration.webhooks.isEmpty else { return found }
        let disabled = try await accounts.events.disabled(of: configuration.webhooks).map(\.name)
        let waiting = try await accounts.events.waitingDeliveries()
        found += configuration.webhooks.map { endpoint in
            EndpointStatus(
                name: endpoint.name, kind: .webhook, isDisabled: disabled.contains(endpoint.name),
                waiting: waiting.first { $0.endpoint == endpoint.name }?.count ?? 0, url: withoutQuery(endpoint.url))
        }
        return found
    }

    static func withoutQuery(_ url: String) -> String {
        let bare = url.prefix { $0 != "?" }
        return bare.count == url.count ? url : bare + "?…"
    }
}
