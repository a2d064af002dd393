import ArgumentParser
import AuthServer
import DevStack
import Foundation
import GatehouseServer
import GatehouseWire
import HTTPServing
import ProfileGateway

struct Dev: AsyncParsableCommand {
    static let usualPort = 9_999

    static let configuration = CommandConfiguration(
        commandName: "dev", abstract: "Starts everything on this machine, with generated keys and no configuration.",
        discussion: """
            Accounts and keys are stored in a folder and kept between runs. New emails are confirmed automatically, \
            anonymous sign-in is enabled, and there are no rate limits. Emails are not sent but kept in an inbox at \
            /dev/inbox. Apple and Google are simulated. Browsers may return to any page on this machine. Hooks, \
            webhooks, traces and the OAuth server are configured by environment variables, as with serve.

            EXAMPLES:
              gatehouse dev
              gatehouse dev --port 0 --data /tmp/accounts
              gatehouse dev --redirect boxscore://signed-in --strict
            """)

    @Option(help: "The TCP port; 0 finds a free one.") var port: UInt16 = UInt16(Dev.usualPort)
    @Option(help: ArgumentHelp("The folder for accounts and keys.", valueName: "folder")) var data: String = DevFolder
        .usualPath
    @Option(
        help: ArgumentHelp("The address to listen on. Any but loopback admits other machines.", valueName: "address"))
    var host: String = "127.0.0.1"
    @Option(
        help: ArgumentHelp(
            "An additional redirect URL or pattern, such as boxscore://signed-in. Repeatable.", valueName: "url")
    )
    var redirect: [String] = []
    @Option(
        help: ArgumentHelp(
            """
            Another name of this machine for browsers and devices, such as my-mac.local. Repeatable; IP addresses, \
            localhost and --host are always allowed.
            """, valueName: "name"))
    var allowHost: [String] = []
    @Option(help: ArgumentHelp("A JSON Schema for custom profile fields, like `profile_schema`.", valueName: "file"))
    var profileSchema: String?
    @Option(
        help: ArgumentHelp(
            """
            A JSON file with teams, like `team_catalogue`. The default on Linux is the catalogue of BoxScore, the app \
            at /app; an empty value omits it.
            """, valueName: "file"))
    var teamCatalogue: String?
    @Option(
        help: ArgumentHelp(
            "Comma-separated simulated providers to sign in with: \(DevStandIns.names.joined(separator: ", ")).",
            valueName: "names"))
    var providers = DevStandIns.usual.joined(separator: ",")
    @Flag(help: "Print URLs and keys as one line of JSON.") var json = false
    @Flag(help: "Apply the rate limits of `serve`.") var limits = false
    @Flag(help: "Require new accounts to confirm their email, with the code in the inbox.") var confirmEmail = false
    @Flag(help: "Require a recent sign-in or the current password to change sign-in methods.")
    var strict = false

    private var simulated: [String] { providers.split(ascii: ",").map { String($0.filter { $0 != " " }) } }

    func validate() throws {
        for name in simulated where !DevStandIns.names.contains(name) {
            throw ValidationError("--providers: \(name) is not one of \(DevStandIns.names.joined(separator: ", ")).")
        }
        for entry in redirect where entry.contains(",") || !RedirectEntry.canMatch(entry, asPattern: true) {
            throw ValidationError("--redirect: \(entry) is not a valid redirect URL.")
        }
    }

    func run() async throws {
        try checkEnvironment()
        let address = try freeAddress()
        let folder = DevFolder(path: data)
        try folder.make()
        try folder.lock()
        let secrets = try folder.secretsMadeIfNeeded()
        var settings = try settings(folder, secrets, address)
        let (app, missing) = appInBrowser(address, secrets)
        let inbox = try inbox(address, folder)
        inbox?.configure(&settings, isLimited: limits)
        let standIns = try DevStandIns(
            at: address.localURL, app: app?.url, inbox: inbox?.url, offering: simulated,
            confirmsAutomatically: settings.auth.confirmsAutomatically)
        settings.providers = standIns?.providers ?? []
        note(address, hasStandIns: standIns != nil, missing)
        let console = settings.openConsole(secrets.secretKey, randomBytes: System.randomBytes)
        let text = try text(secrets, address, standIns, app, inbox, console)
        let files = runningFiles(address, secrets, folder, inbox)
        defer { files.withdraw() }
        if !files.isComplete {
            Output.note("Client commands such as `gatehouse login` may not find this server. Pass --url to them.")
        }
        let api = try APIPage(document: APIDocument.bytes())
        try await serve(
            settings, makeLogger(settings), mailKeeper: try inbox?.keeper(), requestAnswered: json ? nil : Self.note,
            beside: { runtime in
                guard let standIns else { return [] }
                return standIns.standIns.tables(runtime: runtime) + (app?.tables(runtime) ?? [])
                    + (inbox.map { [$0.table(runtime)] } ?? []) + [api.table(runtime: runtime)]
            },
            prepareSchema: { try await migrate($0, migrations(for: [.auth])) },
            onReady: {
                // Ignored: the server runs without a terminal, and `gatehouse login` finds its URL without the text.
                try? Output.line(text)
            })
    }

    private func runningFiles(
        _ address: ListenAddress, _ secrets: DevSecrets, _ folder: DevFolder, _ inbox: DevInbox?
    ) -> RunningFiles {
        let stack = RunningStack(
            url: address.localURL, publishableKey: secrets.publishableKey, folder: folder.absolutePath,
            inbox: inbox?.url)
        return RunningFiles(
            stack, address: address, stateFolder: DevStacks.stateFolder(environment: System.environment))
    }

    /// Not with `--json`, whose readers are programs.
    @Sendable private static func note(_ request: AnsweredRequest) { Output.note(request.line) }

    private func checkEnvironment() throws {
        let ignored = IgnoredSettings(environment: System.environment)
        try reporting { () throws(SettingsProblems) in try ignored.refuse() }
        let file = ConfigurationFile.usualName
        let remark = ignored.remark(file: FileManager.default.fileExists(atPath: file) ? file : nil)
        if let remark { Output.note(remark) }
    }

    private func reporting<Value>(_ read: () throws(SettingsProblems) -> Value) throws -> Value {
        do throws(SettingsProblems) {
            return try read()
        } catch {
            Output.note("\(error)")
            throw ExitCode(.configuration)
        }
    }

    private func appInBrowser(
        _ address: ListenAddress, _ secrets: DevSecrets
    ) -> (AppInBrowser?, AppInBrowser.Missing?) {
        do throws(AppInBrowser.Missing) {
            return (try AppInBrowser(server: address.localURL, publishableKey: secrets.publishableKey), nil)
        } catch {
            return (nil, error)
        }
    }

    /// Shows all accounts' emails, and therefore runs on this machine only.
    private func inbox(_ address: ListenAddress, _ folder: DevFolder) throws -> DevInbox? {
        if address.isLoopback { return try DevInbox(at: address.localURL, in: folder) }
        guard !confirmEmail else {
            throw CommandFailure(
                "--confirm-email needs the inbox, which is available only on this machine. Omit --host or --confirm-email."
            )
        }
        return nil
    }

    private func note(_ address: ListenAddress, hasStandIns: Bool, _ missing: AppInBrowser.Missing?) {
        if !address.isLoopback {
            Output.note(
                "WARNING: other machines can reach \(address.host), but this server is for development: no rate limits, "
                    + "no email, keys in a folder. Use `gatehouse serve` for other users.")
        }
        if !hasStandIns {
            Output.note(
                "The simulated providers, the example app (/app) and the inbox (/dev/inbox) are off: without "
                    + "TLS they are available only on this machine.")
        } else if let missing {
            Output.note("The example app (/app) is off: \(missing.reason).")
        }
    }

    private func text(
        _ secrets: DevSecrets, _ address: ListenAddress, _ standIns: DevStandIns?, _ app: AppInBrowser?,
        _ inbox: DevInbox?, _ console: String
    ) throws -> String {
        var addresses = DevAddresses(
            url: address.localURL, publishableKey: secrets.publishableKey, secretKey: secrets.secretKey,
            anonKey: try secrets.roleKey("anon"), serviceRoleKey: try secrets.roleKey("service_role"), folder: data,
            apple: simulated.contains("apple") ? standIns?.appleURL : nil,
            google: simulated.contains("google") ? standIns?.googleURL : nil, app: standIns == nil ? nil : app?.url,
            inbox: inbox?.url)
        addresses.providers = standIns == nil ? [] : simulated
        if address.isLoopback { addresses.console = address.localURL + console }
        return json ? addresses.json : addresses.block
    }

    private func freeAddress() throws -> ListenAddress {
        let wanted = ListenAddress(host: host, port: Int(port))
        switch FreePort.probe(wanted) {
        case .free(let port): return ListenAddress(host: host, port: port)
        case .taken:
            throw CommandFailure(
                "Port \(port) is in use by a `gatehouse dev` or another program. Stop it, or choose another port: "
                    + "gatehouse dev --port 0")
        case .refused(let reason): throw CommandFailure("Cannot listen on \(wanted): \(reason).")
        }
    }

    private func settings(
        _ folder: DevFolder, _ secrets: DevSecrets, _ address: ListenAddress
    ) throws -> ServerSettings {
        var others: [Setting: String] = [:]
        others[.profileSchema] = profileSchema
        others[.teamCatalogue] = teamCatalogue
        others[.telemetryApps] = "boxscore,dailyritual"
        if limits { others[.limits] = "on" }
        if confirmEmail { others[.autoConfirm] = "false" }
        let environment = secrets.environment(
            database: folder.database, address: address, redirects: redirect, isStrict: strict, others: others
        ).merging(IgnoredSettings.read(from: System.environment)) { $1 }
        var settings = try reporting { () throws(SettingsProblems) in
            try ServerSettings(GivenSettings(environment: environment))
        }
        if teamCatalogue == nil { settings.profileFields.teams = try AppInBrowser.teams.map(TeamCatalogue.init) }
        settings.servesMetricsToLoopback = true
        settings.servesAPIDocument = true
        settings.callers = LocalCallers(names: allowHost + [host])
        return settings
    }
}
