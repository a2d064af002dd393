import GatehouseWire
package import Hummingbird

/// The parameters of a request's query, read as a form (a plus sign is a blank), which Hummingbird's own are not.
package struct Query {
    package private(set) var parameters: [(name: String, value: String)] = []

    package init(_ request: Request) { self.init(form: request.uri.query ?? "") }

    /// - Parameter text: `application/x-www-form-urlencoded`.
    package init(form text: String) {
        // Over bytes: splitting into Characters costs many times as much, for every request.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            let value = pair[name.endIndex...].dropFirst()
            parameters.append((FormText.readLeniently(name), FormText.readLeniently(value)))
        }
    }

    /// The first of that name; nil when there is none or when it is empty.
    package subscript(name: String) -> String? {
        let value = parameters.first { $0.name == name }?.value
        return value?.isEmpty == false ? value : nil
    }

    /// These first, then the other's.
    package func followed(by other: Query) -> Query {
        var both = self
        both.parameters += other.parameters
        return both
    }

    /// The query again with one parameter set, names in alphabetical order, as the protocol's links have it; without
    /// a key, which is not to be repeated.
    package func encoded(setting name: String, to value: String) -> String {
        let others = parameters.filter { $0.name != name && $0.name != "apikey" }
        return (others + [(name, value)]).sorted { $0.name < $1.name }
            .map { "\(FormText.escape($0.name))=\(FormText.escape($0.value))" }.joined(separator: "&")
    }
}
