import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire
import JSONWebTokens

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Shows and changes the keys that sign access tokens, and re-encrypts stored secrets.",
        subcommands: [List.self, Rotate.self, Revoke.self, Reseal.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the keys in the database, newest first.")

        @OptionGroup var options: DataOptions

        func run() async throws {
            let opened = try await OpenedAccounts(options, using: .signingKeys)
            let keys = try await explaining { try await opened.signingKeys.all() }
            if keys.isEmpty { Output.note("There is no key yet. The first start of the server creates one.") }
            try Output.send(SigningKeyList(opened.settings, now: System.now()).table(keys))
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate", abstract: "Creates a new key that signs after one minute.",
            discussion: """
                Running servers load the new key within 30 seconds, and sign with it once all of them have it. The old \
                key verifies tokens until the last one that it signed expires, so no user is signed out.
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
                Output.note("A configured key signs tokens. The new key is stored for later use.")
            }
        }
    }
}

extension Keys {
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Removes a leaked key, and creates a new one if it was the signing key.",
            discussion: """
                Running servers refuse the key's tokens within 30 seconds; apps get new ones with their refresh \
                tokens. Standalone gateways and apps with a copy of the public keys refuse them after they reload the \
                keys, usually within ten minutes.
                """)

        @Argument(help: "The key's id, from `gatehouse keys list`.") var id: String
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
                ? "Key \(id) is in the configuration: replace it there and restart every server."
                : "No key in the database has the id \(id). Run `gatehouse keys list` to see them."
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
