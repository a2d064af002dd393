import AccountStore
import ArgumentParser
import AuthServer
import Foundation
import GatehouseServer

struct ExportConfig: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-config",
        abstract: "Writes the settings file, signing keys and administrators as a document for `gatehouse apply`.",
        discussion: """
            Secrets are masked with \(ShownSetting.mask), which `apply` reads as "keep the current value", so that the \
            document can be shared. Settings from the environment are only named.

            EXAMPLES:
              gatehouse export-config accounts.yaml --config /etc/gatehouse/gatehouse.yaml
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "A new file; standard output if omitted.") var file: String?

    func run() async throws {
        let opened = try await OpenedAccounts(options, using: .signingKeys.union([.jwtAdminRoles]))
        let roles = opened.settings.auth.adminRoles
        let (keys, administrators) = try await explaining {
            (try await opened.signingKeys.all(), try await opened.accounts.admin.administrators(roles: roles))
        }
        var text = "# Written by gatehouse export-config. \(ShownSetting.mask) keeps the current value.\n"
        text += try settings()
        text += ConfigText.signingKeys(SigningKeyList(opened.settings, now: System.now()).entries(keys))
        text += ConfigText.administrators(administrators)
        guard let file else { return try Output.send(text) }
        let handle = try OutputFile.begin(file)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.synchronize()
        try handle.close()
    }

    private func settings() throws -> String {
        guard options.data == nil else { return "" }
        let file = try options.configurationPath.map { try SettingsText(SettingsFile($0).text) }
        let environment = System.environment
        let names = Setting.allCases.flatMap(\.environmentNames).filter { environment[$0]?.isEmpty == false }
        return (file.map(ConfigText.settings) ?? "")
            + (names.isEmpty ? "" : "# From the environment: \(names.joined(separator: ", "))\n")
    }
}
