import GatehouseWire

/// Tracks other tables' rows as well: their content may look like a heading.
package struct CopyReader {
    package enum Step: Equatable, Sendable {
        case nothing
        case began(table: String)
        case row(table: String, columns: [String], values: [String?])
        case unreadable(reason: String)
    }

    private let wanted: Set<String>
    private var section: (table: String, columns: [String])?
    /// Dumps without their last line; a file may contain several dumps.
    private var unfinished = 0

    /// - Parameter wanted: Table names with schema, such as `auth.users`.
    package init(wanted: Set<String>) { self.wanted = wanted }

    /// Otherwise the dump is incomplete.
    package var isWhole: Bool { section == nil && unfinished <= 0 }

    package mutating func take(_ line: [UInt8]?) -> Step {
        guard let section else { return line.map { between($0) } ?? .nothing }
        if let line, line.elementsEqual("\\.".utf8) {
            self.section = nil
            return .nothing
        }
        guard wanted.contains(section.table) else { return .nothing }
        guard let line else { return .unreadable(reason: "longer than \(LineReader.maximumBytes) bytes") }
        let values = CopyText.values(line)
        guard values.count == section.columns.count else {
            return .unreadable(reason: "not as many values as columns")
        }
        return .row(table: section.table, columns: section.columns, values: values)
    }

    private mutating func between(_ line: [UInt8]) -> Step {
        if line.elementsEqual("-- PostgreSQL database dump".utf8) { unfinished += 1 }
        if line.elementsEqual("-- PostgreSQL database dump complete".utf8) { unfinished -= 1 }
        guard line.starts(with: "COPY ".utf8) else { return .nothing }
        section = CopyText.heading(String(decoding: line, as: UTF8.self))
        guard let section, wanted.contains(section.table) else { return .nothing }
        return .began(table: section.table)
    }
}
