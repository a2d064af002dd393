import CYAML
import GatehouseWire

/// A YAML value and its place. Every scalar is text, as for ``YAMLReader``, which also limits what is accepted.
package struct YAMLNode: Sendable {
    package enum Content: Sendable {
        /// - Parameter isPlain: Without quotes.
        case text(String, isPlain: Bool)
        case list([YAMLNode])
        case mapping([(key: YAMLNode, value: YAMLNode)])
    }

    package let content: Content
    /// From one.
    package let line: Int
    let column: Int
    /// Exclusive, and from one.
    let endLine, endColumn: Int
    /// A mapping or list in brackets.
    let isFlow: Bool

    package var text: String? { if case .text(let text, _) = content { text } else { nil } }

    static let deepest = 12

    /// - Returns: A mapping.
    package static func read(_ text: String) throws(YAMLProblem) -> YAMLNode {
        try YAMLReader.reading(text) { reader throws(YAMLProblem) in
            for expected in [YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT] {
                guard try reader.next().type == expected else { throw .notSettings }
            }
            let start = try reader.next()
            guard start.type == YAML_MAPPING_START_EVENT else { throw .notSettings }
            let node = try reader.node(start, depth: 0)
            // The end of the document; nothing else may follow.
            _ = try reader.next()
            let event = try reader.next()
            guard event.type == YAML_STREAM_END_EVENT else { throw .syntax(line: event.line, column: event.column) }
            return node
        }
    }
}

extension YAMLReader {
    fileprivate func node(_ event: Event, depth: Int) throws(YAMLProblem) -> YAMLNode {
        guard depth <= YAMLNode.deepest else { throw .tooDeep(line: event.line) }
        switch event.type {
        case YAML_SCALAR_EVENT:
            let content = YAMLNode.Content.text(try event.requiredText(), isPlain: event.isPlain)
            return YAMLNode(content, from: event, to: (event.endLine, event.endColumn))
        case YAML_SEQUENCE_START_EVENT:
            var (nodes, next): ([YAMLNode], Event) = ([], try next())
            while next.type != YAML_SEQUENCE_END_EVENT {
                nodes.append(try node(next, depth: depth + 1))
                next = try self.next()
            }
            return YAMLNode(.list(nodes), from: event, to: end(of: event, at: next, after: nodes.last))
        case YAML_MAPPING_START_EVENT:
            var (pairs, next): ([(key: YAMLNode, value: YAMLNode)], Event) = ([], try next())
            var lines: [ExternalName: Int] = [:]
            while next.type != YAML_MAPPING_END_EVENT {
                let key = ExternalName(trusted: try next.requiredText())
                if let line = lines.updateValue(next.line, forKey: key) { throw .repeatedKey(line: line) }
                let keyNode = try node(next, depth: depth + 1)
                pairs.append((keyNode, try node(try self.next(), depth: depth + 1)))
                next = try self.next()
            }
            return YAMLNode(.mapping(pairs), from: event, to: end(of: event, at: next, after: pairs.last?.value))
        default: throw .notSettings
        }
    }

    /// libyaml ends a list or mapping without brackets where the next value begins.
    private func end(of start: Event, at end: Event, after last: YAMLNode?) -> (Int, Int) {
        guard !start.isFlow, let last else { return (end.endLine, end.endColumn) }
        return (last.endLine, last.endColumn)
    }
}

extension YAMLNode {
    fileprivate init(_ content: Content, from start: YAMLReader.Event, to end: (line: Int, column: Int)) {
        self.init(
            content: content, line: start.line, column: start.column, endLine: end.line, endColumn: end.column,
            isFlow: start.isFlow)
    }
}
