import GatehouseWire
import SQLDatabase
import SQLiteDriver

/// A plain `pg_dump` of the schema `auth`, and of `public.profiles` if it exists. Dumps group rows by table, not by
/// account, so the rows pass through a temporary database.
final class SupabaseDump: SupabaseSource {
    private static let pageSize = 200
    private static let batchSize = 500

    let total: Int
    let notes: [SupabaseAccount.Note]
    private let tables: Set<String>
    private let rows: SQLiteDatabase
    private let position = Position()

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

    /// - Throws: ``CommandFailure`` if it contains no accounts or is incomplete.
    init(_ path: String) async throws {
        // An empty path creates a temporary database that is deleted with the process. It exists in a single
        // connection, so reads go through the writer.
        rows = try SQLiteDatabase(path: "", uptime: System.uptime)
        _ = try await rows.write { db in
            try db.run("CREATE TABLE staged (kind TEXT, key TEXT, owner TEXT, row TEXT) STRICT")
        }
        (tables, notes) = try await Self.stage(path, in: rows)
        guard tables.contains("auth.users"), tables.contains("auth.identities") else {
            throw CommandFailure(
                "The file has no rows `COPY auth.users` and `COPY auth.identities`. Create it with "
                    + "pg_dump --data-only --schema=auth, without --inserts, or with "
                    + "supabase db dump --data-only --schema auth --use-copy.")
        }
        total = try await rows.write { db in
            try db.run("CREATE INDEX staged_by_owner ON staged (kind, owner)")
            return try db.row("SELECT count(*) FROM staged WHERE kind = 'auth.users'") { Int($0.int()) } ?? 0
        }
    }

    /// By table.
    private static let owners = [
        "auth.users": "id", "auth.identities": "user_id", "auth.sessions": "user_id",
        "auth.refresh_tokens": "session_id", "auth.mfa_amr_claims": "session_id", "auth.mfa_factors": "user_id",
        "auth.webauthn_credentials": "user_id", "public.profiles": "id",
    ]

    private static func stage(
        _ path: String, in rows: SQLiteDatabase
    ) async throws -> (Set<String>, [SupabaseAccount.Note]) {
        var lines = try LineReader(path)
        var reader = CopyReader(wanted: Set(owners.keys))
        var (tables, batch, notes): (Set<String>, [Staged], [SupabaseAccount.Note]) = ([], [], [])
        while let line = try lines.next() {
            if line.number == 1, let form = DumpForm(line.bytes) { throw CommandFailure(form.advice) }
            switch reader.take(line.bytes) {
            case .nothing: break
            case .began(let table): tables.insert(table)
            case .row(let table, let columns, let values):
                if let row = staged(table, CopyText.object(columns, values)) { batch.append(row) }
            case .unreadable(let reason):
                notes.append(.init(remark: .rowUnreadable, detail: "line \(line.number): \(reason)"))
            }
            if batch.count == batchSize {
                try await keep(batch, in: rows)
                batch = []
            }
        }
        guard reader.isWhole else {
            throw CommandFailure("The file ends too early, so it is incomplete. Nothing was imported.")
        }
        try await keep(batch, in: rows)
        return (tables, notes)
    }

    /// - Returns: nil for a row without an owner.
    private static func staged(_ table: String, _ row: AuthJSON) -> Staged? {
        guard let owner = owners[table].flatMap({ row[$0]?.stringValue }) else { return nil }
        return Staged(table: table, key: row["id"]?.stringValue ?? "", owner: owner, text: row.text)
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
        let page = try await rows.write { db in
            try db.rows(
                """
                SELECT owner, row FROM staged WHERE kind = 'auth.users' AND owner > \(last)
                ORDER BY owner LIMIT \(Self.pageSize)
                """
            ) { (id: $0.text(), row: $0.text()) }
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
                ($0.text(), $0.text())
            }
        }
        func array(_ rows: [(key: String, text: String)]) -> String {
            "[" + rows.map(\.text).joined(separator: ",") + "]"
        }
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        writer.member("user", json: user)
        writer.member("identities", json: array(try rows("auth.identities", of: id)))
        if tables.isSuperset(of: ["auth.sessions", "auth.refresh_tokens"]) {
            let sessions = try rows("auth.sessions", of: id)
            writer.member("sessions", json: array(sessions))
            for (name, table) in [("tokens", "auth.refresh_tokens"), ("claims", "auth.mfa_amr_claims")] {
                let belonging = try sessions.flatMap { try rows(table, of: $0.key) }
                if name == "tokens" { writer.member("tokens", json: array(belonging)) }
                if name == "claims" { writer.member("claims", json: array(belonging)) }
            }
        }
        writer.member("factors", json: array(try rows("auth.mfa_factors", of: id)))
        writer.member("passkeys", json: array(try rows("auth.webauthn_credentials", of: id)))
        if let profile = try rows("public.profiles", of: id).first { writer.member("profile", json: profile.text) }
        writer.endObject()
        return writer.bytes
    }
}

/// A dump to convert to plain text first.
enum DumpForm: Equatable {
    case gzip, custom, tar

    init?(_ line: [UInt8]?) {
        guard let line else { return nil }
        if line.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if line.starts(with: "PGDMP".utf8) {
            self = .custom
        } else if line.starts(with: "toc.dat\0".utf8) {
            self = .tar
        } else {
            return nil
        }
    }

    var advice: String {
        switch self {
        case .gzip:
            "The file is compressed with gzip. Pass the dump itself: gunzip --stdout FILE | gatehouse import supabase --dump -"
        case .custom, .tar:
            "The file is a dump in pg_dump's \(self == .tar ? "tar" : "custom") format. Convert it to plain text: "
                + "pg_restore --data-only --schema=auth --file=dump.sql FILE"
        }
    }
}
