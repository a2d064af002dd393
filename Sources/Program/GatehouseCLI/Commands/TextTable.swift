import GatehouseWire

struct TextTable {
    private var rows: [[String]]

    init(_ heads: [String]) { rows = [heads.map(\.printable)] }

    mutating func add(_ cells: [String]) { rows.append(cells.map(\.printable)) }

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
