import AccountDomain
import AccountStore
import GatehouseWire

/// Concurrent writers share a commit. Existing accounts stay unchanged, so an interrupted import can simply be
/// repeated.
struct SupabaseImport {
    /// Concurrent writes.
    private static let width = 64

    let accounts: Accounts
    let confirmations: ImportedConfirmations
    /// They may use the admin API.
    let administratorRoles: [String]
    let isDryRun: Bool
    /// With account, remark and detail.
    let report: (String, Remark, String) throws -> Void
    private(set) var added = 0
    /// Confirmed addresses that are treated as proven.
    private(set) var proven = 0
    private(set) var alreadyThere = 0
    private(set) var leftOut = 0
    private(set) var sessions = ImportedSessionCounts()
    private(set) var remarks: [Remark: Int] = [:]
    private var progress = ProgressLine(noun: "accounts")

    init(
        _ accounts: Accounts, _ confirmations: ImportedConfirmations, administratorRoles: [String], isDryRun: Bool,
        report: @escaping (String, Remark, String) throws -> Void
    ) {
        self.accounts = accounts
        self.confirmations = confirmations
        self.administratorRoles = administratorRoles
        self.isDryRun = isDryRun
        self.report = report
    }

    private struct Result: Sendable {
        let id: String
        let notes: [SupabaseAccount.Note]
        /// nil for a skipped account.
        let outcome: ImportedAccountOutcome?
        var role = ""
    }

    /// - Throws: Database errors. Accounts imported before remain.
    mutating func run(_ source: any SupabaseSource) async throws {
        let (accounts, confirmations, isDryRun) = (accounts, confirmations, isDryRun)
        defer { progress.erase() }
        for note in source.notes { try tell("-", note.remark, note.detail) }
        try await withThrowingTaskGroup(of: Result.self) { group in
            var underWay = 0
            while let page = try await source.next() {
                for row in page {
                    if underWay == Self.width, let result = try await group.next() {
                        underWay -= 1
                        try count(result)
                    }
                    group.addTask { try await Self.take(row, accounts, confirmations, isDryRun: isDryRun) }
                    underWay += 1
                    show(source.total)
                }
            }
            while let result = try await group.next() { try count(result) }
        }
    }

    private mutating func show(_ total: Int) {
        let done = added + alreadyThere + leftOut
        progress.show(fraction: total > 0 ? Double(done) / Double(total) : 1, count: done)
    }

    private static func take(
        _ row: SupabaseRow, _ accounts: Accounts, _ confirmations: ImportedConfirmations, isDryRun: Bool
    ) async throws -> Result {
        let now = System.now()
        let read = SupabaseAccount(row.text, policy: accounts.policy, at: now) {
            IdentityID(random: System.randomBytes(16))
        }
        if let id = read.deleted,
            try await accounts.transfers.endSessions(ofDeletedElsewhere: id, isDryRun: isDryRun, at: now)
        {
            return Result(id: row.id, notes: [.init(remark: .deletedSince, detail: "")], outcome: nil)
        }
        guard let imported = read.imported else { return Result(id: row.id, notes: read.notes, outcome: nil) }
        let outcome = try await accounts.transfers.add(imported, confirmations, isDryRun: isDryRun, at: now)
        return Result(id: row.id, notes: read.notes, outcome: outcome, role: imported.account.user.role)
    }

    private mutating func count(_ result: Result) throws {
        guard let outcome = result.outcome else {
            leftOut += 1
            for note in result.notes { try tell(result.id, note.remark, note.detail) }
            return
        }
        switch outcome.account {
        case .added: added += 1
        case .alreadyThere: alreadyThere += 1
        case .emailTaken, .phoneTaken, .identityTaken:
            leftOut += 1
            return try tell(result.id, Self.remark(outcome.account), "")
        case .refused(let reason):
            leftOut += 1
            return try tell(result.id, .refused, reason)
        }
        // Reported when the account is added, but not in later runs.
        for note in result.notes where outcome.account == .added || note.remark.isFailure {
            try tell(result.id, note.remark, note.detail)
        }
        if outcome.account == .added, administratorRoles.contains(result.role) {
            try tell(result.id, .administrator, result.role)
        }
        if outcome.hasChanged { try tell(result.id, .changedSince, "") }
        if outcome.hasTakenPasskeys { try tell(result.id, .passkey, "") }
        if outcome.account == .added, outcome.isProven == true { proven += 1 }
        if outcome.account == .added, outcome.isProven == false { remarks[.unproven, default: 0] += 1 }
        for _ in 0..<outcome.sessions.taken { try tell(result.id, .sessionTaken, "") }
        for _ in 0..<outcome.sessions.parted { try tell(result.id, .sessionParted, "") }
        sessions += outcome.sessions
    }

    private static func remark(_ outcome: ImportOutcome) -> Remark {
        switch outcome {
        case .phoneTaken: .phoneTaken
        case .identityTaken: .identityTaken
        default: .emailTaken
        }
    }

    private mutating func tell(_ id: String, _ remark: Remark, _ detail: String) throws {
        remarks[remark, default: 0] += 1
        try report(id, remark, detail)
    }

    /// Data is missing that should have been imported.
    var hasFailed: Bool { remarks.keys.contains(where: \.isFailure) }

    var summary: [String] {
        let verb = isDryRun ? "would come" : "came"
        func line(_ count: Int, _ text: String) -> String? { count > 0 ? "\(Progress.grouped(count)) \(text)" : nil }
        let counts = [
            "\(Progress.grouped(added)) accounts \(verb), \(Progress.grouped(alreadyThere)) already there, "
                + "\(Progress.grouped(leftOut)) left out",
            "\(Progress.grouped(sessions.added)) sessions \(verb), "
                + "\(Progress.grouped(sessions.alreadyThere)) already there",
            line(proven, "addresses proven"),
            line(sessions.renewed, "sessions brought up to date"),
            line(sessions.endedThere, "sessions ended here, because they were at the source"),
            line(sessions.endedHere, "sessions stay ended: they came before, and were ended here"),
        ].compactMap(\.self)
        return counts + Remark.allCases.compactMap { line(remarks[$0] ?? 0, $0.summary) }
    }
}
