import SQLDatabase

enum Spelling {
    static func postgres(_ text: String) -> String {
        // Nothing else gives the server the type of a value that is only tested for null.
        Placeholders.replaced(
            in: text, value: { number, isTestedForNull in isTestedForNull ? "$\(number)::text" : "$\(number)" },
            type: word, clause: clause)
    }

    private static func word(_ type: ColumnType) -> String {
        switch type {
        case .instant: "timestamptz"
        case .uuid: "uuid"
        // Bytewise, as in SQLite, whatever the database's collation. An update of the system's collations cannot
        // corrupt such an index.
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
