import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire
import JSONWebTokens

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Lists, rotates and revokes signing keys, and re-encrypts stored secrets.",
        subcommands: [List.self, Rotate.self, Revoke.self, Reseal.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the signing keys in the database, newest first.",
            discussion: "EXAMPLES:\n  gatehouse keys list")

        @OptionGroup var options: DataOptions

        func run() async throws {
            let opened = try await OpenedAccounts(options, using: .signingKeys)
            let keys = try await explaining { try await opened.signingKeys.all() }
            if keys.isEmpty { Output.note("There is no signing key yet. The server creates one when it first starts.") }
            try Output.send(SigningKeyList(opened.settings, now: System.now()).table(keys))
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Creates a signing key, which is used after one minute.",
            discussion: """
                Running servers load the new key within 30 seconds, and sign with it once all of them have it. The old \
                key verifies tokens until the last one that it signed expires, so no user is signed out.

                EXAMPLES:
                  gatehouse keys rotate
                """)

        @OptionGroup var options: DataOptions

        func run() async throws {
            let opened = try await OpenedAccounts(options, using: .signingKeys)
            let list = SigningKeyList(opened.settings, now: System.now())
            let stored = StoredSigningKey.new(at: list.now)
            let keys = try await explaining {
                try await opened.signingKeys.rotate(to: stored, forgettingRetiredBefore: list.now - list.verifyingTime)
            }
            try Output.send(list.table(keys))
            if !list.databaseKeySigns {
                Output.note("A configured key signs tokens. The new key is stored for later.")
            }
        }
    }
}

extension Keys {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke",
            abstract: "Revokes a leaked signing key, and creates a new one if it was the current one.",
            discussion: """
                Running servers reject the key's tokens within 30 seconds; apps get new ones with their refresh tokens. \
                Standalone gateways and apps with a copy of the public keys reject them once they reload the keys, \
                usually within ten minutes.

                EXAMPLES:
                  gatehouse keys revoke 9b5f0f5e-5a0c-4f0e-9d4f-2f1f9c1d7a11
                """)

        @Argument(help: "The signing key's ID, from `gatehouse keys list`.") var id: String
        @OptionGroup var options: DataOptions

        func run() async throws {
            let opened = try await OpenedAccounts(options, using: .signingKeys)
            let list = SigningKeyList(opened.settings, now: System.now())
            let keys = try await explaining {
                try await opened.signingKeys.revoke(
                    id, replacement: .new(at: list.now), forgettingRetiredBefore: list.now - list.verifyingTime)
            }
            guard let keys else { throw CommandFailure(Self.unknown(id, opened.settings.tokens)) }
            try Output.send(list.table(keys))
        }

        private static func unknown(_ id: String, _ tokens: TokenSettings) -> String {
            let isConfigured = (tokens.imported + [tokens.sharedSecret].compactMap(\.self)).contains { $0.id == id }
            return isConfigured
                ? "The signing key \(id) is in the configuration. Replace it there and restart every server."
                : "No signing key in the database has the ID \(id). List them with `gatehouse keys list`."
        }
    }
}

extension SigningKeyList {
    fileprivate func table(_ keys: [StoredSigningKey]) -> String {
        var table = TextTable(["ID", "ALGORITHM", "CREATED", "RETIRED", "STATE"])
        for key in entries(keys) {
            table.add([
                key.id, key.algorithm, "\(key.createdAt)", key.retiredAt.map { "\($0)" } ?? "-", key.state,
            ])
        }
        return table.text
    }
}
