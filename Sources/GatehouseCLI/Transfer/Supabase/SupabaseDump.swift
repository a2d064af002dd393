import Foundation
import GatehouseWire
import SQLDatabase
import SQLiteDriver

/// A plain `pg_dump` of the schema `auth`, and of `public.profiles` where there is one. Its rows lie by table; they are
/// put into a file of the temporary folder first, where they are found by account. The file goes at the end.
final class SupabaseDump: SupabaseSource {
    private static let pageSize = 200
    private static let batchSize = 500

    let total: Int
    /// Which tables the dump has.
    private let tables: Set<String>
    private let folder: URL
    private let rows: SQLiteDatabase
    private let position = Position()

    /// Where the next page begins; pages are asked for one after the other.
    private actor Position {
        var last = ""
        func move(to id: String) { last = id }
    }

    private struct Staged: Sendable {
        let table: String
        let key: String
        let owner: String
        let text: String
    }

    /// - Parameter note: Is told what could not be read.
    /// - Throws: ``CommandFailure`` when it has no accounts.
    init(_ path: String, note: (String) -> Void) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "gatehouse-import-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do {
            rows = try SQLiteDatabase(path: folder.appending(path: "rows.sqlite").path(), uptime: System.uptime) { _ in
            }
            _ = try await rows.write { db in
                try db.run("CREATE TABLE staged (kind TEXT, key TEXT, owner TEXT, row TEXT) STRICT")
            }
            tables = try await Self.stage(path, in: rows, note: note)
            guard tables.contains("auth.users"), tables.contains("auth.identities") else {
                throw CommandFailure(
                    "The file has no rows `COPY auth.users` and `COPY auth.identities`: make it with "
                        + "pg_dump --data-only --schema=auth --table=public.profiles, without --inserts.")
            }
            total = try await rows.write { db in
                try db.run("CREATE INDEX staged_by_owner ON staged (kind, owner)")
                return try db.row("SELECT count(*) FROM staged WHERE kind = 'auth.users'") { Int($0.int(0)) } ?? 0
            }
        } catch {
            // What is lost: that the folder cannot be removed; the error before it is what counts.
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        // What is lost: a folder in the system's temporary one.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Who a row belongs to, by table.
    private static let owners = [
        "auth.users": "id", "auth.identities": "user_id", "auth.sessions": "user_id",
        "auth.refresh_tokens": "session_id", "auth.mfa_amr_claims": "session_id", "auth.mfa_factors": "user_id",
        "public.profiles": "id",
    ]

    private static func stage(
        _ path: String, in rows: SQLiteDatabase, note: (String) -> Void
    ) async throws -> Set<String> {
        var reader = try LineReader(path)
        var current: (table: String, columns: [String], owner: String)?
        var (tables, batch): (Set<String>, [Staged]) = ([], [])
        while let line = try reader.next() {
            guard let bytes = line.bytes else {
                note("line \(line.number): longer than \(LineReader.maximumBytes) bytes, left out")
                continue
            }
            guard let (table, columns, owner) = current else {
                let heading =
                    bytes.starts(with: "COPY ".utf8) ? CopyText.heading(String(decoding: bytes, as: UTF8.self)) : nil
                if let heading, let owner = owners[heading.table] {
                    current = (heading.table, heading.columns, owner)
                    tables.insert(heading.table)
                }
                continue
            }
            if bytes.elementsEqual("\\.".utf8) {
                current = nil
                continue
            }
            let values = CopyText.values(bytes)
            guard values.count == columns.count else {
                note("line \(line.number): not as many values as columns, left out")
                continue
            }
            let row = CopyText.object(columns, values)
            guard let owner = row[owner]?.stringValue else { continue }
            batch.append(Staged(table: table, key: row["id"]?.stringValue ?? "", owner: owner, text: row.text))
            if batch.count == batchSize {
                try await keep(batch, in: rows)
                batch = []
            }
        }
        try await keep(batch, in: rows)
        return tables
    }

    private static func keep(_ batch: [Staged], in rows: SQLiteDatabase) async throws {
        try await rows.write { db in
            for row in batch {
                try db.run(
                    """
                    INSERT INTO staged (kind, key, owner, row)
                    VALUES (\(row.table), \(row.key), \(row.owner), \(row.text))
                    """)
            }
        }
    }

    func next() async throws -> [SupabaseRow]? {
        let (last, tables) = (await position.last, tables)
        let page = try await rows.read { db in
            try db.rows(
                """
                SELECT owner, row FROM staged WHERE kind = 'auth.users' AND owner > \(last)
                ORDER BY owner LIMIT \(Self.pageSize)
                """
            ) { (id: $0.text(0), row: $0.text(1)) }
            .map { try SupabaseRow(id: $0.id, text: Self.whole($0.id, $0.row, tables, db)) }
        }
        guard let end = page.last else { return nil }
        await position.move(to: end.id)
        return page
    }

    private static func whole(
        _ id: String, _ user: String, _ tables: Set<String>, _ db: any Connection
    ) throws -> [UInt8] {
        func rows(_ table: String, of owner: String) throws -> [(key: String, text: String)] {
            try db.rows("SELECT key, row FROM staged WHERE kind = \(table) AND owner = \(owner)") {
                ($0.text(0), $0.text(1))
            }
        }
        func array(_ rows: [(key: String, text: String)]) -> String {
            "[" + rows.map(\.text).joined(separator: ",") + "]"
        }
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        writer.member("user", json: user)
        let identities = try rows("auth.identities", of: id)
        if !identities.isEmpty { writer.member("identities", json: array(identities)) }
        if tables.isSuperset(of: ["auth.sessions", "auth.refresh_tokens"]) {
            let sessions = try rows("auth.sessions", of: id)
            writer.member("sessions", json: array(sessions))
            for (name, table) in [("tokens", "auth.refresh_tokens"), ("claims", "auth.mfa_amr_claims")] {
                let belonging = try sessions.flatMap { try rows(table, of: $0.key) }
                if name == "tokens" { writer.member("tokens", json: array(belonging)) }
                if name == "claims" { writer.member("claims", json: array(belonging)) }
            }
        }
        let factors = try rows("auth.mfa_factors", of: id).filter { $0.text.contains("\"status\":\"verified\"") }
        writer.member("factors", Int64(factors.count))
        if let profile = try rows("public.profiles", of: id).first { writer.member("profile", json: profile.text) }
        writer.endObject()
        return writer.bytes
    }
}
