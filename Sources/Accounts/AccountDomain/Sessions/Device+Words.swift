import GatehouseWire

extension Device {
    /// Such as `iPhone · Journal · iOS 18.2 · 192.0.2.1`; nil if nothing is known. Leaves out what mail programs could
    /// turn into a link, because the client chose its user agent.
    package var words: String? {
        let name = userAgent.flatMap { DeviceName(userAgent: $0) }
        var parts: [String] = []
        for part in [name?.model, name?.app, name?.system] {
            if let part, Self.isPlain(part), !parts.contains(part) { parts.append(part) }
        }
        if let address { parts.append(address) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }

    /// App, model and system without versions, which updates change. Empty for an unnamed client.
    package var family: String {
        guard let name = userAgent.flatMap({ DeviceName(userAgent: $0) }) else { return "" }
        let system = String(decoding: (name.system ?? "").utf8.prefix { !$0.isDigit }, as: UTF8.self)
        return [name.app ?? "", name.model ?? "", system].joined(separator: "\n")
    }

    /// Short, with no signs but spaces, hyphens, parentheses, and dots within numbers.
    private static func isPlain(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard (1...32).contains(scalars.count) else { return false }
        return scalars.indices.allSatisfy { index in
            switch scalars[index] {
            case " ", "-", "(", ")": true
            case ".":
                index > 0 && index + 1 < scalars.count && isDigit(scalars[index - 1]) && isDigit(scalars[index + 1])
            default: scalars[index].properties.isAlphabetic || isDigit(scalars[index])
            }
        }
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
}
