public import Foundation
public import Gatehouse

/// A wrong parameter of ``AuthManager``'s initializer.
public struct SetupProblem: Hashable, Sendable, CustomStringConvertible {
    /// The parameter's name, such as `url`.
    public var parameter: String
    /// The problem and the remedy.
    public var reason: String

    /// For tests and previews.
    public init(parameter: String, reason: String) {
        self.parameter = parameter
        self.reason = reason
    }

    public var description: String { "\(parameter): \(reason)" }
}

extension AuthManager {
    /// Creates an app's manager. Makes no request; reads the store once, on the calling thread.
    ///
    /// ```swift
    /// @main struct JournalApp: App {
    ///     @State private var account = AuthManager(
    ///         url: "https://accounts.example.com", publishableKey: "sb_publishable_…")
    ///     var body: some Scene { WindowGroup { HomeView().gatehouse(account) } }
    /// }
    /// ```
    ///
    /// A wrong value is reported by the first call, the login screen and the log (``setupProblem``).
    ///
    /// - Parameters:
    ///   - url: The server's URL, without `/auth/v1`.
    ///   - publishableKey: The app's public API key, never the secret one.
    ///   - gateway: The profiles' URL, without `/v1`; nil for `url`.
    ///   - redirectTo: The target of browsers and emailed links, such as `com.example.app://auth-callback`; the server
    ///     must allow it. nil for `auth-callback` at the first URL scheme in `Info.plist`. An `https` URL serves
    ///     emailed links only, without provider browsers.
    ///   - profile: Creates the source of profiles, such as `{ MetadataProfile(client: $0) { … } }`; nil for the
    ///     gateway.
    ///   - storage: Stores the session; nil for the system's store.
    ///   - accessibility: When the system's keychain can be read. `afterFirstUnlockThisDeviceOnly` allows tokens for
    ///     background work on a locked phone.
    ///   - allowsSeveralAccounts: Keeps the signed-in account on this device when another signs in; see ``accounts``.
    ///   - transport: Sends HTTP requests.
    ///   - clock: The source of time.
    ///   - telemetry: Receivers of all events.
    ///   - appleCredentials: Reports revoked consent to Sign in with Apple.
    ///   - memory: Remembers the last sign-in's method.
    ///   - log: Receives log lines without personal data. Must return immediately.
    public convenience init(
        url: String, publishableKey: String, gateway: String? = nil, redirectTo: String? = nil,
        profile: ((GatehouseClient) -> any ProfileSource)? = nil, storage: (any SecureStorage)? = nil,
        accessibility: KeychainAccessibility = .whenUnlockedThisDeviceOnly, allowsSeveralAccounts: Bool = false,
        transport: @escaping HTTPTransport = SystemDefaults.transport(), clock: ClientClock = SystemDefaults.clock(),
        telemetry: [any TelemetrySink] = [], appleCredentials: AppleConsent = SystemDefaults.appleCredentials(),
        memory: SignInMemory = .userDefaults,
        log: @escaping @Sendable (TelemetryLevel, String) -> Void = LogSink.writeToSystemLog
    ) {
        let storage = storage ?? ManagerSetup.storage(Bundle.main, accessibility, clock)
        let service: any AuthService
        do throws(AuthError) {
            let setup = try ManagerSetup(
                url: url, publishableKey: publishableKey, gateway: gateway,
                redirectTo: redirectTo ?? ManagerSetup.redirect(of: Bundle.main.infoDictionary ?? [:]))
            service = try setup.service(profile, storage, transport, clock, allowsSeveralAccounts)
        } catch {
            service = MisconfiguredService(error: error)
        }
        self.init(
            service: service, storage: storage, clock: clock, telemetry: telemetry,
            appleCredentials: appleCredentials, memory: memory, log: log)
    }
}

extension AuthManager {
    /// The initializer's wrong parameter, with which every call throws ``AuthError/setup(_:)``.
    public nonisolated var setupProblem: SetupProblem? {
        if case .setup(let problem) = (service as? MisconfiguredService)?.error { problem } else { nil }
    }

    /// The redirect URL of browsers and emailed links. nil leaves Apple's sheet and email addresses.
    public nonisolated var redirectTo: URL? { service.redirectTo }

    /// The gateway, for an app's own calls; nil with a custom service.
    public nonisolated var gateway: GatewayClient? { (service as? LiveAuthService)?.gateway }

    /// The auth client, whose sign-ins and sign-outs the manager follows; nil with a custom service.
    public nonisolated var client: GatehouseClient? { (service as? LiveAuthService)?.client }
}

package struct ManagerSetup {
    let url: URL
    let publishableKey: String
    let gateway: URL
    let redirectTo: URL?

    init(url: String, publishableKey: String, gateway: String?, redirectTo: String?) throws(AuthError) {
        let server = try Self.server("url", url)
        self.url = server
        self.gateway = try gateway.map { text throws(AuthError) in try Self.server("gateway", text) } ?? server
        self.redirectTo = try redirectTo.map { text throws(AuthError) in
            guard let url = URL(string: text), url.scheme != nil, url.host() != nil else {
                throw Self.wrong(
                    "redirectTo", "\"\(text)\" is not a URL. It looks like com.example.app://auth-callback.")
            }
            return url
        }
        guard !publishableKey.isEmpty, publishableKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Self.wrong("publishableKey", "It is empty or has spaces. It looks like sb_publishable_….")
        }
        guard !publishableKey.hasPrefix("sb_secret_") else {
            throw Self.wrong("publishableKey", "This is the secret key, which must not be in an app.")
        }
        self.publishableKey = publishableKey
    }

    static func storage(
        _ app: Bundle, _ accessibility: KeychainAccessibility, _ clock: ClientClock
    ) -> any SecureStorage {
        SystemStorage.make(
            name: app.bundleIdentifier ?? "gatehouse", environment: ProcessInfo.processInfo.environment, clock: clock,
            accessibility: accessibility)
    }

    package static func redirect(of info: [String: Any]) -> String? {
        let types = info["CFBundleURLTypes"] as? [[String: Any]] ?? []
        let schemes = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }
        return schemes.first.map { $0 + "://auth-callback" }
    }

    private static func wrong(_ parameter: String, _ reason: String) -> AuthError {
        .setup(SetupProblem(parameter: parameter, reason: reason))
    }

    private static func server(_ parameter: String, _ text: String) throws(AuthError) -> URL {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(), let host = url.host(), !host.isEmpty
        else {
            throw Self.wrong(parameter, "\"\(text)\" is not a URL. It looks like https://accounts.example.com.")
        }
        guard scheme == "https" || scheme == "http" else {
            throw Self.wrong(parameter, "\"\(text)\" does not begin with https.")
        }
        return url
    }

    @MainActor
    func service(
        _ profile: ((GatehouseClient) -> any ProfileSource)?, _ storage: any SecureStorage,
        _ transport: @escaping HTTPTransport, _ clock: ClientClock, _ allowsSeveralAccounts: Bool
    ) throws(AuthError) -> LiveAuthService {
        let reachability = SystemDefaults.reachability()
        var options = GatehouseClient.Options()
        options.allowsSeveralAccounts = allowsSeveralAccounts
        let client: GatehouseClient
        do {
            client = try GatehouseClient(
                url: url.appending(path: "auth/v1"), publishableKey: publishableKey, storage: storage,
                transport: transport, clock: clock, options: options, reachability: reachability)
        } catch {
            throw Self.insecure("url", url)
        }
        let gateway: GatewayClient
        do {
            gateway = try GatewayClient(
                url: self.gateway, tokens: GatewayTokens(client), transport: transport, clock: clock,
                reachability: reachability)
        } catch {
            throw Self.insecure("gateway", self.gateway)
        }
        return LiveAuthService(
            client: client, profiles: profile?(client) ?? gateway, gateway: gateway, redirectTo: redirectTo)
    }

    private static func insecure(_ parameter: String, _ url: URL) -> AuthError {
        wrong(
            parameter, "\(url.absoluteString) sends tokens unencrypted. Use https; http is for this machine only.")
    }
}
