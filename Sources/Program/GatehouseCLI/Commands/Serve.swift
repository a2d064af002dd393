import ArgumentParser
import GatehouseServer
import GatehouseWire
import HTTPServing
import Logging
import NIOCore
import SQLDatabase
import ServiceLifecycle
import UnixSignals

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serves accounts and profiles until SIGTERM or SIGINT.",
        discussion: """
            Reads the configuration from the environment and a YAML file. If it is invalid, reports all problems and \
            exits with code 78. Logs go to standard error.

            EXAMPLES:
              gatehouse serve --config /etc/gatehouse/gatehouse.yaml
              gatehouse serve --only auth,gateway
            """)

    @OptionGroup var options: DataOptions

    @OptionGroup var served: PartOptions
    @Flag(name: .customLong("no-migrate"), help: "Do not start if migrations are pending.")
    var refusesMigration = false

    private var only: Set<ServedPart> { served.parts }

    func run() async throws {
        let settings = try options.settings(parts: only)
        let logger = makeLogger(settings)
        let given = try options.given()
        // These settings concern only the Auth API.
        for sentence in UnusedSettings(given).missingFeatures where only.contains(.auth) {
            logger.event(.warning, "off or not in this build", [.cause: sentence])
        }
        for finding in SettingsChecks(given, settings).all {
            logger.event(.warning, "configuration to look at", [.name: finding.name, .cause: finding.text])
        }
        guard only != [.pages] else { return try await servePages(settings, logger) }
        let prepare: @Sendable (any Database) async throws -> Void = { try await prepareSchema($0, logger) }
        try await serve(settings, logger, prepareSchema: prepare) {
            logger.event(.notice, "ready", [.address: settings.listen.description])
        }
    }

    private func servePages(_ settings: ServerSettings, _ logger: Logger) async throws {
        try await System.openTimers()
        guard let server = try PagesServer(settings, System.world(logger)) else {
            throw CommandFailure("GATEHOUSE_SECRETS is not set. The pages need it.")
        }
        let services = server.services { logger.event(.notice, "ready", [.address: settings.listen.description]) }
        do {
            try await runServices(services, settings, logger)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
        logger.event(.notice, "ended")
    }

    private func prepareSchema(_ database: any Database, _ logger: Logger) async throws {
        let steps = migrations(for: only)
        let newer = refusesMigration ? try await newerSteps(database, steps) : try await migrate(database, steps)
        guard let last = newer.last else { return }
        logger.event(.warning, "the schema is newer than this program", [.cause: "level \(last)"])
    }

    /// - Throws: ``CommandFailure`` if the schema is older than this program.
    private func newerSteps(_ database: any Database, _ steps: [Migration]) async throws -> [Int] {
        try await explainingSchema {
            let pending = try await database.pendingMigrations(steps)
            guard pending.isEmpty else {
                let list = pending.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")
                let command = "gatehouse migrate" + (only == [.gateway] ? " --only gateway" : "")
                throw CommandFailure("Migrations are pending: \(list). Run `\(command)`.")
            }
            return try await database.schemaState(steps).newer
        }
    }
}

func makeLogger(_ settings: ServerSettings) -> Logger {
    let format = settings.logFormat
    let level = settings.logLevel
    let provider: Logger.MetadataProvider? = settings.traces == nil ? nil : .traces
    let make: @Sendable (String) -> any LogHandler = {
        var handler = LineLogHandler(
            label: $0, format: format, logLevel: level, now: System.now, write: StandardError.append)
        handler.metadataProvider = provider
        return handler
    }
    // For libraries with their own loggers: nothing may write to standard output.
    LoggingSystem.bootstrap { label in make(label) }
    return Logger(label: "gatehouse") { make($0) }
}

/// - Returns: A newer, compatible release's migrations.
/// - Throws: ``CommandFailure`` if the database belongs to an incompatible program, or is locked for too long.
@discardableResult
func migrate(_ database: any Database, _ steps: [Migration]) async throws -> [Int] {
    try await explainingSchema {
        try await database.requireUTF8()
        return try await database.migrate(steps)
    }
}

func explainingSchema<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
        return try await body()
    } catch let unknown as UnknownMigration {
        throw CommandFailure(
            "The database has schema change \(unknown.number), which this program does not support. Use the newer "
                + "release that wrote it, or the same `--only`.")
    } catch let encoding as UnsuitableEncoding {
        Output.note(
            "The database's encoding \(encoding.name) cannot store every name. Remedy: "
                + "\(UnsuitableEncoding.advice)")
        throw ExitCode(.configuration)
    } catch let failure as DatabaseFailure where failure.code == "55P03" {
        throw CommandFailure(
            "A table stayed locked; earlier migrations are applied. Run the command again once the transaction that "
                + "holds the lock has ended: see pg_stat_activity, state `idle in transaction`.")
    }
}

/// Runs until a signal. Then stops accepting connections, and lets running requests finish for at most 15 s.
func serve(
    _ settings: ServerSettings, _ logger: Logger, mailKeeper: MailKeeper? = nil,
    requestAnswered: (@Sendable (AnsweredRequest) -> Void)? = nil,
    beside: (ServerRuntime) -> [RouteTable] = { _ in [] },
    prepareSchema: (any Database) async throws -> Void, onReady: @escaping @Sendable () async -> Void
) async throws {
    try await System.openTimers()
    var world = System.world(logger)
    world.mailKeeper = mailKeeper
    world.requestAnswered = requestAnswered
    let server = try await explaining { [world] in
        try await makeServer(settings, world, beside: beside, prepareSchema: prepareSchema)
    }
    do {
        try await runServices(server.services(onReady: onReady), settings, logger)
    } catch {
        await server.close()
        throw error
    }
    await server.close()
    logger.event(.notice, "ended")
}

/// - Throws: ``CommandFailure`` if a port is taken; a service's error.
private func runServices(_ services: [any Service], _ settings: ServerSettings, _ logger: Logger) async throws {
    var configuration = ServiceGroupConfiguration(
        services: services.map(NamedService.init), gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    configuration.maximumGracefulShutdownDuration = .seconds(15)
    do {
        try await ServiceGroup(configuration: configuration).run()
    } catch let error as IOError where error.errnoCode == EADDRINUSE {
        let addresses = [settings.listen, settings.metricsListen].compactMap { $0.map { "\($0)" } }
        throw CommandFailure("\(addresses.joined(separator: " or ")) is in use by another program.")
    }
}

/// `ServiceGroup` logs a service's description; the default one prints every property, a tenth of the start.
private struct NamedService: Service, CustomStringConvertible {
    let service: any Service

    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}
