import GatehouseWire
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ProfileGateway
import SQLDatabase
import Synchronization

/// Over a database with the same rows for every statement: the SQL itself has end-to-end tests.
struct TestGateway {
    static let ada = OneRow(values: [
        "0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10", "Ada", #"["nba_1"]"#, #"{"mood":"calm"}"#, nil, nil, nil, "0",
        "1767225600000000", "1767225600000000",
    ])

    static let teams = Array(
        (#"[{"id":"nba_1","league":"nba","name":"Ones","city":"One","abbreviation":"ONE"},"#
            + #"{"id":"nhl_2","league":"nhl","name":"Twos","city":"Two","abbreviation":"TWO"}]"#).utf8)

    let database: OneRowDatabase
    private let tables: [RouteTable]

    init(
        row: OneRow?, accountIsGone: Bool = false, deletion: AccountDeletion = .deleted, appScheme: String? = nil,
        fields: ConfiguredFields? = nil
    ) throws {
        let database = OneRowDatabase(row: row, accountIsGone: accountIsGone)
        self.database = database
        let now: @Sendable () -> Instant = { Instant(seconds: 1_767_225_600) }
        let fields = try fields ?? ConfiguredFields(teams: TeamCatalogue(file: Self.teams))
        let profiles = Profiles(database: database, fields: fields)
        let routes = ProfileRoutes(
            profiles: profiles, fields: fields, authenticate: Self.authenticate,
            changeProfile: { try await profiles.change($0.userID, $1, at: $2) },
            deleteAccount: { _ in deletion }, appScheme: appScheme.flatMap(AppScheme.init), now: now)
        tables = routes.tables(
            runtime: ServerRuntime(
                now: now, uptime: { .zero }, sleep: untilCancelled, makeRequestID: { "made-here" },
                metrics: ServerMetrics(), limiter: nil, clientAddress: ClientAddressRule(.peer)))
    }

    @Sendable private static func authenticate(
        _ token: String, refusesRevoked: Bool
    ) async throws(BearerRefusal) -> Bearer {
        guard let id = AccountID("0f6d2c5e-8a4b-4b0e-9d3f-2f6f2f1f7c10") else { throw .invalid }
        switch token {
        case "good": return Bearer(userID: id, email: "ada@example.org", tokenText: token)
        case "old": throw .expired
        case "unknown": throw .keysUnavailable(Unreachable())
        default: throw .invalid
        }
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ headers: HTTPFields = [:], body: String = ""
    ) async throws -> (status: Int, headers: HTTPFields, body: String) {
        let router = Router(context: ServerContext.self)
        for table in tables { table.add(to: router) }
        UnknownPaths.add(tables, to: router)
        let head = HTTPRequest(method: method, scheme: "http", authority: "test", path: path, headerFields: headers)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: body)))
        let context = ServerContext(
            peerAddress: "192.0.2.1", logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let response = try await router.buildResponder().respond(to: request, context: context)
        let collected = CollectedBody()
        try await response.body.write(collected)
        return (response.status.code, response.headers, collected.text)
    }
}

/// Waits only for its own cancellation.
@Sendable private func untilCancelled(_ limit: Duration) async throws {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
}

/// Columns as text; nil is NULL.
struct OneRow: RowValues {
    let values: [String?]
    var count: Int { values.count }

    func isNull(_ column: Int) -> Bool { values[column] == nil }
    func int(_ column: Int) -> Int64 { values[column].flatMap { Int64($0) } ?? 0 }
    func text(_ column: Int) -> String { values[column] ?? "" }
    func bytes(_ column: Int) -> [UInt8] { Array(text(column).utf8) }
}

final class OneRowDatabase: Database, Connection {
    let dialect = Dialect.sqlite
    private let row: OneRow?
    private let accountIsGone: Bool
    private let count = Mutex(0)

    init(row: OneRow?, accountIsGone: Bool) {
        self.row = row
        self.accountIsGone = accountIsGone
    }

    var statements: Int { count.withLock { $0 } }

    func write<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        if accountIsGone { throw DatabaseFailure(.constraint(.foreignKey), detail: "profiles") }
        return try body(self)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any Connection) throws -> Value) async throws -> Value {
        try body(self)
    }

    func rows<Value>(_ statement: SQL, _ decode: (inout Row) throws -> Value) throws -> [Value] {
        count.withLock { $0 += 1 }
        return try row.map { [try $0.read(decode)] } ?? []
    }

    func run(_ statement: SQL) throws -> Int { 0 }
    func plan(_ statement: SQL) throws -> [String] { [] }
}

private final class CollectedBody: ResponseBodyWriter, Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

    func write(_ buffer: ByteBuffer) async throws { bytes.withLock { $0 += buffer.readableBytesView } }
    func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
