/// Columns as wide as their longest cell, two blanks apart.
struct TextTable {
    private var rows: [[String]]

    init(_ heads: [String]) { rows = [heads] }

    /// Control characters in a cell become `?`: an address from outside must not move the cursor.
    mutating func add(_ cells: [String]) {
        rows.append(
            cells.map { cell in
                String(cell.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
            })
    }

    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - cell.count + 2) }
            }
            return line + "\n"
        }.joined()
    }
}
