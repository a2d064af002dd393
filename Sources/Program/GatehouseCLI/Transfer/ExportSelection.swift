import AccountDomain
package import AccountStore
import ArgumentParser
import GatehouseWire

extension TransferredKind: ExpressibleByArgument {}

struct LeavingOptions: ParsableArguments {
    @Option(
        name: .customLong("leave-behind"),
        help: ArgumentHelp(
            """
            Omit these from the export: totp (authenticator apps), unreadable-totp (those whose secrets cannot be \
            decrypted), webauthn (security keys), recovery-codes, phone or passkeys. Repeatable. An account that loses its last \
            other second factor also loses its recovery codes: its password alone then opens it at the target.
            """, valueName: "kind"))
    var kinds: [TransferredKind] = []

    /// - Throws: ``CommandFailure`` if something can neither be exported nor was left out.
    func selection(of accounts: Accounts, for format: ExportFormat) async throws -> ExportSelection {
        let selection = ExportSelection(format, leaving: kinds)
        let refusals = selection.refusals(try await accounts.transfers.transferCounts())
        guard refusals.isEmpty else { throw CommandFailure(refusals.joined(separator: "\n")) }
        return selection
    }
}

package enum ExportFormat: Sendable {
    case lines, supabase

    fileprivate var held: Set<TransferredKind> {
        switch self {
        case .lines: [.totp, .webAuthn, .recoveryCodes, .phone, .passkeys]
        case .supabase: [.totp, .passkeys]
        }
    }
}

package struct ExportSelection: Sendable {
    private let format: ExportFormat
    private let left: Set<TransferredKind>
    package private(set) var taken: [TransferredKind: Int] = [:]
    package private(set) var leftBehind: [TransferredKind: Int] = [:]

    package init(_ format: ExportFormat, leaving kinds: [TransferredKind]) {
        self.format = format
        left = Set(kinds + (kinds.contains(.totp) ? [.unreadableTOTP] : []))
    }

    /// Kinds that can neither be exported nor were left out.
    package func refusals(_ counts: TransferCounts) -> [String] {
        TransferredKind.allCases.compactMap { kind in
            guard let count = counts.byKind[kind], count > 0, !left.contains(kind), !format.held.contains(kind) else {
                return nil
            }
            return Self.refusal(of: kind, count, counts)
        }
    }

    private static func refusal(of kind: TransferredKind, _ count: Int, _ counts: TransferCounts) -> String {
        let (subject, option) = ("\(Progress.grouped(count)) \(kind.label)", "--leave-behind \(kind.rawValue)")
        guard kind == .unreadableTOTP else {
            return "\(subject) do not fit into Supabase's format. To export without them, add \(option)."
        }
        let named = counts.unopened.map { "factor \($0.factor.text) of account \($0.user.text)" }
        let more = count > named.count ? ["\(Progress.grouped(count - named.count)) more"] : []
        return "\(subject) have secrets that do not open with the configured server secrets: "
            + (named + more).joined(separator: ", ")
            + ". Put the missing server secret back (`gatehouse keys reseal` names it), or add \(option)."
    }

    /// - Throws: ``CommandFailure`` for data added since ``refusals(_:)`` that cannot be exported.
    package mutating func take(_ exported: ExportedAccount) throws -> ExportedAccount {
        var taken = exported
        taken.factors = exported.factors.filter { !left.contains($0.content.kind) }
        // Alone, recovery codes would be the only way to sign in until they run out.
        if taken.factors.allSatisfy({ $0.content.kind == .recoveryCodes }) { taken.factors = [] }
        if left.contains(.passkeys) { taken.passkeys = [] }
        for kind in taken.factors.map(\.content.kind) where !format.held.contains(kind) {
            throw CommandFailure(
                "Account \(exported.account.user.id.text) has got \(kind.label) since the export began. Delete the "
                    + "incomplete file, and run the command again.")
        }
        for kind in taken.kinds { self.taken[kind, default: 0] += 1 }
        for kind in TransferredKind.allCases {
            let rest = exported.kinds.count { $0 == kind } - taken.kinds.count { $0 == kind }
            if rest > 0 { leftBehind[kind, default: 0] += rest }
        }
        return taken
    }

    /// For example `9 accounts, 2 authenticator apps; left behind: 1 sets of recovery codes`.
    package func summary(accounts: Int) -> String {
        func list(_ counts: [TransferredKind: Int]) -> String {
            TransferredKind.allCases.compactMap { kind in
                counts[kind].map { "\(Progress.grouped($0)) \(kind.label)" }
            }.joined(separator: ", ")
        }
        let with = ["\(Progress.grouped(accounts)) accounts", list(taken)].filter { !$0.isEmpty }
        return with.joined(separator: ", ") + (leftBehind.isEmpty ? "" : "; left behind: " + list(leftBehind))
    }
}

extension ExportedAccount {
    fileprivate var kinds: [TransferredKind] {
        factors.map(\.content.kind) + Array(repeating: .passkeys, count: passkeys.count)
    }
}

extension TransferredKind {
    fileprivate var label: String {
        switch self {
        case .totp: "authenticator apps"
        case .unreadableTOTP: "unreadable authenticator apps"
        case .webAuthn: "security keys"
        case .recoveryCodes: "sets of recovery codes"
        case .phone: "telephone numbers as second factors"
        case .passkeys: "passkeys"
        }
    }
}
