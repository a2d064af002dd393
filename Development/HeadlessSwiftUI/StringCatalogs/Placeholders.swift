package enum Placeholders {
    /// Replaces `%@`, `%lld`, `%2$@` and the like; `%%` is a percent sign.
    package static func fill(_ format: String, with texts: [String]) -> String {
        var (filled, next) = ("", 0)
        var rest = Substring(format)
        while let percent = rest.firstIndex(of: "%") {
            filled += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                filled += "%"
                rest = rest.dropFirst()
                continue
            }
            let digits = rest.prefix { $0.isNumber }
            var index = next
            if let position = Int(digits), rest.dropFirst(digits.count).first == "$" {
                index = position - 1
                rest = rest.dropFirst(digits.count + 1)
            } else {
                next += 1
            }
            guard let specifier = ["@", "lld", "llu", "lf"].first(where: { rest.hasPrefix($0) }) else {
                filled += "%"
                continue
            }
            rest = rest.dropFirst(specifier.count)
            filled += texts.indices.contains(index) ? texts[index] : ""
        }
        return filled + rest
    }
}
