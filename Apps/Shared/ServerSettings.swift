public import SwiftUI

/// Which server an app speaks with. The values come from its `xcconfig`, by way of `Info.plist`.
public struct ServerSettings: Hashable, Sendable {
    static let serverKey = "GatehouseServer"
    static let gatewayKey = "GatehouseGateway"
    static let publishableKeyKey = "GatehousePublishableKey"
    static let redirectKey = "GatehouseRedirect"
    static let googleKey = "GatehouseGoogle"

    /// Without `/auth/v1`.
    public var server: URL
    /// Without `/v1`; the server's own address unless it stands elsewhere.
    public var gateway: URL
    public var publishableKey: String
    /// Where a browser and the links of mails come back to; registered at the server.
    public var redirectTo: URL
    /// Whether the server signs people in with Google.
    public var offersGoogle: Bool

    /// - Parameter value: The text under a key of `Info.plist`. An empty one counts as none.
    /// - Throws: ``SettingsProblem`` with the first key whose value is missing or cannot be used.
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

/// A value that an app cannot start without.
public struct SettingsProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// In `Info.plist`.
    public var key: String
    /// Whether there is no value; else it is one that cannot be used.
    public var isMissing: Bool

    public var description: String {
        "\(key) \(isMissing ? "has no value" : "is no address"). See Configuration/*.xcconfig.template."
    }
}
