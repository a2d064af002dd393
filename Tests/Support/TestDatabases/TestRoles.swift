import Foundation
package import PostgresDriver
import SQLDatabase

/// Of `Deploy/postgresql`, with one test's names.
package struct TestRoles: Sendable {
    package enum Role: String, Sendable { case migrator, service, holder }

    package let schema: TestSchema
    private let cluster: TestCluster

    /// Creates a schema with every migration and its own roles.
    package init(_ cluster: TestCluster) async throws {
        self.init(of: try await TestSchema(cluster), in: cluster)
        try await make()
    }

    /// Without creating them.
    init(of schema: TestSchema, in cluster: TestCluster) { (self.schema, self.cluster) = (schema, cluster) }

    func make() async throws {
        for statement in try statements("roles.sql") {
            // It already exists.
            let own = statement.replacing(/CREATE SCHEMA (\w+) AUTHORIZATION/) {
                "ALTER SCHEMA \($0.output.1) OWNER TO"
            }
            try await cluster.administer(own)
        }
        let owner = try open(.migrator)
        try await owner.migrate(TestDatabase.migrations)
        for statement in try statements("grants.sql") {
            try await owner.write { db in _ = try db.run(SQL(stringLiteral: statement)) }
        }
        owner.close()
    }

    package func name(of role: Role) -> String { "\(schema.name)_\(role.rawValue)" }

    package func url(_ role: Role) throws -> ConnectionURL { try ConnectionURL(urlText(role)) }

    func urlText(_ role: Role) -> String { cluster.urlText(schema: schema.name, "&user=\(name(of: role))") }

    /// - Parameter role: nil is the server's superuser.
    package func open(_ role: Role?) throws -> PostgresDatabase {
        var settings = PostgresSettings.patient
        settings.connections = 2
        let url = try role.map(url) ?? cluster.url(schema: schema.name)
        return try PostgresDatabase(url, settings: settings, uptime: uptime) { [schema] _ in
            // The schema stays as long as the database.
            withExtendedLifetime(schema) {}
        }
    }

    private func statements(_ file: String) throws -> [String] {
        let folder = URL(filePath: #filePath).appending(path: "../../../../Deploy/postgresql").standardized
        let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        return lines.replacing("gatehouse", with: schema.name).split(separator: ";\n").map(String.init)
    }

    package struct MakesNoTable: Error {}
}
