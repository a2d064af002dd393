import Foundation

/// The user's name from Apple, which sends it only once, along with the token.
public struct AppleName: Hashable, Sendable {
    /// For example `Ada`; nil if Apple sent none, never blank.
    public let given: String?
    /// For example `Lovelace`; nil if Apple sent none, never blank.
    public let family: String?

    /// - Parameters:
    ///   - given: Trimmed, and shortened to 50 characters.
    ///   - family: Trimmed, and shortened to 50 characters.
    /// - Returns: nil if both are empty.
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

    /// - Parameter json: What ``json`` returns.
    package init?(json: AuthJSON) {
        self.init(
            given: json["name"]?["firstName"]?.stringValue, family: json["name"]?["lastName"]?.stringValue)
    }

    /// The member `user` of a sign-in, in Apple's format.
    var json: AuthJSON {
        var name: AuthJSONObject = [:]
        name["firstName"] = given.map(AuthJSON.string)
        name["lastName"] = family.map(AuthJSON.string)
        return ["name": .object(name)]
    }
}
