import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseWire

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Prints the audit log, most recent first.",
        discussion: """
            Entries are kept as long as the setting retention_audit_log says.

            EXAMPLES:
              gatehouse audit --by admin@example.com --since 2026-01-31T00:00:00Z
              gatehouse audit --limit 0 --json > audit.jsonl
            """)

    @OptionGroup var options: DataOptions
    @Option(help: "Only this action, such as user_deleted.") var action: String?
    @Option(help: ArgumentHelp("Only acts by names that contain this.", valueName: "name")) var by: String?
    @Option(help: ArgumentHelp("Only entries since this time.", valueName: "time")) var since: String?
    @Option(help: ArgumentHelp("Only entries before this time.", valueName: "time")) var until: String?
    @Option(help: ArgumentHelp("The maximum number of entries; 0 for all.", valueName: "n")) var limit = 50
    @Flag(help: "Print one JSON object per line.") var json = false

    func validate() throws {
        guard limit >= 0 else { throw ValidationError("--limit must be 0 or more.") }
        for text in [since, until].compactMap(\.self) where Instant(text) == nil {
            throw ValidationError("\(text) is not a time such as 2026-01-31T00:00:00Z.")
        }
    }

    func run() async throws {
        let admin = try await OpenedAccounts(options).accounts.admin
        var search = AuditSearch()
        (search.action, search.actor) = (action, by)
        (search.since, search.until) = (since.flatMap { Instant($0) }, until.flatMap { Instant($0) })
        var (left, next): (Int, String?) = (limit == 0 ? .max : limit, nil)
        var table = TextTable(["TIME", "ACTION", "BY", "ADDRESS", "DETAILS"])
        repeat {
            let page = try await admin.searchAudit(search, after: next, limit: min(left, 1_000))
            for entry in page.entries {
                guard json else {
                    table.add(row(entry))
                    continue
                }
                try Output.line(line(entry))
            }
            (left, next) = (left - page.entries.count, page.next)
        } while left > 0 && next != nil
        if !json { try Output.send(table.text) }
    }

    private func row(_ entry: RecordedAuditEntry) -> [String] {
        [
            "\(entry.createdAt)", entry.action, entry.actorName.isEmpty ? "-" : entry.actorName,
            entry.address.isEmpty ? "-" : entry.address, entry.traits == "{}" ? "-" : entry.traits,
        ]
    }

    private func line(_ entry: RecordedAuditEntry) -> String {
        var writer = JSONWriter(capacity: 512)
        writer.auditEntry(entry)
        return writer.text.escaped
    }
}
