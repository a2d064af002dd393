import AccountDomain
import GatehouseWire
package import SQLDatabase

/// A value that does not open with the configured secrets.
package struct UnopenedValue: Equatable, Sendable {
    package let kind: SealedKind
    /// The row's primary key; digests in hexadecimal.
    package let key: String
    /// nil if the configuration has a secret with the value's number.
    package let missingSecret: UInt8?
}

package struct SealedCounts: Equatable, Sendable {
    package var current = 0
    /// Open with another configured secret.
    package var older = 0
    package var unopened = 0
    /// Of ``unopened``, at most ``mostExamples``.
    package var examples: [UnopenedValue] = []

    package static let mostExamples = 20

    package init() {}

    package var total: Int { current + older + unopened }
}

package struct ResealedBatch: Sendable {
    /// Values re-encrypted.
    package let resealed: Int
    /// The next batch's start; nil at the end.
    package let last: SQLValue?
}

extension Resealing {
    /// Delays no other transaction noticeably.
    package static let resealedAtOnce = 200

    /// Opens every value, in batches.
    package func sealedCounts(of kind: SealedKind) async throws -> SealedCounts {
        var (counts, last) = (SealedCounts(), SQLValue?.none)
        repeat {
            let rows = try await sealedRows(of: kind, after: last, limit: Self.resealedAtOnce)
            for row in rows { count(row, kind, in: &counts) }
            last = rows.count < Self.resealedAtOnce ? nil : rows.last?.key
        } while last != nil
        return counts
    }

    private func count(_ row: SealedRow, _ kind: SealedKind, in counts: inout SealedCounts) {
        let missing: UInt8?
        switch secrets.state(of: row.bytes, name: row.name) {
        case .current:
            counts.current += 1
            return
        case .older:
            counts.older += 1
            return
        case .missing(let number): missing = number
        case .damaged: missing = nil
        }
        counts.unopened += 1
        guard counts.examples.count < SealedCounts.mostExamples else { return }
        counts.examples.append(UnopenedValue(kind: kind, key: row.key.shown, missingSecret: missing))
    }

    /// Re-encrypts every value with the first secret, in batches. Servers may run if all of them have that secret.
    /// After an interruption or error, call it again.
    ///
    /// - Returns: The number of values. Those that do not open stay as they are.
    package func reseal(_ kind: SealedKind) async throws -> Int {
        var (count, last) = (0, SQLValue?.none)
        repeat {
            let batch = try await reseal(kind, after: last, limit: Self.resealedAtOnce)
            count += batch.resealed
            last = batch.last
        } while last != nil
        return count
    }

    /// Re-encrypts one batch. Keeps a value that a server has changed since it was read.
    ///
    /// - Parameter last: The previous batch's end.
    package func reseal(_ kind: SealedKind, after last: SQLValue?, limit: Int) async throws -> ResealedBatch {
        let rows = try await sealedRows(of: kind, after: last, limit: limit)
        // Sealed before the transaction, which may run again.
        let changes: [(row: SealedRow, fresh: [UInt8])] = try rows.compactMap { row in
            guard case .older(let content) = secrets.state(of: row.bytes, name: row.name) else { return nil }
            return (row, try secrets.seal(content, name: row.name, nonce: randomBytes(12)))
        }
        let end = rows.count < limit ? nil : rows.last?.key
        if changes.isEmpty { return ResealedBatch(resealed: 0, last: end) }
        let resealed = try await database.writeCommitted { db in
            try changes.reduce(0) { $0 + (try db.run(Self.replacement(of: $1.row, by: $1.fresh, kind))) }
        }
        return ResealedBatch(resealed: resealed, last: end)
    }

    private func sealedRows(of kind: SealedKind, after last: SQLValue?, limit: Int) async throws -> [SealedRow] {
        try await database.rows(Self.sealedPage(of: kind, after: last, limit: limit)) { kind.row(&$0) }
    }

    private static func sealedPage(of kind: SealedKind, after last: SQLValue?, limit: Int) -> SQL {
        let (column, name): (SealedKind.Column, SQL) = (kind.column, kind == .providerTask ? ", sealed_name" : "")
        // Two statements: a single one with "or `last` is null" would scan from the beginning for each page.
        let rest: SQL = last.map { "AND \(columns: column.key) > \($0)" } ?? ""
        return """
            SELECT \(columns: column.key), \(columns: column.sealed)\(name) FROM \(columns: column.table)
            WHERE \(columns: column.sealed) IS NOT NULL \(rest) ORDER BY \(columns: column.key) LIMIT \(limit)
            """
    }

    private static func replacement(of row: SealedRow, by fresh: [UInt8], _ kind: SealedKind) -> SQL {
        let column = kind.column
        return """
            UPDATE \(columns: column.table) SET \(columns: column.sealed) = \(fresh)
            WHERE \(columns: column.key) = \(row.key) AND \(columns: column.sealed) = \(row.bytes)
            """
    }
}

extension SQLValue {
    fileprivate var shown: String {
        switch self {
        case .text(let text): text
        case .int(let number): String(number)
        case .bytes(let bytes): bytes.hexadecimal
        case .null, .instant: ""
        }
    }
}
