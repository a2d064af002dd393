import PostgresDriver
import SQLDatabase
import TestDatabases
import Testing

@Suite("PostgreSQL: broken connections and time limits", .needsServer)
struct OutageTests {
    private static let commitUnknown = DatabaseFailure(
        .unknownOutcome, detail: "the connection was lost while committing: whether it took effect is not known")

    @Test("A write whose connection breaks before the commit runs again on a new one, and counts once")
    func lostBeforeCommit() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        let bodies = Tally()
        try await database.write { db in
            let isFirst = bodies.add() == 1
            try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            if isFirst { try db.run("SELECT pg_terminate_backend(pg_backend_pid())") }
            try db.run("INSERT INTO note (id, text) VALUES (2, '')")
        }
        #expect(bodies.value == 2)
        #expect(try await database.noteIDs() == [1, 2])
    }

    @Test("After a broken commit nothing runs twice, and the caller gets an unknown outcome")
    func lostInCommit() async throws {
        let database = try await Bench().openWithNotes()
        try await database.write { db in
            try db.run(
                """
                CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$
                """)
            try db.run(
                """
                CREATE CONSTRAINT TRIGGER cut AFTER INSERT ON note DEFERRABLE INITIALLY DEFERRED
                FOR EACH ROW EXECUTE FUNCTION cut()
                """)
        }
        let bodies = Tally()
        await #expect(throws: Self.commitUnknown) {
            try await database.write { db in
                bodies.add()
                try db.run("INSERT INTO note (id, text) VALUES (1, '')")
            }
        }
        #expect(bodies.value == 1)
        try await database.run("DROP TRIGGER cut ON note")
        try await database.addNote(2)
    }

    @Test("When the server cuts every connection, readers and writers continue")
    func allCut() async throws {
        let bench = try await Bench()
        let database = try await bench.openWithNotes()
        let name = "cut-\(bench.schema)"
        let node = try bench.open(4, "&application_name=\(name)")
        for round in 0..<5 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await node.addNote(round * 20 + number) }
                    group.addTask { _ = try await node.noteIDs() }
                }
                group.addTask {
                    try await bench.cluster.administer(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(name)'")
                }
                do {
                    try await group.waitForAll()
                } catch let failure as DatabaseFailure where failure == Self.commitUnknown {
                    // The only error with an unknown outcome.
                }
            }
        }
        #expect(try await database.noteIDs().count >= 80)
        #expect(try await node.noteIDs() == database.noteIDs())
    }

    @Test("An unreachable server is reported after the caller's time limit, for reads and writes")
    func unreachable() async throws {
        let time = StandingClock()
        var settings = PostgresSettings()
        settings.waitLimit = .seconds(60)
        // Called for the pause before each retry.
        settings.chance = {
            time.advance(.seconds(20))
            return 0
        }
        let database = try PostgresDatabase(
            ConnectionURL("postgres:///postgres?host=/nonexistent&user=gatehouse"), settings: settings,
            uptime: { time.now })
        let writing = await #expect(throws: DatabaseFailure.self) { try await database.addNote(1) }
        #expect(writing?.reason == .unavailable)
        #expect(time.now >= .seconds(60))
        let reading = await #expect(throws: DatabaseFailure.self) { try await database.noteIDs() }
        #expect(reading?.reason == .unavailable)
        #expect(time.now >= .seconds(120))
    }

    @Test("The server cancels a statement that takes too long; its connection continues")
    func tooLong() async throws {
        let bench = try await Bench()
        let database = try bench.open(1, change: { $0.statementLimit = .seconds(2) })
        let bodies: [@Sendable (any Connection) throws -> Void] = [
            { db in _ = try db.row("SELECT pg_sleep(60)") { _ in } },
            { db in
                _ = try db.row("SELECT 1") { _ in }
                _ = try db.row("SELECT pg_sleep(60)") { _ in }
            },
        ]
        for body in bodies {
            let writing = await #expect(throws: DatabaseFailure.self) { try await database.write(body) }
            let reading = await #expect(throws: DatabaseFailure.self) { try await database.read(body) }
            #expect(writing?.reason == .interrupted)
            #expect(reading?.reason == .interrupted)
        }
        #expect(try await database.process() > 0)
    }

    @Test(
        "The server's address decides about certificate checks, unless the URL does",
        arguments: [
            ("postgres://a:b@db.example.com/x", "verify-full"), ("postgres:///x", "prefer"),
            ("postgres://localhost/x", "prefer"), ("postgres://127.0.0.1/x", "prefer"),
            ("postgres://localhost,db.example.com/x", "verify-full"),
            ("postgresql://db.example.com/x?sslmode=require", "require"),
            ("postgres:///x?service=main", "verify-full"), ("postgres:///x?service=main&sslmode=require", "require"),
            ("postgres:///x?service=main&host=/run/postgresql", "prefer"),
        ])
    func sslMode(_ text: String, _ mode: String) throws {
        let url = try ConnectionURL(text, environment: [:])
        #expect(url.sslMode == mode)
    }

    @Test(
        "libpq's environment counts like the URL",
        arguments: [
            (["PGHOST": "db.example.com"], "verify-full"), (["PGHOST": "/run/postgresql"], "prefer"),
            (["PGHOST": "db.example.com", "PGSSLMODE": "require"], "require"),
            (["PGSSLMODE": "verify-ca"], "verify-ca"), (["PGSERVICE": "main"], "verify-full"),
            (["PGHOSTADDR": "192.0.2.7", "PGHOST": "localhost"], "verify-full"),
        ])
    func environment(_ environment: [String: String], _ mode: String) throws {
        #expect(try ConnectionURL("postgres:///x", environment: environment).sslMode == mode)
        let own = try ConnectionURL("postgres://127.0.0.1/x?sslmode=disable", environment: environment)
        #expect(own.sslMode == "disable")
    }

    @Test("An invalid URL is refused, and no URL prints itself")
    func wrongURL() throws {
        for text in [
            "", "hunter2", "mysql://a:hunter2@b/c", "postgres://a:hunter2@b/c?what=1", "host=b password=hunter2",
        ] {
            let failure = #expect(throws: DatabaseFailure.self) { try ConnectionURL(text) }
            #expect(failure?.detail == "the connection URL cannot be read")
        }
        let url = try ConnectionURL("postgres://a:hunter2@b/c")
        var dumped = ""
        dump(url, to: &dumped)
        #expect(!"\(url) \(String(reflecting: url)) \(dumped)".contains("hunter2"))
    }
}
