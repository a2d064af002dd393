import SQLDatabase

/// Declared once for the `SELECT` list and for decoding a row.
struct Columns<Record: Sendable>: Sendable {
    struct Column: Sendable {
        let name: String
        let read: @Sendable (_ record: inout Record, _ row: inout Row) -> Void

        init(_ name: String, read: @escaping @Sendable (_ record: inout Record, _ row: inout Row) -> Void) {
            (self.name, self.read) = (name, read)
        }
    }

    /// Such as `users.id, users.aud`.
    let list: String
    private let columns: [Column]
    private let blank: Record

    init(of table: String, from blank: Record, _ columns: [Column]) {
        list = columns.map { "\(table).\($0.name)" }.joined(separator: ", ")
        (self.blank, self.columns) = (blank, columns)
    }

    var count: Int { columns.count }

    func read(_ row: inout Row) -> Record {
        var record = blank
        for column in columns { column.read(&record, &row) }
        return record
    }

    /// For a row whose first column was already read.
    func read(_ row: inout Row, after first: (inout Record) -> Void) -> Record {
        var record = blank
        first(&record)
        for column in columns.dropFirst() { column.read(&record, &row) }
        return record
    }
}

extension SQL.StringInterpolation {
    mutating func appendInterpolation<Record>(columns: Columns<Record>) { appendLiteral(columns.list) }
}
