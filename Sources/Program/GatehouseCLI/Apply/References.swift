import GatehouseWire

/// Expands `${NAME}` and `file:PATH`.
struct References {
    struct Problem: Error { let text: String }

    let environment: [String: String]
    let readFile: (String) throws -> String

    /// `$${` is `${` itself. A hidden text has a reference.
    func expand(_ text: String, isSecret: Bool) throws(Problem) -> (text: String, isHidden: Bool) {
        if isSecret, text.hasPrefix("file:") {
            do {
                return (try readFile(String(text.dropFirst("file:".count))), true)
            } catch {
                throw Problem(text: "the file cannot be read: \(error)")
            }
        }
        var (done, rest, isHidden) = ("", Substring(text), false)
        while let start = rest.firstRange(of: "${") {
            let before = rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            if before.hasSuffix("$") {
                done += before.dropLast() + "${"
                continue
            }
            let name = rest.prefix { $0 != "}" }
            guard name.endIndex < rest.endIndex, !name.isEmpty,
                name.utf8.allSatisfy({ $0.isAlphanumeric || $0 == UInt8(ascii: "_") })
            else { throw Problem(text: "expected ${NAME}; write $${ for ${ itself") }
            guard let value = environment[String(name)], !value.isEmpty else {
                throw Problem(text: "\(name) is not set")
            }
            (done, rest, isHidden) = (done + before + value, rest[name.endIndex...].dropFirst(), true)
        }
        return (done + rest, isHidden)
    }
}
