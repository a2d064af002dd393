public import Foundation
public import Gatehouse
public import GatehouseModel

/// The server of an app. The values come from its `xcconfig` through `Info.plist`; the manager checks them.
public struct ServerSettings: Hashable, Sendable {
    /// Without `/auth/v1`.
    public var url: String
    public var publishableKey: String
    /// Without `/v1`; nil for the server itself.
    public var gateway: String?
    /// The redirect URL of browsers and of links in mails; nil for the app's URL scheme.
    public var redirectTo: String?

    /// - Parameter value: Returns the text under a key of `Info.plist`. An empty text counts as none.
    public init(_ value: (String) -> String?) {
        func entry(_ key: String) -> String? {
            let text = value(key)?.trimmingCharacters(in: .whitespaces) ?? ""
            return text.isEmpty ? nil : text
        }
        url = entry("GatehouseServer") ?? ""
        publishableKey = entry("GatehousePublishableKey") ?? ""
        gateway = entry("GatehouseGateway")
        redirectTo = entry("GatehouseRedirect")
    }

    /// Reads the app's `Info.plist`.
    public init(_ bundle: Bundle) { self.init { bundle.object(forInfoDictionaryKey: $0) as? String } }

    /// Where the gateway counts events; nil without a server.
    public var eventsURL: URL? {
        guard let base = URL(string: gateway ?? url), base.host != nil else { return nil }
        return base.appending(path: "v1/events")
    }
}

extension AuthManager {
    /// Creates the manager of an app. The other parameters are those of the manager's own initializer.
    ///
    /// - Parameter app: The name under which the gateway counts the app's events; nil to report none.
    public convenience init(
        _ settings: ServerSettings, reportingAs app: String? = nil, storage: (any SecureStorage)? = nil,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        telemetry: [any TelemetrySink] = [], memory: SignInMemory = .userDefaults
    ) {
        var sinks = telemetry
        if let app, let url = settings.eventsURL {
            sinks.append(HTTPSink(url: url, app: app, transport: transport, clock: clock))
        }
        self.init(
            url: settings.url, publishableKey: settings.publishableKey, gateway: settings.gateway,
            redirectTo: settings.redirectTo, storage: storage, transport: transport, clock: clock,
            telemetry: sinks, memory: memory)
        // As these apps were designed.
        browserLimit = .seconds(60)
    }
}
