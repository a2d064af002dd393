import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import Foundation
import GatehouseServer
import GatehouseWire

struct ImportUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Adds accounts from lines of JSON.",
        discussion: """
            Reads the output of `users export`, or rows of Supabase's auth.users as JSON by column name, optionally \
            with an `identities` array of auth.identities rows. Lines that cannot be added are reported by number and \
            skipped; the exit code is then 1. Existing accounts with the same ID are not changed, and are reported if \
            they lack a second factor or passkey. New accounts keep their second factors and passkeys. Security keys \
            and passkeys require the same `webauthn_rp_id`.

            EXAMPLES:
              gatehouse users import accounts.jsonl --dry-run
              gatehouse users import accounts.jsonl
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The file, or - for standard input.") var file: String
    @OptionGroup var proofs: ProofOptions
    @Flag(help: "Check every line without adding anything. Does not detect addresses shared by two lines.")
    var dryRun = false

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        var reader = try LineReader(file)
        var work = AccountImport(
            opened.accounts, proofs.confirmations, administratorRoles: opened.settings.auth.operatorRoles,
            isDryRun: dryRun)
        try await work.run(&reader)
        Output.note(work.summary)
        if work.refused + work.incomplete > 0 { throw ExitCode.failure }
    }
}

struct ExportUsers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Writes all accounts as lines of JSON.",
        discussion: """
            The lines contain password hashes, authenticator secrets and hashes of recovery codes, unencrypted. Protect \
            them like the database, and delete them after the import. Only the file's owner can open it (mode 0600). \
            Profiles, sessions and unverified second factors are not exported; `gatehouse export supabase` exports \
            profiles.

            EXAMPLES:
              gatehouse users export accounts.jsonl
            """)

    private static let pageSize = 500

    @OptionGroup var options: DataOptions
    @OptionGroup var leaving: LeavingOptions
    @Argument(help: "A new file; standard output if omitted.") var file: String?

    func run() async throws {
        let accounts = try await OpenedAccounts(options, using: .sealedData).accounts
        var selection = try await explaining { try await leaving.selection(of: accounts, for: .lines) }
        let total = try await accounts.count()
        let handle = try file.map(OutputFile.begin)
        var progress = ProgressLine(noun: "accounts")
        var (last, count): (UserID?, Int) = (nil, 0)
        while true {
            let page = try await accounts.transfers.exportedAccounts(after: last, limit: Self.pageSize)
            if page.isEmpty { break }
            let text = try page.map { AccountLine.text(try selection.take($0)) + "\n" }.joined()
            if let handle { try handle.write(contentsOf: Data(text.utf8)) } else { try Output.send(text) }
            (last, count) = (page.last?.account.user.id, count + page.count)
            progress.show(fraction: total > 0 ? Double(count) / Double(total) : 1, count: count)
        }
        try handle?.synchronize()
        try handle?.close()
        progress.erase()
        Output.note(selection.summary(accounts: count))
    }
}
