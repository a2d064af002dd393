import AccountDomain
import AccountStore
import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire
import SQLDatabase

struct DataOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The YAML file to read in addition to the environment (default: \(ConfigurationFile.usualName), if it exists).",
            valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("The folder of a `gatehouse dev`, instead of a configuration.", valueName: "folder"))
    var data: String?

    func validate() throws {
        if config != nil, data != nil { throw ValidationError("--config and --data cannot be combined.") }
    }

    /// Not validated. With a folder, hooks and webhooks come from the environment, as for `gatehouse dev`.
    ///
    /// - Throws: ``SettingsProblems`` for an unreadable file, or ``CommandFailure`` for a folder not of `gatehouse
    ///   dev`.
    func given() throws -> GivenSettings {
        if let data {
            let folder = DevFolder(path: data)
            let address = folder.running?.address ?? ListenAddress(host: "127.0.0.1", port: Dev.usualPort)
            let own = try folder.secrets().environment(database: folder.database, address: address)
            return GivenSettings(environment: own.merging(IgnoredSettings.read(from: System.environment)) { $1 })
        }
        return GivenSettings(environment: System.environment, file: try configurationFile())
    }

    /// nil without a file in the working directory.
    var configurationPath: String? {
        if let config { return config }
        return FileManager.default.fileExists(atPath: ConfigurationFile.usualName) ? ConfigurationFile.usualName : nil
    }

    private func configurationFile() throws -> ConfigurationFile? {
        try configurationPath.map { path throws(SettingsProblems) in try ConfigurationFile(path: path) }
    }

    /// - Parameter used: nil validates all settings.
    /// - Throws: ``ProgramExit/configuration`` (EX_CONFIG of sysexits.h) after reporting every problem.
    func settings(
        parts: Set<ServedPart> = Set(ServedPart.allCases), using used: Set<Setting>? = nil
    ) throws -> ServerSettings {
        do {
            return try ServerSettings(given(), parts: parts, using: used)
        } catch let problems as SettingsProblems {
            Output.note("\(problems)")
            throw ExitCode(.configuration)
        }
    }
}

/// For commands that need no complete configuration.
extension Set<Setting> {
    static var database: Self { [.database, .databaseConnections] }
    static var sealedData: Self { database.union([.secrets]) }
    static var signingKeys: Self { sealedData.union([.jwtSecret, .jwtKeys, .jwtAlgorithm, .jwtLifetime]) }
    static var sessionEnds: Self {
        database.union([.sessionTimebox, .sessionInactivity, .freshSignIn, .lowLevelLimit])
            .union([.refreshReuseInterval, .refreshRotation, .refreshStrict])
    }
}

struct PartOptions: ParsableArguments {
    @Option(
        name: .customLong("only"),
        help: ArgumentHelp(
            """
            Comma-separated parts to serve: auth, gateway, pages. A gateway on its own uses another issuer, and pages \
            on their own another server.
            """, valueName: "parts"),
        transform: ServedPart.set)
    var parts: Set<ServedPart> = Set(ServedPart.allCases)

    /// They have no database.
    var isPagesAlone: Bool { parts == [.pages] }
}

extension ServedPart {
    /// Parses `--only`.
    static func set(_ text: String) throws -> Set<ServedPart> {
        let words = text.split(separator: ",").map { String($0.filter { $0 != " " }) }
        let parts = words.compactMap { ServedPart(rawValue: $0) }
        guard parts.count == words.count, !parts.isEmpty else {
            throw ValidationError("expected auth, gateway, pages or several of them, such as auth,gateway")
        }
        guard !parts.contains(.pages) || parts.allSatisfy({ $0 == .pages }) || parts.contains(.auth) else {
            throw ValidationError("expected pages on their own, or with auth")
        }
        return Set(parts)
    }
}

/// A server in another process may use them concurrently.
struct OpenedAccounts {
    let settings: ServerSettings
    let database: any Database
    let accounts: Accounts
    let signingKeys: SigningKeys

    /// - Throws: ``CommandFailure`` if the database does not exist or its schema is older than this program's.
    init(_ options: DataOptions, using used: Set<Setting>? = nil) async throws {
        try await self.init(try options.settings(using: used), using: used)
    }

    /// - Throws: ``CommandFailure``, as for options.
    init(_ settings: ServerSettings, using used: Set<Setting>? = nil) async throws {
        // A command that does not use the secrets opens no sealed data.
        let none = used?.contains(.secrets) == false ? ServerSecrets([(0, System.randomBytes(32))]) : nil
        guard let secrets = settings.secrets ?? none else {
            throw CommandFailure("The configuration has no server secrets.")
        }
        let name = settings.database.name
        guard settings.database.server != nil || FileManager.default.fileExists(atPath: name) else {
            throw CommandFailure("There is no database at \(name). Create it with `gatehouse migrate`.")
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
    /// - Throws: ``UnknownMigration`` for an incompatible program's database, and ``UnsuitableEncoding``.
    func pendingMigrations(_ all: [Migration]) async throws -> [Migration] {
        try await requireUTF8()
        do {
            let pending = Set(try await schemaState(all).pending)
            return all.filter { pending.contains($0.number) }
        } catch let failure as DatabaseFailure where failure.reason == .unknownName {
            return all
        }
    }
}
