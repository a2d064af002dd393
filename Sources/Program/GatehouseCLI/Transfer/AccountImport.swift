import AccountDomain
import AccountStore
import GatehouseWire

/// Concurrently, because concurrent writers share a commit.
struct AccountImport {
    /// Concurrent writes.
    private static let width = 64

    enum Outcome: Sendable {
        case alreadyThere(line: Int, ImportedAccountOutcome)
        case added(line: Int, ImportedAccountOutcome, role: String, without: [String])
        case refused(line: Int, reason: String)
    }

    let accounts: Accounts
    let confirmations: ImportedConfirmations
    /// They may use the admin API.
    let administratorRoles: [String]
    let isDryRun: Bool
    private(set) var added = 0
    private(set) var alreadyThere = 0
    private(set) var refused = 0
    /// Added without a value or passkey, or already present without a second factor or passkey of their line.
    private(set) var incomplete = 0
    /// By proven addresses.
    private(set) var proven = 0
    private(set) var unproven = 0
    private(set) var administrators = 0
    /// Unchanged although the source has changed.
    private(set) var changed = 0
    private var progress = ProgressLine(noun: "accounts")

    init(_ accounts: Accounts, _ confirmations: ImportedConfirmations, administratorRoles: [String], isDryRun: Bool) {
        self.accounts = accounts
        self.confirmations = confirmations
        self.administratorRoles = administratorRoles
        self.isDryRun = isDryRun
    }

    /// - Throws: Database errors. Accounts added before remain.
    mutating func run(_ reader: inout LineReader) async throws {
        let (accounts, confirmations, isDryRun) = (accounts, confirmations, isDryRun)
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            var underWay = 0
            while let line = try reader.next() {
                guard let bytes = line.bytes else {
                    count(.refused(line: line.number, reason: "longer than \(LineReader.maximumBytes) bytes"))
                    continue
                }
                if bytes.allSatisfy({ $0 <= 0x20 }) { continue }
                if underWay == Self.width, let outcome = try await group.next() {
                    underWay -= 1
                    count(outcome)
                }
                group.addTask { try await Self.take(line.number, bytes, accounts, confirmations, isDryRun: isDryRun) }
                underWay += 1
                show(reader)
            }
            while let outcome = try await group.next() { count(outcome) }
        }
        progress.erase()
    }

    private mutating func show(_ reader: LineReader) {
        let fraction = reader.length.map { $0 > 0 ? Double(reader.position) / Double($0) : 1 }
        progress.show(fraction: fraction, count: added + alreadyThere + refused)
    }

    private mutating func count(_ outcome: Outcome) {
        switch outcome {
        case .added(let line, let outcome, let role, let notes):
            added += 1
            if outcome.isProven == true { proven += 1 }
            if outcome.isProven == false { unproven += 1 }
            if administratorRoles.contains(role) { administrators += 1 }
            let missing = notes + (outcome.hasTakenPasskeys ? ["a passkey belongs to another account here"] : [])
            guard !missing.isEmpty else { return }
            incomplete += 1
            progress.erase()
            Output.note("line \(line): added incompletely: \(missing.joined(separator: "; "))")
        case .alreadyThere(let line, let outcome):
            alreadyThere += 1
            if outcome.hasChanged { changed += 1 }
            if outcome.lacksFactors {
                incomplete += 1
                progress.erase()
                Output.note("line \(line): already there, without all second factors and passkeys of the line")
            }
        case .refused(let line, let reason):
            refused += 1
            progress.erase()
            Output.note("line \(line): \(reason.printable)")
        }
    }

    private static func take(
        _ number: Int, _ line: [UInt8], _ accounts: Accounts, _ confirmations: ImportedConfirmations,
        isDryRun: Bool
    ) async throws -> Outcome {
        let imported: ImportedAccount
        var notes: [String] = []
        do throws(LineProblem) {
            imported = try AccountLine.imported(line, at: System.now(), noting: { notes.append($0) }) {
                IdentityID(random: System.randomBytes(16))
            }
        } catch {
            return .refused(line: number, reason: error.description)
        }
        let outcome = try await accounts.transfers.add(imported, confirmations, isDryRun: isDryRun, at: System.now())
        switch outcome.account {
        case .added: return .added(line: number, outcome, role: imported.account.user.role, without: notes)
        case .alreadyThere: return .alreadyThere(line: number, outcome)
        case .emailTaken: return .refused(line: number, reason: "the email address belongs to another account")
        case .phoneTaken: return .refused(line: number, reason: "the telephone number belongs to another account")
        case .identityTaken: return .refused(line: number, reason: "an identity belongs to another account")
        case .refused(let reason): return .refused(line: number, reason: reason)
        }
    }

    var summary: String {
        let verb = isDryRun ? "would be added" : "added"
        return "\(Progress.grouped(added)) \(verb), \(Progress.grouped(alreadyThere)) already there, "
            + "\(Progress.grouped(refused)) refused"
            + (changed > 0 ? "\n\(Progress.grouped(changed)) \(Remark.changedSince.summary)" : "")
            + (proven > 0 ? "\n\(Progress.grouped(proven)) addresses proven" : "")
            + (administrators > 0 ? "\n\(Progress.grouped(administrators)) \(Remark.administrator.summary)" : "")
            + (unproven > 0 ? "\n\(Progress.grouped(unproven)) \(Remark.unproven.summary)" : "")
    }
}
