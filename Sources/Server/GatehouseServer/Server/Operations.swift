import AccountStore
import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import SQLDatabase
import WebPages

struct Operations: Sendable {
    let runtime: ServerRuntime
    let database: any Database
    let migrations: [Migration]
    let version: String

    /// For the main port. The auth API's `/health` takes precedence at the root.
    func table(_ settings: ServerSettings) -> RouteTable {
        let isAuthAtRoot = settings.parts.contains(.auth) && settings.authPrefixes.contains("")
        var routes = [Route(.get, "/ready", ready).unlogged]
        if !isAuthAtRoot { routes.append(Route(.get, "/health", health).unlogged) }
        if settings.servesAPIDocument {
            let document = APIDocument.bytes(authPrefix: settings.authPrefixes.first ?? "")
            routes.append(Route(.get, APIDocument.path) { _, _ in Answer.json(document) })
        }
        if let entry = settings.console?.entry {
            routes.append(Route(.get, "/", answersHead: false) { enter(entry, $0, $1) })
        }
        if settings.servesMetricsToLoopback {
            routes.append(Route(.get, "/metrics", guardedBy: requireLoopback, metrics).unlogged)
        }
        return table(routes)
    }

    /// For a separate port.
    var metricsTable: RouteTable { table([Route(.get, "/metrics", metrics).unlogged]) }

    private func table(_ routes: [Route]) -> RouteTable {
        let group = RouteGroup(prefixes: [""], format: .profile, crossOrigin: nil, cacheControl: "no-store")
        return RouteTable(group: group, runtime: runtime, routes)
    }

    private func health(_ request: Request, _ context: ServerContext) -> Response {
        Answer.json(capacity: 64) { writer in
            writer.beginObject()
            writer.member("status", "ok")
            writer.member("version", version)
            writer.endObject()
        }
    }

    /// Load balancers must learn of an outage long before clients time out.
    static let readyLimit: Duration = .seconds(2)

    /// 200 if the database is writable and migrated, otherwise 503.
    private func ready(_ request: Request, _ context: ServerContext) async -> Response {
        let state: String
        do {
            let (schema, isReadOnly) = try await databaseState()
            state = isReadOnly ? "database read-only" : schema.pending.isEmpty ? "ready" : "migrations pending"
        } catch is UnknownMigration {
            state = "schema of another program"
        } catch {
            context.event(.error, "database unreachable", [.cause: "\(error)"])
            state = "database out of reach"
        }
        return Answer.json(status: state == "ready" ? .ok : .serviceUnavailable, capacity: 64) { writer in
            writer.beginObject()
            writer.member("status", state)
            writer.endObject()
        }
    }

    /// Returns after ``readyLimit``; connecting cannot be cancelled and continues in the background.
    private func databaseState() async throws -> (SchemaState, isReadOnly: Bool) {
        let outcome = FirstOutcome<(SchemaState, isReadOnly: Bool)>()
        let (database, migrations) = (database, migrations)
        return try await limited(to: Self.readyLimit, by: runtime.sleep) {
            try await outcome.value {
                Task {
                    do {
                        let schema = try await database.schemaState(migrations)
                        outcome.end(.success((schema, try await database.isReadOnly())))
                    } catch {
                        outcome.end(.failure(error))
                    }
                }
            }
        }
    }

    /// Opens the console signed in on this machine, elsewhere at its password form.
    private func enter(_ entry: ConsoleEntry, _ request: Request, _ context: ServerContext) -> Response {
        let isHere = ConsoleEntry.isOnThisMachine(peer: context.peerAddress, request)
        return Answer.redirect(to: isHere ? entry.newPath(at: runtime.now()) : Site.console.prefix, status: .seeOther)
    }

    private func metrics(_ request: Request, _ context: ServerContext) -> Response {
        Answer.text(runtime.metrics.render(), contentType: ServerMetrics.contentType)
    }

    /// Other callers get the response of an unknown route.
    private func requireLoopback(_ request: Request, _ context: inout ServerContext) throws {
        guard context.peerAddress.flatMap({ IPAddress($0) })?.isLoopback == true else { throw Refusal.unknownAddress }
    }
}
