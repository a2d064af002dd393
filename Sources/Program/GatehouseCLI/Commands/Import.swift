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

/// The operator's statement about imported addresses.
struct ProofOptions: ParsableArguments {
    @Flag(
        help: """
            Treat every confirmed email as proven, because the source confirmed each by emailing it. Without this flag, \
            an email is proven only if the account's timestamps show a used code or link, or if a provider verified it. \
            For any other, the first emailed code sets the account's password and passkeys aside, because a stranger \
            may have registered it (Docs/proving.md). Do not use this flag if the source ever confirmed emails without \
            sending one (GOTRUE_MAILER_AUTOCONFIRM, the admin API's email_confirm).
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
            remain valid. If interrupted, run it again: existing data is skipped. The exit code is 1 if something could \
            not be imported. Docs/migrating.md describes a complete migration.

            EXAMPLES:
              gatehouse import supabase --dry-run \\
                --database-url postgres://postgres@db.example.com/postgres
              gatehouse import supabase --dump auth.sql --report left-out.tsv
            """)

    @OptionGroup var options: DataOptions
    @Option(
        help: ArgumentHelp(
            "The source: postgres://user@host/database, with the password in PGPASSWORD or ~/.pgpass.",
            valueName: "url"))
    var databaseUrl: String?
    @Option(
        help: ArgumentHelp(
            "A plain pg_dump file of the auth schema instead of a running database, or - for standard input.",
            valueName: "file"))
    var dump: String?
    @OptionGroup var proofs: ProofOptions
    @Flag(help: "Report what would be imported, without changing anything.") var dryRun = false
    @Option(
        help: ArgumentHelp(
            """
            A file that lists what is not imported, one per line: account, remark and detail, separated by tabs. \
            Appends to an existing file.
            """, valueName: "file"))
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
        let roles = opened.settings.auth.operatorRoles
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

    /// - Throws: ``ProgramExit/unavailable`` if the source does not respond.
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

/// Readable only by its owner.
enum OutputFile {
    /// - Throws: ``CommandFailure``, also if the file exists.
    static func begin(_ path: String) throws -> FileHandle { try open(path, O_EXCL) }

    /// Appends, so that an interrupted run can be repeated with the same command line.
    static func goOn(_ path: String) throws -> FileHandle { try open(path, O_APPEND) }

    private static func open(_ path: String, _ flag: Int32) throws -> FileHandle {
        let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure("The file \(path) cannot be created (\(String(cString: strerror(errno)))).")
        }
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
}
