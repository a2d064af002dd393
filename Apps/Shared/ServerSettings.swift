public import Foundation

/// The server of an app. The values come from its `xcconfig` through `Info.plist`.
public struct ServerSettings: Hashable, Sendable {
    static let serverKey = "GatehouseServer"
    static let gatewayKey = "GatehouseGateway"
    static let publishableKeyKey = "GatehousePublishableKey"
    static let redirectKey = "GatehouseRedirect"
    static let googleKey = "GatehouseGoogle"

    /// Without `/auth/v1`.
    public var server: URL
    /// Without `/v1`; the server's URL unless it is elsewhere.
    public var gateway: URL
    public var publishableKey: String
    /// The redirect URL of browsers and of links in mails; the server must allow it.
    public var redirectTo: URL
    /// Whether the server supports Google.
    public var offersGoogle: Bool

    /// - Parameter value: Returns the text under a key of `Info.plist`. An empty text counts as none.
    /// - Throws: ``SettingsProblem`` for the first key whose value is missing or invalid.
    public init(_ value: (String) -> String?) throws(SettingsProblem) {
        func text(_ key: String) -> String? {
            let text = value(key)?.trimmingCharacters(in: .whitespaces) ?? ""
            return text.isEmpty ? nil : text
        }
        func address(_ key: String, _ text: String?) throws(SettingsProblem) -> URL {
            guard let text else { throw SettingsProblem(key: key, isMissing: true) }
            guard let url = URL(string: text), url.scheme != nil, url.host() != nil else {
                throw SettingsProblem(key: key, isMissing: false)
            }
            return url
        }
        server = try address(Self.serverKey, text(Self.serverKey))
        gateway =
            try text(Self.gatewayKey).map { text throws(SettingsProblem) in try address(Self.gatewayKey, text) }
            ?? server
        redirectTo = try address(Self.redirectKey, text(Self.redirectKey))
        guard let key = text(Self.publishableKeyKey) else {
            throw SettingsProblem(key: Self.publishableKeyKey, isMissing: true)
        }
        publishableKey = key
        offersGoogle = text(Self.googleKey) == "YES"
    }
}

/// A missing or invalid setting of the app.
public struct SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key in `Info.plist`.
    public var key: String
    /// Whether the value is missing rather than invalid.
    public var isMissing: Bool

    public var description: String {
        "\(key) \(isMissing ? "has no value" : "is no address"). See Configuration/*.xcconfig.template."
    }
}
