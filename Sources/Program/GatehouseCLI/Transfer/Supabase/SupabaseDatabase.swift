import GatehouseWire
import PostgresDriver
import SQLDatabase

/// Read in one snapshot that does not block writers, and in a second one after a lost connection.
final class SupabaseDatabase: SupabaseSource {
    private static let pageSize = 200
    /// For reading a page, and for the previous one's consumer.
    private static let limit: Duration = .seconds(600)

    let total: Int
    let notes: [SupabaseAccount.Note] = []
    private let database: PostgresDatabase
    private let queue = PageQueue()
    private let reader: Task<Void, Never>

    /// - Throws: ``DatabaseFailure``, or ``CommandFailure`` if it is not a Supabase database.
    init(_ url: String) async throws {
        var settings = PostgresSettings()
        settings.connections = 1
        settings.statementLimit = Self.limit
        settings.waitLimit = .seconds(30)
        database = try PostgresDatabase(ConnectionURL(url), settings: settings, uptime: System.uptime)
        let tables = try await SupabaseTables(in: database)
        total = try await database.read { db in
            try db.run("SET LOCAL row_security = off")
            return try db.row("SELECT count(*) FROM auth.users") { Int($0.int()) } ?? 0
        }
        let (database, queue) = (database, queue)
        reader = Task.detached {
            do {
                try await database.read { db in try Self.read(tables, into: queue, db) }
                queue.finish(nil)
            } catch {
                queue.finish(error)
            }
        }
    }

    deinit {
        queue.close()
        database.close()
    }

    func next() async throws -> [SupabaseRow]? { try await queue.take() }

    /// May run again after a lost connection: continues after the last page handed over.
    private static func read(_ tables: SupabaseTables, into queue: PageQueue, _ db: any Connection) throws {
        // A policy that hides rows must cause an error, not an incomplete import.
        try db.run("SET LOCAL row_security = off")
        while true {
            let page = try db.rows(tables.page(after: queue.last, limit: pageSize)) { row in
                SupabaseRow(id: row.text(), text: Array(row.text().utf8))
            }
            if page.isEmpty { return }
            guard queue.give(page) else { throw CancellationError() }
        }
    }
}

/// Older versions lack some tables.
private struct SupabaseTables: Sendable {
    private let head: String

    init(in database: PostgresDatabase) async throws {
        let found = try await database.read { db in
            try db.rows(
                """
                SELECT name FROM (VALUES ('auth.users'), ('auth.identities'), ('auth.sessions'),
                    ('auth.refresh_tokens'), ('auth.mfa_amr_claims'), ('auth.mfa_factors'),
                    ('auth.webauthn_credentials')) AS wanted (name)
                WHERE to_regclass(name) IS NOT NULL
                UNION ALL SELECT 'public.profiles' FROM pg_attribute
                WHERE attrelid = to_regclass('public.profiles') AND attname = 'id' AND atttypid = 'uuid'::regtype
                """
            ) { $0.text() }
        }
        guard found.contains("auth.users"), found.contains("auth.identities") else {
            throw CommandFailure("The database has no tables auth.users and auth.identities.")
        }
        head = Self.head(Set(found))
    }

    private static func head(_ tables: Set<String>) -> String {
        func part(_ name: String, _ needed: [String], _ query: String) -> String {
            Set(needed).isSubset(of: tables) ? ", '\(name)', (\(query))" : ""
        }
        let sessions = ["auth.sessions", "auth.refresh_tokens"]
        return "SELECT u.id::text, json_build_object('user', row_to_json(u)"
            + part(
                "identities", [],
                "SELECT coalesce(json_agg(row_to_json(i)), '[]') FROM auth.identities i WHERE i.user_id = u.id")
            + part("sessions", sessions, "SELECT json_agg(row_to_json(s)) FROM auth.sessions s WHERE s.user_id = u.id")
            + part(
                "tokens", sessions,
                """
                SELECT json_agg(row_to_json(t)) FROM auth.sessions s CROSS JOIN LATERAL (
                    SELECT * FROM auth.refresh_tokens WHERE session_id = s.id ORDER BY id DESC LIMIT 20) t
                WHERE s.user_id = u.id
                """)
            + part(
                "claims", sessions + ["auth.mfa_amr_claims"],
                """
                SELECT json_agg(row_to_json(c)) FROM auth.mfa_amr_claims c JOIN auth.sessions s ON s.id = c.session_id
                WHERE s.user_id = u.id
                """)
            + part(
                "factors", ["auth.mfa_factors"],
                """
                SELECT json_agg(row_to_json(f)) FROM auth.mfa_factors f
                WHERE f.user_id = u.id AND f.status::text = 'verified'
                """)
            + part(
                "passkeys", ["auth.webauthn_credentials"],
                "SELECT json_agg(row_to_json(c)) FROM auth.webauthn_credentials c WHERE c.user_id = u.id")
            + part(
                "profile", ["public.profiles"],
                "SELECT row_to_json(p) FROM public.profiles p WHERE p.id = u.id")
            + ")::text FROM auth.users u"
    }

    func page(after last: String?, limit: Int) -> SQL {
        let head = SQL(stringLiteral: head)
        guard let last else { return "\(head) ORDER BY u.id LIMIT \(limit)" }
        return "\(head) WHERE u.id > \(last)::uuid ORDER BY u.id LIMIT \(limit)"
    }
}
