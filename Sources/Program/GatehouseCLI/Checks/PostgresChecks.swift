import SQLDatabase

package struct PostgresFacts: Sendable {
    /// Major.
    package var version = 15
    package var encoding = "UTF8"
    package var fsync = "on"
    package var synchronousCommit = "on"
    package var standardStrings = "on"
    /// The lowest limit of server, database and role.
    package var connectionLimit = 97

    package init() {}

    init(of database: any Database) async throws {
        let found = try await database.row(
            """
            SELECT current_setting('server_version_num'), current_setting('server_encoding'), current_setting('fsync'),
                current_setting('synchronous_commit'), current_setting('standard_conforming_strings'),
                least(
                    current_setting('max_connections')::integer
                        - current_setting('superuser_reserved_connections')::integer,
                    nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1),
                    nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1))::bigint
            """
        ) { row in
            var facts = PostgresFacts()
            facts.version = (Int(row.text()) ?? 0) / 10_000
            (facts.encoding, facts.fsync, facts.synchronousCommit) = (row.text(), row.text(), row.text())
            (facts.standardStrings, facts.connectionLimit) = (row.text(), Int(row.int()))
            return facts
        }
        self = found ?? PostgresFacts()
    }
}

extension Finding {
    /// - Parameter connections: One node's maximum.
    package static func postgres(_ facts: PostgresFacts, connections: Int) -> Finding {
        let name = "database"
        if facts.version < 15 {
            return .problem(name, "PostgreSQL \(facts.version) is too old", "use PostgreSQL 15 or later")
        }
        if facts.encoding != "UTF8" {
            return .problem(
                name, "the encoding \(facts.encoding) cannot store every name", UnsuitableEncoding.advice)
        }
        if facts.standardStrings != "on" {
            return .problem(
                name, "standard_conforming_strings is off, which changes the meaning of statements",
                "ALTER ROLE gatehouse RESET standard_conforming_strings, and the same in postgresql.conf")
        }
        if facts.fsync != "on" || facts.synchronousCommit == "off" {
            return .warning(
                name,
                "a crash loses acknowledged writes: fsync is \(facts.fsync), synchronous_commit is "
                    + facts.synchronousCommit,
                "set both to on; a lost session signs its user out")
        }
        if facts.connectionLimit < connections {
            return .warning(
                name, "\(facts.connectionLimit) connections are allowed, and each node uses up to \(connections)",
                "increase max_connections, or the CONNECTION LIMIT of role and database; or lower database_connections")
        }
        return .ok(name, "PostgreSQL \(facts.version) responds")
    }
}

extension UnsuitableEncoding {
    static let advice =
        "create another database: createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 gatehouse"
}
