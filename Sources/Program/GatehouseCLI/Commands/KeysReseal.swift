import AccountStore
import ArgumentParser
import GatehouseWire

extension Keys {
    struct Reseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reseal", abstract: "Re-encrypts all stored secrets with the first server secret.",
            discussion: """
                For a change of the server secret: put the new one first, keep the old one after it, restart every \
                server, and run this command. Keep the old one as long as devices may send older refresh tokens: \
                without it, their sessions end. Servers may keep running. After an interruption, run the command \
                again. The exit code is 1 if a value still needs another secret than the first; `gatehouse doctor` \
                also counts such values.
                """)

        @OptionGroup var options: DataOptions

        func run() async throws {
            let accounts = try await OpenedAccounts(options, using: .sealedData).accounts
            var (table, counts): (TextTable, [SealedKind: SealedCounts]) = (TextTable(Self.heads), [:])
            for kind in SealedKind.allCases {
                let resealed = try await explaining { try await accounts.resealing.reseal(kind) }
                let left = try await explaining { try await accounts.resealing.sealedCounts(of: kind) }
                counts[kind] = left
                guard left.total + resealed > 0 else { continue }
                table.add([kind.label] + [resealed, left.current, left.older, left.unopened].map(Progress.grouped))
            }
            try Output.send(table.text)
            for line in Self.remarks(SealedKind.allCases.compactMap { counts[$0] }) { Output.note(line) }
            if counts.values.contains(where: { $0.older + $0.unopened > 0 }) { throw ExitCode.failure }
        }

        private static let heads = ["DATA", "SEALED ANEW", "UP TO DATE", "OUT OF DATE", "UNREADABLE"]

        private static func remarks(_ counts: [SealedCounts]) -> [String] {
            var lines = counts.flatMap { counts in
                let more = counts.unopened - counts.examples.count
                return counts.examples.map(text) + (more > 0 ? ["… and \(Progress.grouped(more)) more"] : [])
            }
            if !lines.isEmpty {
                lines.append(
                    "Put the missing secret back, after the first one, and run this command again. Docs/configuration.md "
                        + "says what to do if it is lost.")
            }
            if counts.contains(where: { $0.older > 0 }) {
                lines.append(
                    "A server still seals with an older secret. Restart every server with the new secret first, and run "
                        + "this command again.")
            }
            return lines
        }

        private static func text(_ value: UnopenedValue) -> String {
            let place = "\(value.kind.label): \(value.key)"
            return if let number = value.missingSecret {
                "\(place) needs the server secret \(number), which is not configured."
            } else {
                "\(place) is damaged, or another server secret had its number."
            }
        }
    }
}
