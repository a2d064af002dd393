import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire

struct Apply: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Changes settings, signing keys and administrators to match a YAML document.",
        discussion: """
            Prints the changes, asks, and makes them. Applying the same document again changes nothing. Servers can \
            keep running. The document has one or more of these sections:

              settings:                     written to the settings file (--config)
                port: 9999
                smtp_pass: ${SMTP_PASS}     or file:PATH
                webhooks:
                  - name: crm
                    url: https://crm.example.org/hook
                    secrets: ${CRM_SECRET}
              signing_keys:
                rotate_after: 2160h
              administrators:
                - ada@example.org

            What the document omits stays, except with --prune. Accounts are never deleted.

            Exit codes: 0 if done or nothing is to be done, 7 if --dry-run lists changes, 1 if nothing or not \
            everything was changed, 64 if the document is invalid, 78 if its settings are.

            EXAMPLES:
              gatehouse apply accounts.yaml --config /etc/gatehouse/gatehouse.yaml --dry-run
            """)

    @OptionGroup var options: DataOptions
    @OptionGroup var only: PartOptions
    @Argument(help: "The YAML document, as written by `gatehouse export-config`.") var document: String
    @Flag(help: "Print the changes without making them.") var dryRun = false
    @Flag(help: "Do not ask for confirmation.") var yes = false
    @Flag(
        help: """
            Also remove settings, providers and webhooks that are not in the document's `settings`, and the role of \
            administrators who are not in its `administrators`.
            """)
    var prune = false

    func run() async throws {
        do {
            try await planAndApply()
        } catch let problems as DocumentProblems {
            Output.note("\(problems)")
            throw ExitCode(.usage)
        } catch let problems as SettingsProblems {
            Output.note("\(problems)")
            throw ExitCode(.configuration)
        }
    }

    private func planAndApply() async throws {
        let wanted = try read()
        let file = try wanted.settings == nil ? nil : settingsFile()
        let plan = try file.map { try self.plan(wanted.settings ?? [], $0) }
        let given = try file.map { try self.given($0, plan?.after, wanted.settings ?? []) } ?? options.given()
        let settings = try ServerSettings(given, parts: only.parts)
        let database = try await DatabasePlan(wanted, name: document, settings, parts: only.parts, prunes: prune)
        let lines = (plan?.lines ?? []) + database.lines
        for line in lines { try Output.line("\(line.sign.rawValue) \(line.text.printable)") }
        let unlisted = (plan?.unlisted ?? []) + database.unlisted
        if !unlisted.isEmpty {
            Output.note("Not in the document, and kept without --prune: \(unlisted.joined(separator: ", ").printable)")
        }
        noteOverrides(of: wanted.settings ?? [], given)
        guard !lines.isEmpty else { return Output.note("Nothing to change.") }
        if dryRun { throw ExitCode(.changesPending) }
        guard yes || confirmed(lines.count) else { throw CommandFailure("Nothing was changed.") }
        if let plan, let file, plan.after != plan.before {
            try file.replace(with: plan.after.text, holdsSecret: given.secretFiles.contains(file.path))
            Output.note("\(file.path) is changed. Restart every server: settings are read at start.")
        }
        try await database.apply()
        if database.changesKeys { Output.note("Running servers load the new signing key within 30 seconds.") }
        Output.note("Done.")
    }

    private func read() throws -> ConfigDocument {
        let text: String
        do throws(UnreadableFile) {
            text = try GivenSettings.readText(document)
        } catch {
            throw CommandFailure("\(document) cannot be read: \(error).")
        }
        return try ConfigDocument(text, name: document, environment: System.environment)
    }

    private func settingsFile() throws -> SettingsFile {
        guard options.data == nil else {
            throw ValidationError("A `gatehouse dev` folder has no settings file: remove the section `settings`.")
        }
        guard let path = options.configurationPath else {
            throw ValidationError(
                "There is no \(ConfigurationFile.usualName) here. Name the file to create with --config.")
        }
        return try SettingsFile(path)
    }

    private func plan(_ wanted: [WantedSetting], _ file: SettingsFile) throws -> SettingsPlan {
        do {
            let before = try SettingsText(file.text)
            return try SettingsPlan(wanted, path: file.path, before: before, document: document, prunes: prune)
        } catch let problem as YAMLProblem {
            throw SettingsProblems([SettingsProblem(file.path, problem.description)])
        } catch is SettingsTextProblem {
            throw SettingsProblems([
                SettingsProblem(
                    file.path,
                    "cannot be edited: it needs one `key: value` per entry, without brackets around them, and one left")
            ])
        }
    }

    /// As the server will read them, with the document's lines for problems.
    private func given(_ file: SettingsFile, _ text: SettingsText?, _ wanted: [WantedSetting]) throws -> GivenSettings {
        guard let text, !text.entries.isEmpty else { return GivenSettings(environment: System.environment) }
        let places = Dictionary(wanted.map { ($0.key, "\(document), line \($0.line)") }) { first, _ in first }
        return GivenSettings(
            environment: System.environment,
            file: try ConfigurationFile(path: file.path, text: text.text, places: places))
    }

    private func noteOverrides(of wanted: [WantedSetting], _ given: GivenSettings) {
        for setting in wanted.map(\.setting) {
            guard let value = given[setting], !value.isFromFile else { continue }
            Output.note("\(value.origin) in this environment takes precedence over \(setting.key).")
        }
    }

    private func confirmed(_ count: Int) -> Bool {
        guard System.hasTerminal else {
            Output.note("Standard input is not a terminal. Pass --yes to confirm.")
            return false
        }
        Output.part("Make \(count == 1 ? "this change" : "these \(count) changes")? [y/N] ")
        return readLine()?.lowercased() == "y"
    }
}
