import AccountDomain
import AccountStore
import ArgumentParser
import Foundation

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Exports to another auth server.", subcommands: [ExportSupabase.self])
}

struct ExportSupabase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supabase",
        abstract:
            "Writes accounts, passwords, identities, authenticator apps, passkeys and profiles as SQL for Supabase.",
        discussion: """
            Run the file with `psql --single-transaction`. Existing accounts and profiles are overwritten only if they \
            were changed here later; existing identities, second factors and passkeys are kept. Sessions are not \
            exported, so users sign in again. Security keys and recovery codes cannot be exported: see --leave-behind.

            The file contains password hashes and authenticator secrets, unencrypted. Protect it like the database, \
            and delete it afterwards. Only its owner can open it (mode 0600).

            EXAMPLES:
              gatehouse export supabase accounts.sql --leave-behind recovery-codes
            """)

    private static let pageSize = 500

    @OptionGroup var options: DataOptions
    @OptionGroup var leaving: LeavingOptions
    @Argument(help: "A new file; standard output if omitted.") var file: String?

    func run() async throws {
        let opened = try await OpenedAccounts(options, using: .sealedData)
        let accounts = opened.accounts
        var selection = try await explaining { try await leaving.selection(of: accounts, for: .supabase) }
        let total = try await accounts.count()
        let handle = try file.map(OutputFile.begin)
        func write(_ text: String) throws {
            if let handle { try handle.write(contentsOf: Data(text.utf8)) } else { try Output.send(text) }
        }
        var progress = ProgressLine(noun: "accounts")
        var (last, count): (UserID?, Int) = (nil, 0)
        try write(SupabaseExport.beginning)
        while true {
            let page = try await accounts.transfers.exportedAccounts(after: last, limit: Self.pageSize)
            if page.isEmpty { break }
            try write(page.map { CopyText.line(AccountLine.text(try selection.take($0))) + "\n" }.joined())
            (last, count) = (page.last?.account.user.id, count + page.count)
            progress.show(fraction: total > 0 ? Double(count) / Double(total) : 1, count: count)
        }
        try write(SupabaseExport.profilesBeginning)
        last = nil
        while case let page = try await accounts.transfers.profileRows(after: last, limit: Self.pageSize),
            let end = page.last
        {
            try write(page.map { CopyText.line($0.text) + "\n" }.joined())
            last = end.id
        }
        try write(SupabaseExport.ending(with: Set(selection.taken.keys)))
        try handle?.synchronize()
        try handle?.close()
        progress.erase()
        Output.note(selection.summary(accounts: count))
    }
}
