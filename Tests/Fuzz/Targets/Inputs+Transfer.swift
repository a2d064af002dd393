import AccountDomain
import AccountStore
import GatehouseCLI
import GatehouseWire

extension Inputs {
    /// A plain dump, line by line.
    static func dump(_ input: [UInt8]) throws(FuzzFinding) {
        var reader = CopyReader(wanted: ["auth.users", "auth.identities", "auth.refresh_tokens", "public.profiles"])
        for line in input.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if case .row(_, let columns, let values) = reader.take(Array(line)) {
                try expect(columns.count == values.count, "a row with another number of values")
                for case let value? in values { _ = CopyText.array(value) }
            }
            let text = text(line)
            _ = (CopyText.heading(text), CopyText.values(Array(line)), CopyText.array(text))
        }
        _ = reader.isWhole
    }

    /// A parsed account is written as a line that parses to the same value.
    static func lines(_ input: [UInt8]) throws(FuzzFinding) {
        let time = Instant(seconds: 1_800_000_000)
        let id = { IdentityID(trusted: "00000000-0000-4000-8000-00000000000f") }
        for line in input.split(separator: UInt8(ascii: "\n")) {
            // Refused: the report has the reason.
            guard let account = try? AccountLine.imported(Array(line), at: time, newID: id) else { continue }
            let written = AccountLine.text(account.exported)
            // Ignored: any error is the finding.
            let again = try? AccountLine.imported(Array(written.utf8), at: time, newID: id)
            try expect(
                again.map { AccountLine.text($0.exported) } == written, "an account that was exported does not import")
        }
    }
}

extension ImportedAccount {
    fileprivate var exported: ExportedAccount {
        ExportedAccount(account, factors: factors, passkeys: passkeys, removals: removals)
    }
}
