import Foundation

/// The user's name from Apple, sent only once, with the token.
public struct AppleName: Hashable, Sendable {
    /// For example `Ada`; never blank.
    public let given: String?
    /// For example `Lovelace`; never blank.
    public let family: String?

    /// Trims both, and shortens them to 50 characters. nil if both are empty.
    public init?(given: String?, family: String? = nil) {
        (self.given, self.family) = (Self.tidy(given), Self.tidy(family))
        if self.given == nil, self.family == nil { return nil }
    }

    /// The full name, such as `Ada Lovelace`.
    public var full: String { [given, family].compactMap { $0 }.joined(separator: " ") }

    private static func tidy(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines).prefix(50) ?? ""
        return text.isEmpty ? nil : String(text)
    }

    package init?(json: AuthJSON) {
        self.init(
            given: json["name"]?["firstName"]?.stringValue, family: json["name"]?["lastName"]?.stringValue)
    }

    /// The sign-in's member `user`, in Apple's format.
    var json: AuthJSON {
        var name: AuthJSONObject = [:]
        name["firstName"] = given.map(AuthJSON.string)
        name["lastName"] = family.map(AuthJSON.string)
        return ["name": .object(name)]
    }
}
