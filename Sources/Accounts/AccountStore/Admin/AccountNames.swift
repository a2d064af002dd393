import GatehouseWire

/// The names of an account: in its metadata, at its providers and in its profile.
struct AccountNames {
    /// The most important first.
    private(set) var all: [String] = []
    private var full, first, last, profile: String?

    /// In the API's characters.
    static let longest = 256

    /// - Parameter metadata: JSON text, of the account or of an identity.
    mutating func add(metadata: String) {
        // Ignored: a document with half a character has no names.
        guard let json = try? JSONReader.read(metadata) else { return }
        func text(_ names: String...) -> String? {
            names.lazy.compactMap { json[$0]?.stringValue.flatMap(Self.cut) }.first
        }
        let (full, first) = (text("full_name", "name"), text("first_name", "given_name"))
        let last = text("last_name", "family_name")
        let others = [text("name"), text("given_name"), text("preferred_username", "user_name", "nickname")]
        all += ([full, first, last] + others).compactMap(\.self)
        self.full = self.full ?? full
        if self.first == nil, self.last == nil { (self.first, self.last) = (first, last) }
    }

    mutating func add(profile first: String?, _ name: String?) {
        all += [name, first].compactMap { $0.flatMap(Self.cut) }
        profile = name ?? first
    }

    /// At most ``longest`` code points.
    var shown: String? {
        let joined = [first, last].compactMap(\.self).joined(separator: " ")
        let both = joined.isEmpty ? nil : joined.cut(to: Self.longest)
        return full ?? (last == nil ? nil : both) ?? profile?.cut(to: Self.longest) ?? both
    }

    private static func cut(_ text: String) -> String? { text.isEmpty ? nil : text.cut(to: longest) }
}
