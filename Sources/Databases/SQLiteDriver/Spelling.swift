import SQLDatabase

enum Spelling {
    /// Replaces `$N` by `?N`: SQLite would treat `$2` as a name and number it by first appearance.
    static func sqlite(_ text: String) -> String {
        Placeholders.replaced(in: text, value: { number, _ in "?\(number)" }, type: word, clause: clause)
    }

    // A STRICT table has INTEGER, TEXT and BLOB columns and refuses values of other types.
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
        // With a single writer no row is locked, and statements are not shared.
        case .skippingLocked, .ofMany: ""
        }
    }
}
