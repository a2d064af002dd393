import CYAML
import GatehouseWire

/// A flat YAML mapping of texts and lists of texts (<https://pyyaml.org/wiki/LibYAML>).
///
/// Every scalar is text: `yes` and `~` stay as written. The first anchor, alias or nested value stops the reading, so
/// input neither expands nor nests.
struct YAMLReader {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>

    /// - Returns: In the order of the text. Commas join a list.
    static func entries(of text: String) throws(YAMLProblem) -> [(String, String)] {
        try reading(text) { reader throws(YAMLProblem) in try reader.entries() }
    }

    static func reading<Value>(
        _ text: String, _ read: (YAMLReader) throws(YAMLProblem) -> Value
    ) throws(YAMLProblem) -> Value {
        let parser = UnsafeMutablePointer<yaml_parser_t>.allocate(capacity: 1)
        defer { parser.deallocate() }
        guard yaml_parser_initialize(parser) == 1 else { throw .notSettings }
        defer { yaml_parser_delete(parser) }
        // The unread zero gives an empty text an address.
        return try (Array(text.utf8) + [0]).withUnsafeBufferPointer { bytes throws(YAMLProblem) in
            yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
            yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count - 1)
            return try read(Self(parser: parser, bytes: bytes))
        }
    }

    private func entries() throws(YAMLProblem) -> [(String, String)] {
        for expected in [YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_MAPPING_START_EVENT] {
            guard try next().type == expected else { throw .notSettings }
        }
        var entries: [(String, String)] = []
        var lines: [[UInt8]: Int] = [:]
        var event = try next()
        while event.type != YAML_MAPPING_END_EVENT {
            let key = try event.requiredText()
            if let line = lines.updateValue(event.line, forKey: Array(key.utf8)) { throw .repeatedKey(line: line) }
            entries.append((key, try value(of: key, line: event.line)))
            event = try after(key, line: event.line)
        }
        // The end of the document; nothing else may follow.
        _ = try next()
        event = try next()
        guard event.type == YAML_STREAM_END_EVENT else { throw .syntax(line: event.line, column: event.column) }
        return entries
    }

    private func value(of key: String, line: Int) throws(YAMLProblem) -> String {
        var isInside = false
        do throws(YAMLProblem) {
            var event = try next()
            isInside = event.type == YAML_SEQUENCE_START_EVENT
            guard isInside else { return try event.requiredText() }
            var texts: [String] = []
            event = try next()
            while event.type != YAML_SEQUENCE_END_EVENT {
                texts.append(try event.requiredText())
                event = try next()
            }
            return texts.joined(separator: ",")
        } catch {
            if case .notSettings = error { throw .nested(key: key, line: line) }
            throw error.naming(key, if: isInside, line: line)
        }
    }

    /// An error in the key's line is the value's.
    private func after(_ key: String, line: Int) throws(YAMLProblem) -> Event {
        do throws(YAMLProblem) {
            return try next()
        } catch {
            throw error.naming(key, if: false, line: line)
        }
    }

    struct Event {
        let type: yaml_event_type_t
        let line, column: Int
        /// Exclusive, and from one.
        let endLine, endColumn: Int
        var text: String?
        /// Not quoted, and not a block below `|` or `>`.
        var isPlain = false
        /// A mapping or list in brackets.
        var isFlow = false

        func requiredText() throws(YAMLProblem) -> String {
            guard let text else { throw .notSettings }
            return text
        }
    }

    func next() throws(YAMLProblem) -> Event {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw problem }
        defer { yaml_event_delete(&event) }
        var read = Event(
            type: event.type, line: event.start_mark.line + 1, column: event.start_mark.column + 1,
            endLine: event.end_mark.line + 1, endColumn: event.end_mark.column + 1)
        // A tag would change the text's meaning.
        let refused: UnsafeMutablePointer<yaml_char_t>?
        switch event.type {
        case YAML_ALIAS_EVENT: refused = event.data.alias.anchor
        case YAML_SEQUENCE_START_EVENT:
            refused = event.data.sequence_start.anchor ?? event.data.sequence_start.tag
            read.isFlow = event.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
        case YAML_MAPPING_START_EVENT:
            refused = event.data.mapping_start.anchor ?? event.data.mapping_start.tag
            read.isFlow = event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            refused = scalar.anchor ?? scalar.tag
            read.isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
            read.text = String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        default: refused = nil
        }
        if refused != nil { throw .anchor(line: read.line) }
        return read
    }

    private var problem: YAMLProblem {
        switch parser.pointee.error {
        case YAML_SCANNER_ERROR, YAML_PARSER_ERROR:
            return .syntax(line: parser.pointee.problem_mark.line + 1, column: parser.pointee.problem_mark.column + 1)
        case YAML_READER_ERROR:
            // libyaml gives a forbidden character's offset in bytes.
            let lines = bytes.prefix(parser.pointee.problem_offset)
                .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            let column = lines.last.map { String(decoding: $0, as: UTF8.self).unicodeScalars.count } ?? 0
            return .syntax(line: lines.count, column: column + 1)
        default: return .notSettings
        }
    }
}

/// Contains positions from one, and of the text only keys.
package enum YAMLProblem: Error, CustomStringConvertible {
    /// - Parameter key: Its value has the error.
    case syntax(line: Int, column: Int, key: String? = nil)
    /// A mapping, or a list with other values than texts: usually JSON without quotes.
    case nested(key: String, line: Int)
    /// The first occurrence's line.
    case repeatedKey(line: Int)
    case anchor(line: Int)
    case tooDeep(line: Int)
    case notSettings

    package var description: String {
        switch self {
        case .syntax(let line, let column, _): "is not valid YAML: see line \(line), column \(column)"
        case .nested(_, let line):
            "is not a text or a list of texts: see line \(line); put JSON in single quotes, or indented below `|`"
        case .repeatedKey(let line): "has a key twice: see the lines from \(line) on"
        case .anchor(let line): "has an anchor, an alias or a tag in line \(line): write the value itself"
        case .tooDeep(let line): "is nested too deeply: see line \(line)"
        case .notSettings: "is not a list of settings: expected lines such as port: 9999"
        }
    }

    package var line: Int? {
        switch self {
        case .syntax(let line, _, _), .nested(_, let line), .repeatedKey(let line), .anchor(let line),
            .tooDeep(let line):
            line
        case .notSettings: nil
        }
    }

    var key: String? {
        switch self {
        case .syntax(_, _, let key): key
        case .nested(let key, _): key
        default: nil
        }
    }

    /// Adds the key if the error is in its value or line.
    fileprivate func naming(_ key: String, if isInside: Bool, line: Int) -> YAMLProblem {
        guard case .syntax(let found, let column, _) = self, isInside || found == line else { return self }
        return .syntax(line: found, column: column, key: key)
    }
}
