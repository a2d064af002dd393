import AccountStore
import ArgumentParser
import GatehouseWire

extension Keys {
    struct Reseal: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "reseal", abstract: "Re-encrypts all stored secrets with the current server secret.",
            discussion: """
                To change the server secret, put the new one first, keep the old one after it, restart every server, \
                and run this command. Servers can keep running. If interrupted, run it again. The exit code is 1 if a \
                value still needs an older secret; `gatehouse doctor` counts these.

                Keep the old secret until devices have refreshed: without it, sessions that have not are signed out.

                EXAMPLES:
                  gatehouse keys reseal --config /etc/gatehouse/gatehouse.yaml
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

        private static let heads = ["DATA", "RE-ENCRYPTED", "UP TO DATE", "OUT OF DATE", "UNREADABLE"]

        private static func remarks(_ counts: [SealedCounts]) -> [String] {
            var lines = counts.flatMap { counts in
                let more = counts.unopened - counts.examples.count
                return counts.examples.map(text) + (more > 0 ? ["… and \(Progress.grouped(more)) more"] : [])
            }
            if !lines.isEmpty {
                lines.append(
                    "Put the missing secret back, after the first one, and run this command again. If it is lost, see "
                        + "Docs/configuration.md.")
            }
            if counts.contains(where: { $0.older > 0 }) {
                lines.append(
                    "A server still encrypts with an older secret. Restart every server with the new secret first, then "
                        + "run this command again.")
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
