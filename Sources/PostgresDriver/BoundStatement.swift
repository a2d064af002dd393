import SQLDatabase

/// A statement with its values in the server's form.
struct BoundStatement {
    /// As the caller wrote it.
    private let text: String
    let values: BoundValues
    /// Whether each value is an array, one of the values of each caller.
    private let isShared: Bool

    /// - Throws: ``ConstraintViolation`` for a value that cannot be sent.
    init(_ statement: SQL) throws {
        text = statement.text
        values = try BoundValues(statement.values)
        isShared = false
    }

    /// One statement for several callers at once: their values stand beside its tables as `asked`, a row for each.
    ///
    /// - Parameter statements: Of one text, which says ``Clause/ofMany``; one at least.
    /// - Throws: As ``init(_:)``.
    init(shared statements: [SQL]) throws {
        text = statements[0].text
        let numbers = statements.indices.map { SQLValue.int(Int64($0)) }
        let columns = statements[0].values.indices.map { column in statements.map { $0.values[column] } }
        values = try BoundValues(columns: [numbers] + columns)
        isShared = true
    }

    /// One preparation serves those of one key.
    var key: String { values.signature + " " + text }

    /// What the server prepares.
    var spelled: String { Spelling.postgres(isShared ? shared : text) }

    /// Gives the caller's number with each row: of a change as its only column, of a query as the first.
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
                // A column of nothing but nulls has no type.
                Int(place.output.1).map { values.isNull($0) ? "NULL" : Self.name($0) } ?? ""
            }
            .replacing("{\(Clause.ofMany.rawValue)}", with: asked)
        return verb == "SELECT" ? body : body + " RETURNING \(Self.name(0))"
    }

    /// How a session plans what is shared: rows are looked up, though the table is small today, and one plan serves
    /// batches of any size. Otherwise nearly every batch is planned anew, because the planner takes an array that it does
    /// not know for ten values.
    static let settings = [
        "enable_hashjoin": "off", "enable_mergejoin": "off", "enable_material": "off",
        "plan_cache_mode": "force_generic_plan",
    ]

    /// For plan tests: what makes the server tell how it runs what is shared, whatever the values are.
    var explanation: (preparation: String, question: String) {
        let types = values.types.map { ColumnOID.arrays[$0] ?? "" }.joined(separator: ", ")
        let nulls = values.types.map { _ in "NULL" }.joined(separator: ", ")
        return ("PREPARE planned (\(types)) AS \(spelled)", "EXPLAIN (COSTS OFF) EXECUTE planned (\(nulls))")
    }

    private func parameter(_ column: Int) -> String {
        // Compared as the tables' texts are, see ``Spelling``.
        values.types[column] == ColumnOID.texts ? "$\(column + 1) COLLATE \"C\"" : "$\(column + 1)"
    }

    /// Of no column of a table.
    private static func name(_ column: Int) -> String { "asked_\(column)" }
}

/// The rows of an answer that are one caller's.
struct SharedRows: Sendable {
    private let result: PostgresResult
    private var rows: [Int32] = []

    private init(_ result: PostgresResult) { self.result = result }

    /// - Parameter answers: What the server said to two statements as ``BoundStatement/spelled``.
    /// - Returns: For each caller, how many rows the first changed and those that the second found.
    static func dealt(_ answers: [PostgresResult], among callers: Int) -> [(Int, SharedRows)] {
        var dealt = Array(repeating: (0, SharedRows(answers[1])), count: callers)
        for row in 0..<answers[0].rowCount { dealt[answers[0].number(row)].0 += 1 }
        for row in 0..<answers[1].rowCount { dealt[answers[1].number(row)].1.rows.append(Int32(row)) }
        return dealt
    }

    func map<Value>(_ decode: (any Row) throws -> Value) throws -> [Value] {
        try rows.map { try decode(PostgresRow(result: result, row: $0, firstColumn: 1)) }
    }
}

extension PostgresResult {
    /// Whose row it is.
    fileprivate func number(_ row: Int) -> Int { Int(PostgresRow(result: self, row: Int32(row)).int(0)) }
}

extension SQL {
    /// Whether several callers can share it.
    var isOfMany: Bool { text.contains("{\(Clause.ofMany.rawValue)}") }
}
