import GatehouseWire

/// The text of a YAML file of settings. A change keeps the other lines, and the comments.
package struct SettingsText: Sendable, Equatable {
    package let text: String
    /// In the order of the text. Commas join a list.
    package let entries: [(key: String, value: String)]

    /// - Parameter text: May be empty, or have only comments.
    package init(_ text: String) throws(YAMLProblem) {
        self.text = text
        entries = Self.isBare(text) ? [] : try YAMLReader.entries(of: text).map { (key: $0.0, value: $0.1) }
    }

    package static func == (left: SettingsText, right: SettingsText) -> Bool { left.text == right.text }

    package subscript(key: String) -> String? { entries.first { $0.key == key }?.value }

    /// Replaces values in their lines, removes entries, and adds new ones at the end.
    ///
    /// - Parameter changes: nil removes an entry.
    /// - Throws: ``YAMLProblem``, and ``SettingsTextProblem`` if the text is not one `key: value` per entry or would lose
    ///   its last one, without which a server does not accept the file.
    package func changing(_ changes: [(key: String, value: String?)]) throws -> SettingsText {
        var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last?.isEmpty == true { lines.removeLast() }
        if !Self.isBare(text) {
            let node = try YAMLNode.read(text)
            guard case .mapping(let pairs) = node.content, !node.isFlow else { throw SettingsTextProblem() }
            for pair in pairs.reversed() {
                guard let change = changes.first(where: { $0.key == pair.key.text }) else { continue }
                try Self.replace(pair.key, pair.value, by: change, in: &lines)
            }
        }
        for case (let key, let value?) in changes where self[key] == nil {
            lines.append("\(key): \(YAMLText.value(value))")
        }
        let changed = try SettingsText(lines.map { $0 + "\n" }.joined())
        // Whatever the file's style: what is read back is what was wanted.
        guard changed.hasEntries(of: self, after: changes), !changed.entries.isEmpty || entries.isEmpty else {
            throw SettingsTextProblem()
        }
        return changed
    }

    private static func replace(
        _ key: YAMLNode, _ value: YAMLNode, by change: (key: String, value: String?), in lines: inout [String]
    ) throws {
        var (last, rest) = (value.endLine, "")
        if value.endColumn == 1, last > key.line {
            // A block of lines ends where the next line begins.
            last -= 1
            while last > key.line, lines[last - 1].utf8.allSatisfy({ $0 == UInt8(ascii: " ") }) { last -= 1 }
        } else if last <= lines.count {
            rest = String(String.UnicodeScalarView(lines[last - 1].unicodeScalars.dropFirst(value.endColumn - 1)))
        }
        guard key.line <= last, last <= lines.count else { throw SettingsTextProblem() }
        let indent = String(repeating: " ", count: key.column - 1)
        guard lines[key.line - 1].hasPrefix(indent) else { throw SettingsTextProblem() }
        var new: [String] = []
        if let value = change.value {
            new = YAMLText.value(value).split(separator: "\n", omittingEmptySubsequences: false).map { indent + $0 }
            new[0] = "\(indent)\(change.key): \(new[0].dropFirst(indent.count))\(rest)"
        }
        lines.replaceSubrange(key.line - 1..<last, with: new)
    }

    private func hasEntries(of old: SettingsText, after changes: [(key: String, value: String?)]) -> Bool {
        let keys = old.entries.map(\.key) + changes.map(\.key).filter { old[$0] == nil }
        let expected = keys.compactMap { key in
            (changes.first { $0.key == key }.map(\.value) ?? old[key]).map { (key, $0) }
        }
        return expected.count == entries.count && zip(expected, entries).allSatisfy { $0 == $1 }
    }

    private static func isBare(_ text: String) -> Bool {
        text.unicodeScalars.split(separator: "\n").allSatisfy { line in
            line.first { $0 != " " && $0 != "\r" }.map { $0 == "#" } ?? true
        }
    }
}

package struct SettingsTextProblem: Error, Equatable {
    package init() {}
}

package enum YAMLText {
    /// One line, or several below `|`, indented by two spaces.
    static func value(_ text: String) -> String {
        guard text.hasPrefix("["), text.hasSuffix("]\n") else { return scalar(text) }
        return "|\n" + text.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    }

    /// Quoted unless no quotes are needed.
    ///
    /// - Parameter isJSON: Also quotes `true` and `false`.
    package static func scalar(_ text: String, isJSON: Bool = false) -> String {
        let isWord = isJSON && ["true", "false"].contains(text)
        if !isWord, isPlain(text) { return text }
        let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !$0.isDeceptive }
        return isPrintable ? "'" + text.replacing("'", with: "''") + "'" : AuthJSON.string(text).text
    }

    private static func isPlain(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return false }
        return (first.isAlphanumeric || first == UInt8(ascii: "/")) && last != UInt8(ascii: ":")
            && text.utf8.allSatisfy { $0.isAlphanumeric || "_./@+=:;,-".utf8.contains($0) }
    }
}
