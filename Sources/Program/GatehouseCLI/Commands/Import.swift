import AccountStore
import ArgumentParser
import AuthServer
import Foundation
import GatehouseServer
import GatehouseWire
import SQLDatabase

struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Imports from another auth server.", subcommands: [ImportSupabase.self])
}

/// An operator's statement about the addresses of an import.
struct ProofOptions: ParsableArguments {
    @Flag(
        help: """
            State that the source confirmed every address by an email to it. All confirmed addresses are then proven \
            here. Without it, an address is proven only if the account's timestamps show an answered email, or if a \
            provider vouches for it. The first code emailed to any other address sets its account's password and \
            passkeys aside, because a stranger may have registered it (Docs/proving.md). Do not use it if the source \
            ever confirmed addresses by itself (GOTRUE_MAILER_AUTOCONFIRM, email_confirm of the admin API).
            """)
    var addressesAreProven = false

    var confirmations: ImportedConfirmations { addressesAreProven ? .proveAddresses : .proveWhatTheyShow }
}

struct ImportSupabase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supabase",
        abstract: "Imports accounts, passwords, identities, profiles and active sessions from a Supabase database.",
        discussion: """
            Reads the source in one snapshot without changing it. Apps stay signed in, because their refresh tokens \
            remain valid. To continue an interrupted run, repeat it: existing data is skipped. The exit code is 1 if \
            something could not be imported. Docs/migrating.md describes a whole migration.
            """)

    @OptionGroup var options: DataOptions
    @Option(
        help: "The source, postgres://user@host/database, with the password in PGPASSWORD or ~/.pgpass.")
    var databaseUrl: String?
    @Option(help: "A plain pg_dump file of the schema auth instead of a running database; - for standard input.")
    var dump: String?
    @OptionGroup var proofs: ProofOptions
    @Flag(help: "Report what would be imported without changing anything.") var dryRun = false
    @Option(
        help: """
            A file for what is not imported, one line each: account, remark and detail, separated by tabs. Appends to \
            an existing file.
            """)
    var report: String?

    func validate() throws {
        guard (databaseUrl != nil) != (dump != nil) else {
            throw ValidationError("Specify the source with either --database-url or --dump.")
        }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let accounts = opened.accounts.silent
        let source = try await source()
        let handle = try report.map(OutputFile.goOn)
        let roles = opened.settings.auth.adminRoles
        var work = SupabaseImport(
            accounts, proofs.confirmations, administratorRoles: roles, isDryRun: dryRun
        ) { account, remark, detail in
            try handle?.write(contentsOf: Data("\(account.escaped)\t\(remark.rawValue)\t\(detail.escaped)\n".utf8))
        }
        try await explaining { try await work.run(source) }
        try handle?.close()
        for line in work.summary { try Output.line(line) }
        if work.hasFailed { throw ExitCode.failure }
    }

    /// - Throws: ``ProgramExit/unavailable`` if the source does not answer.
    private func source() async throws -> any SupabaseSource {
        if let dump { return try await explaining { try await SupabaseDump(dump) } }
        do {
            return try await SupabaseDatabase(databaseUrl ?? "")
        } catch let failure as DatabaseFailure {
            Output.note("The source cannot be read: \(failure.description.printable).")
            throw ExitCode(.unavailable)
        }
    }
}

/// A file that only its owner can read.
enum OutputFile {
    /// - Throws: ``CommandFailure``, also if the file exists.
    static func begin(_ path: String) throws -> FileHandle { try open(path, O_EXCL) }

    /// Appends to an existing file, so that an interrupted run can be repeated with the same command line.
    static func goOn(_ path: String) throws -> FileHandle { try open(path, O_APPEND) }

    private static func open(_ path: String, _ flag: Int32) throws -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("The file \(path) cannot be created (\(String(cString: strerror(errno)))).")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
