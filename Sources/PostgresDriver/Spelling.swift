import SQLDatabase

/// How PostgreSQL spells what the shared statements leave open.
enum Spelling {
    static func postgres(_ text: String) -> String {
        // Nothing else would tell the server what type such a value has.
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
        // Compared and sorted byte by byte, as SQLite does, whatever the database's own rules are; an index stays
        // right when the system's change.
        case .text: "text COLLATE \"C\""
        case .integer: "bigint"
        case .bytes: "bytea"
        // Not boolean: statements say 0 and 1.
        case .flag: "smallint"
        // Not jsonb: text comes back as it went in.
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
