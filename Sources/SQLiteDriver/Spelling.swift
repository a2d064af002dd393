import SQLDatabase

/// How SQLite spells what the shared statements leave open.
enum Spelling {
    /// `$N` becomes `?N`: SQLite would read `$2` as a name and number it by first appearance.
    static func sqlite(_ text: String) -> String {
        var spelled = text.replacing(/\$([0-9]+)/) { "?\($0.output.1)" }
        for word in ColumnType.allCases {
            spelled = spelled.replacing("{\(word.rawValue)}", with: Self.word(word))
        }
        for clause in Clause.allCases {
            spelled = spelled.replacing("{\(clause.rawValue)}", with: Self.clause(clause))
        }
        return spelled
    }

    // A STRICT table takes INTEGER, TEXT and BLOB and refuses a value of another type.
    private static func word(_ type: ColumnType) -> String {
        switch type {
        case .instant, .integer, .flag: "INTEGER"
        case .uuid, .text, .json: "TEXT"
        case .bytes: "BLOB"
        case .table: "STRICT"
        }
    }

    private static func clause(_ clause: Clause) -> String {
        switch clause {
        // One writer at a time: no row is locked, and a statement is one caller's.
        case .skippingLocked, .ofMany: ""
        }
    }
}
