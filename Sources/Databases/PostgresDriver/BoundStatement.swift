import SQLDatabase

struct BoundStatement {
    private let text: String
    let values: BoundValues
    /// Each value is an array with one element per caller.
    private let isShared: Bool

    init(_ statement: SQL) throws {
        text = statement.text
        values = try BoundValues(statement.values)
        isShared = false
    }

    /// Joins several callers' values as a table `asked` with one row per caller.
    ///
    /// - Parameter statements: At least one; all have the same text, which contains ``Clause/ofMany``.
    init(shared statements: [SQL]) throws {
        text = statements[0].text
        let numbers = statements.indices.map { SQLValue.int(Int64($0)) }
        let columns = statements[0].values.indices.map { column in statements.map { $0.values[column] } }
        values = try BoundValues(columns: [numbers] + columns)
        isShared = true
    }

    /// A prepared statement's.
    var key: String { values.signature + " " + text }

    var spelled: String { Spelling.postgres(isShared ? shared : text) }

    /// Adds the caller's number to each row: as a change's only column, or a query's first.
    private var shared: String {
        let verb = text.prefix { !$0.isWhitespace }
        let (link, head) =
            switch verb {
            case "SELECT": ("CROSS JOIN", "SELECT \(Self.name(0)),")
            case "DELETE": ("USING", "DELETE")
            default: ("FROM", String(verb))
            }
        let (parameters, names) = (values.types.indices.map(parameter), values.types.indices.map(Self.name))
        let asked =
            "\(link) unnest(\(parameters.joined(separator: ", "))) AS asked (\(names.joined(separator: ", ")))"
        let body = (head + text.dropFirst(verb.count))
            .replacing(/\$([0-9]+)/) { place in
                // A column with only nulls has no type.
                Int(place.output.1).map { values.isNull($0) ? "NULL" : Self.name($0) } ?? ""
            }
            .replacing("{\(Clause.ofMany.rawValue)}", with: asked)
        return verb == "SELECT" ? body : body + " RETURNING \(Self.name(0))"
    }

    /// Use indexes even while a table is small, and one plan for batches of any size: the planner would replan almost
    /// every batch, because it assumes ten elements for an unknown array.
    static let settings = [
        "enable_hashjoin": "off", "enable_mergejoin": "off", "enable_material": "off",
        "plan_cache_mode": "force_generic_plan",
    ]

    /// For plan tests, independent of the values.
    var explanation: (preparation: String, question: String) {
        let types = values.types.map { ColumnOID.arrays[$0] ?? "" }.joined(separator: ", ")
        let nulls = values.types.map { _ in "NULL" }.joined(separator: ", ")
        return ("PREPARE planned (\(types)) AS \(spelled)", "EXPLAIN (COSTS OFF) EXECUTE planned (\(nulls))")
    }

    private func parameter(_ column: Int) -> String {
        // Compared like the tables' text columns; see ``Spelling``.
        values.types[column] == ColumnOID.texts ? "$\(column + 1) COLLATE \"C\"" : "$\(column + 1)"
    }

    private static func name(_ column: Int) -> String { "asked_\(column)" }
}

struct SharedRows: Sendable {
    private let result: PostgresResult
    private var rows: [Int32] = []

    private init(_ result: PostgresResult) { self.result = result }

    /// - Parameter answers: Results of a change and a query in the form of ``BoundStatement/spelled``.
    /// - Returns: Each caller's number of changed rows, and the rows found.
    static func dealt(_ answers: [PostgresResult], among callers: Int) -> [(Int, SharedRows)] {
        var dealt = Array(repeating: (0, SharedRows(answers[1])), count: callers)
        for row in 0..<answers[0].rowCount { dealt[answers[0].number(row)].0 += 1 }
        for row in 0..<answers[1].rowCount { dealt[answers[1].number(row)].1.rows.append(Int32(row)) }
        return dealt
    }

    func map<Value>(_ decode: (inout Row) throws -> Value) throws -> [Value] {
        try rows.map { try PostgresRow(result: result, row: $0, firstColumn: 1).read(decode) }
    }
}

extension PostgresResult {
    /// The caller's.
    fileprivate func number(_ row: Int) -> Int { Int(PostgresRow(result: self, row: Int32(row)).int(0)) }
}

extension SQL {
    var isOfMany: Bool { text.contains("{\(Clause.ofMany.rawValue)}") }
}
