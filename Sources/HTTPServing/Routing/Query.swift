import GatehouseWire
package import Hummingbird

/// The query parameters of a request, form-decoded: a plus sign is a space, which Hummingbird's parser does not do.
package struct Query {
    package private(set) var parameters: [(name: String, value: String)] = []

    package init(_ request: Request) { self.init(form: request.uri.query ?? "") }

    /// - Parameter text: `application/x-www-form-urlencoded`.
    package init(form text: String) {
        // Works on bytes: splitting into Characters is many times slower, for every request.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair[name.endIndex...].dropFirst()
            parameters.append((FormText.readLeniently(name), FormText.readLeniently(value)))
        }
    }

    /// The value of the first parameter with this name; nil if it is absent or empty.
    package subscript(name: String) -> String? {
        let value = parameters.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    /// These parameters, then the other's.
    package func followed(by other: Query) -> Query {
        var both = self
        both.parameters += other.parameters
        return both
    }

    /// The encoded query with one parameter replaced and names in alphabetical order, as in Supabase's links. Omits
    /// `apikey`, so that links do not repeat the key.
    package func encoded(setting name: String, to value: String) -> String {
        let others = parameters.filter { $0.name != name && $0.name != "apikey" }
        return (others + [(name, value)]).sorted { $0.name < $1.name }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
    }
}
