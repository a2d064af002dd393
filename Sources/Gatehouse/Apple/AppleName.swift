import Foundation

/// What Apple calls a person. It tells the name once in a lifetime, beside the token, and the token has none.
public struct AppleName: Hashable, Sendable {
    /// Such as `Ada`; nil when Apple gave none, never blank.
    public let given: String?
    /// Such as `Lovelace`; nil when Apple gave none, never blank.
    public let family: String?

    /// - Parameters:
    ///   - given: Blanks around it are dropped, and what is beyond 50 characters.
    ///   - family: The same.
    /// - Returns: nil when there is nothing in it.
    public init?(given: String?, family: String? = nil) {
        (self.given, self.family) = (Self.tidy(given), Self.tidy(family))
        if self.given == nil, self.family == nil { return nil }
    }

    /// All that is known, such as `Ada Lovelace`.
    public var full: String { [given, family].compactMap { $0 }.joined(separator: " ") }

    private static func tidy(_ text: String?) -> String? {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines).prefix(50) ?? ""
        return text.isEmpty ? nil : String(text)
    }

    /// The member `user` of a sign-in, in Apple's own form.
    var json: AnyJSON {
        var name: JSONObject = [:]
        name["firstName"] = given.map(AnyJSON.string)
        name["lastName"] = family.map(AnyJSON.string)
        return ["name": .object(name)]
    }
}
