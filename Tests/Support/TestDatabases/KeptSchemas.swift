import SQLDatabase
import Synchronization

/// Migrated schemas for later tests: the migrations take longer than most tests. Drops a schema whose definitions a
/// test has changed.
final class KeptSchemas: Sendable {
    struct Schema: Sendable {
        let name: String
        /// Every later change of a definition gives another value.
        fileprivate let definitions: String
    }

    /// First in, first out: remaining writers to a schema have time to end.
    private let free = Mutex<[Schema]>([])

    func take() -> Schema? { free.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    func note(_ name: String, in cluster: TestCluster) async throws -> Schema {
        try await Schema(name: name, definitions: definitions(of: name, in: cluster))
    }

    /// Deletes all rows.
    ///
    /// - Returns: false if the schema is not kept.
    func giveBack(_ schema: Schema, in cluster: TestCluster) async -> Bool {
        do {
            guard try await definitions(of: schema.name, in: cluster) == schema.definitions else { return false }
            try await cluster.administer(Self.deletion(of: schema.name))
        } catch {
            return false
        }
        free.withLock { $0.append(schema) }
        return true
    }

    /// Without foreign keys and triggers, so in any order.
    private static func deletion(of schema: String) -> String {
        """
        DO LANGUAGE plpgsql '
        DECLARE each record;
        BEGIN
            PERFORM set_config(''session_replication_role'', ''replica'', true);
            FOR each IN
                SELECT oid::regclass AS name FROM pg_class
                WHERE relnamespace = ''\(schema)''::regnamespace AND relkind = ''r''
                    AND relname <> ''schema_migrations'' AND pg_relation_size(oid) > 0
            LOOP
                EXECUTE ''DELETE FROM '' || each.name;
            END LOOP;
        END'
        """
    }

    /// Tables, columns, functions, triggers and policies, each with its last transaction.
    private func definitions(of schema: String, in cluster: TestCluster) async throws -> String {
        let space = "'\(schema)'::regnamespace"
        let tables = "(SELECT oid FROM pg_class WHERE relnamespace = \(space))"
        let places = [
            "pg_class WHERE relnamespace = \(space)", "pg_proc WHERE pronamespace = \(space)",
            "pg_attribute WHERE attrelid IN \(tables)", "pg_trigger WHERE tgrelid IN \(tables)",
            "pg_policy WHERE polrelid IN \(tables)",
        ]
        let rows = places.map { "SELECT ctid || '/' || xmin AS version FROM \($0)" }.joined(separator: " UNION ALL ")
        let digest = "SELECT md5(string_agg(version, ' ' ORDER BY version)) FROM (\(rows)) AS all_rows"
        return try await cluster.texts(digest).joined()
    }
}
