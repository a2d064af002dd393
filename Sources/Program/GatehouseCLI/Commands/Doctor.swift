import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseWire

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Finds problems with the server and explains how to fix them.",
        discussion: """
            Exits with code 1 if there is a problem.

            EXAMPLES:
              gatehouse doctor --config /etc/gatehouse/gatehouse.yaml
              gatehouse doctor --send you@example.com
            """)

    @OptionGroup var options: DataOptions
    @OptionGroup var only: PartOptions
    @Flag(help: "Print one JSON object per line.") var json = false
    @Option(help: ArgumentHelp("Send a test email to this address.", valueName: "email"))
    var send: String?

    func run() async throws {
        let findings = await findings()
        for finding in findings { try Output.line(json ? finding.json : finding.line) }
        if findings.contains(where: { $0.state == .problem }) { throw ExitCode.failure }
    }

    private func findings() async -> [Finding] {
        let machine = MachineChecks()
        let settings: ServerSettings
        var findings: [Finding] = []
        do {
            let given = try options.given()
            settings = try ServerSettings(given, parts: only.parts)
            findings.append(.ok("configuration", "complete"))
            findings += UnusedSettings(given).missingFeatures.map {
                .warning("configuration", $0, "none needed, unless you rely on it")
            }
            findings.append(machine.permissions(of: privateFiles(given, settings)))
            let checks = SettingsChecks(given, settings)
            findings += checks.all + (options.data == nil ? checks.recommendations : [])
        } catch let problems as SettingsProblems {
            var found = problems.problems.map {
                Finding(name: "configuration", state: .problem, text: "\($0.name): \($0.expected)")
            }
            found[found.count - 1].advice =
                "`gatehouse check-config` prints every value; `gatehouse dev` needs no configuration"
            return found + [machine.clock(now: System.now(), newest: nil)]
        } catch {
            return [.problem("configuration", "\(error)", "pass the right file or folder")]
        }
        let (data, newest) = await database(settings)
        findings += data
        let world = System.world()
        let calls = ProviderCalls(rule: settings.outgoing, http: world.http, resolve: world.resolve)
        findings += await ProviderChecks(settings.providers, calls: calls, now: world.now).all()
        if let issuer = settings.issuer { findings.append(await IssuerCheck(issuer, http: world.http).finding()) }
        if let passkeys = PasskeyChecks(settings, calls: calls) { findings += await passkeys.all() }
        findings += await mail(settings.mail)
        findings.append(machine.clock(now: System.now(), newest: newest))
        findings.append(port(settings.listen, machine))
        if let address = settings.metricsListen, let found = await TrafficChecks(address).all() {
            findings.append(found)
        }
        if usesFile(settings) { findings.append(machine.diskSpace(near: settings.database.path)) }
        return findings
    }

    private func mail(_ settings: MailSettings?) async -> [Finding] {
        guard let settings else {
            return send == nil ? [] : [MailChecks.noServer]
        }
        let checks = MailChecks(settings)
        guard let send else { return [await checks.connection()] }
        return [await checks.sending(to: send, at: System.now(), randomBytes: System.randomBytes)]
    }

    /// `gatehouse dev` chooses its port at each start, so only a running one has a port to check.
    private func port(_ address: ListenAddress, _ machine: MachineChecks) -> Finding {
        guard let data = options.data else { return machine.port(address) }
        guard let running = DevFolder(path: data).running else {
            return .ok("port", "no `gatehouse dev` serves \(data)")
        }
        return .ok("port", "`gatehouse dev` serves \(data) at \(running.url)")
    }

    private func usesFile(_ settings: ServerSettings) -> Bool {
        settings.database.server == nil && !only.isPagesAlone
    }

    private func privateFiles(_ given: GivenSettings, _ settings: ServerSettings) -> [String] {
        let folder = options.data.map { [$0, $0 + "/secrets.json"] } ?? []
        return given.secretFiles.sorted() + folder + (usesFile(settings) ? [settings.database.path] : [])
    }

    private func database(_ settings: ServerSettings) async -> ([Finding], newest: Instant?) {
        guard !only.isPagesAlone else { return ([], nil) }
        let path = settings.database.name
        guard settings.database.server != nil || FileManager.default.fileExists(atPath: path) else {
            return (
                [
                    .warning(
                        "database", "\(path) does not exist yet", "the first start creates it, or `gatehouse migrate`")
                ],
                nil
            )
        }
        do {
            let checks = DatabaseChecks(
                settings: settings, parts: only.parts, database: try openDatabase(settings.database, System.world()))
            return (await checks.all(at: System.now()), await checks.newestAccount())
        } catch {
            return ([.problem("database", "\(path) cannot be opened: \(error)", "check owner and permissions")], nil)
        }
    }
}
