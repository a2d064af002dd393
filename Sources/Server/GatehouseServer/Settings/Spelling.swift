import GatehouseWire

package enum Spelling {
    /// `; did you mean X?`, or empty if no word is close.
    package static func hint(_ word: String, known: [String]) -> String {
        let nearest = known.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, word.count / 5) else { return "" }
        return "; did you mean \(nearest.word)?"
    }

    /// The Levenshtein distance.
    static func distance(_ left: String, _ right: String) -> Int {
        let right = Array(right)
        var row = Array(0...right.count)
        for (line, letter) in left.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in right.indices {
                let change = diagonal + (letter == right[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, diagonal + 1, row[column] + 1)
            }
        }
        return row[right.count]
    }
}
