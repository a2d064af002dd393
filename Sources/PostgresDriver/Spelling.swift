import SQLDatabase

/// PostgreSQL's syntax for the placeholders in shared statements.
enum Spelling {
    static func postgres(_ text: String) -> String {
        // Nothing else tells the server the type of such a value.
        var spelled = text.replacing(/\$([0-9]+) IS (NOT )?NULL/) {
            "$\($0.output.1)::text IS \($0.output.2 ?? "")NULL"
        }
        for word in ColumnType.allCases {
            spelled = spelled.replacing("{\(word.rawValue)}", with: Self.word(word))
        }
        for clause in Clause.allCases {
            spelled = spelled.replacing("{\(clause.rawValue)}", with: Self.clause(clause))
        }
        return spelled
    }

    private static func word(_ type: ColumnType) -> String {
        switch type {
        case .instant: "timestamptz"
        case .uuid: "uuid"
        // Compared byte by byte, as in SQLite, whatever the database's collation. An update of the system's collations
        // cannot corrupt such an index.
        case .text: "text COLLATE \"C\""
        case .integer: "bigint"
        case .bytes: "bytea"
        // Not boolean: statements use 0 and 1.
        case .flag: "smallint"
        // Not jsonb: text must be returned unchanged.
        case .json: "json"
        case .table: ""
        }
    }

    private static func clause(_ clause: Clause) -> String {
        switch clause {
        case .skippingLocked: "FOR UPDATE SKIP LOCKED"
        case .ofMany: ""
        }
    }
}
