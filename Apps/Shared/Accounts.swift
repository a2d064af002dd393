public import Foundation
public import Gatehouse
public import GatehouseModel
public import GatehouseUI

/// The account dependencies of an app, created once at its root.
public struct Accounts: Sendable {
    public let client: AuthClient
    public let gateway: GatewayClient
    public let manager: AuthManager
    /// The redirect URL for Google and for links in mails.
    public let redirectTo: URL
    /// Whether the server supports Google.
    public let offersGoogle: Bool
    /// Measures the time limit in the browser.
    let clock: ClientClock

    /// Creates the clients without making a call.
    ///
    /// - Parameters:
    ///   - transport: Sends HTTP requests.
    ///   - clock: The source of time.
    ///   - telemetry: Receivers of account events.
    /// - Throws: ``Gatehouse/AuthClientError/insecureURL`` for http to another machine.
    @MainActor
    public init(
        _ settings: ServerSettings, storage: any SecureStorage,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        telemetry: [any TelemetrySink] = []
    ) throws {
        client = try AuthClient(
            url: settings.server.appending(path: "auth/v1"), publishableKey: settings.publishableKey,
            storage: storage, transport: transport, clock: clock)
        gateway = try GatewayClient(
            url: settings.gateway, tokens: GatewayTokens(client), transport: transport, clock: clock)
        manager = AuthManager(
            service: LiveAuthService(client: client, gateway: gateway, redirectTo: settings.redirectTo),
            storage: storage, clock: clock,
            telemetry: telemetry)
        self.clock = clock
        redirectTo = settings.redirectTo
        offersGoogle = settings.offersGoogle
    }

    /// The calls that the account screens need in addition to the manager.
    public var calls: AccountCalls { AccountCalls(client: client, redirectTo: redirectTo) }
}

/// The start of an app.
public enum AppStart {
    case ready(Accounts)
    /// The app was built without required settings. The text tells its developer how to fix that.
    case misconfigured(String)

    /// Reads the app's `Info.plist`, and uses the system's keychain.
    @MainActor
    public init(_ bundle: Bundle) {
        do {
            let settings = try ServerSettings { bundle.object(forInfoDictionaryKey: $0) as? String }
            let storage = SystemStorage.make(
                name: bundle.bundleIdentifier ?? "gatehouse", environment: ProcessInfo.processInfo.environment)
            self = .ready(try Accounts(settings, storage: storage))
        } catch let problem as SettingsProblem {
            self = .misconfigured(problem.description)
        } catch {
            self = .misconfigured("\(ServerSettings.serverKey): \(error)")
        }
    }
}
