import AccountStore
import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire
import SQLDatabase

/// Where the configuration comes from.
struct DataOptions: ParsableArguments {
    @Option(
        help: "The YAML file to read besides the environment (default: \(ConfigurationFile.usualName), if it is there)."
    )
    var config: String?

    @Option(help: "The folder of a `gatehouse dev`, instead of a configuration.")
    var data: String?

    func validate() throws {
        if config != nil, data != nil { throw ValidationError("--config and --data exclude each other.") }
    }

    /// What was given, unchecked.
    ///
    /// - Throws: ``SettingsProblems`` when the file cannot be read, ``CommandFailure`` for a folder that is none.
    func given() async throws -> GivenSettings {
        if let data {
            let folder = DevFolder(path: data)
            let address = folder.running?.address ?? ListenAddress(host: "127.0.0.1", port: Dev.usualPort)
            return GivenSettings(
                environment: try folder.secrets().environment(database: folder.database, address: address))
        }
        return GivenSettings(environment: System.environment, file: try await configurationFile())
    }

    private func configurationFile() async throws -> ConfigurationFile? {
        if let config { return try await ConfigurationFile(path: config) }
        guard FileManager.default.fileExists(atPath: ConfigurationFile.usualName) else { return nil }
        return try await ConfigurationFile(path: ConfigurationFile.usualName)
    }

    /// - Throws: ``ProgramExit/configuration`` (EX_CONFIG of sysexits.h) after every problem was told.
    func settings(parts: Set<ServedPart> = Set(ServedPart.allCases)) async throws -> ServerSettings {
        do {
            return try ServerSettings(try await given(), parts: parts)
        } catch let problems as SettingsProblems {
            Output.note("\(problems)")
            throw ExitCode(.configuration)
        }
    }
}

/// Which part of a server a command is about.
struct PartOptions: ParsableArguments {
    @Option(name: .customLong("only"), help: "As for `serve`: the parts to be served.", transform: ServedPart.set)
    var parts: Set<ServedPart> = Set(ServedPart.allCases)
}

/// Accounts that a command works on while no server, or another process, serves them.
struct OpenedAccounts {
    let settings: ServerSettings
    let database: any Database
    let accounts: Accounts
    let signingKeys: SigningKeys

    /// - Throws: ``CommandFailure`` when the database is not there or its schema is older than this program's.
    init(_ options: DataOptions) async throws {
        let settings = try await options.settings()
        guard let secrets = settings.secrets else { throw CommandFailure("The configuration has no server secrets.") }
        let name = settings.database.name
        guard settings.database.server != nil || FileManager.default.fileExists(atPath: name) else {
            throw CommandFailure("There is no database at \(name). `gatehouse migrate` makes one.")
        }
        let (database, pending) = try await explaining {
            let database = try openDatabase(settings.database, System.world())
            let steps = migrations(for: [.auth])
            return (database, try await explainingSchema { try await database.pendingMigrations(steps) })
        }
        guard pending.isEmpty else {
            throw CommandFailure("The database at \(name) has an older schema. Run `gatehouse migrate` first.")
        }
        self.settings = settings
        self.database = database
        accounts = makeAccounts(settings, secrets, database, System.world())
        signingKeys = SigningKeys(database: database, secrets: secrets, randomBytes: System.randomBytes)
    }
}

extension Database {
    /// The steps that have not run yet. A database in which none ever ran has no table that says so.
    ///
    /// - Throws: ``UnknownMigration`` when the database is not for this program.
    func pendingMigrations(_ all: [Migration]) async throws -> [Migration] {
        do {
            let pending = Set(try await schemaState(all).pending)
            return all.filter { pending.contains($0.number) }
        } catch let failure as DatabaseFailure where failure.detail.contains("schema_migrations") {
            return all
        }
    }
}
