import GatehouseWire

/// A query or form (WHATWG URL §5.1), parsed strictly.
struct FormFields {
    private static let maximumCount = 100

    private let pairs: [(name: String, value: String)]

    /// - Returns: nil for invalid escapes, invalid UTF-8, or too many parameters.
    init?(_ text: some StringProtocol) {
        var pairs: [(name: String, value: String)] = []
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard pairs.count < Self.maximumCount, let name = FormText.read(halves[0]),
                let value = halves.count > 1 ? FormText.read(halves[1]) : ""
            else { return nil }
            pairs.append((name, value))
        }
        self.pairs = pairs
    }

    init(_ pairs: [(name: String, value: String)]) { self.pairs = pairs }

    /// nil if absent or empty: a parameter without a value is omitted (RFC 6749 §3.1).
    subscript(name: String) -> String? {
        let value = pairs.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    /// Space-separated.
    func words(_ name: String) -> [String] { (self[name] ?? "").split(ascii: " ").map(String.init) }

    /// No request may repeat a name (RFC 6749 §3.1).
    var repeatedName: String? {
        var seen: Set<ExternalName> = []
        return pairs.first { !seen.insert(ExternalName(trusted: $0.name)).inserted }?.name
    }

    var encoded: String {
        pairs.map { FormText.escape($0.name) + "=" + FormText.escape($0.value) }.joined(separator: "&")
    }
}
