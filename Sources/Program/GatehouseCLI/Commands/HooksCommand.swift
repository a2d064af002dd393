import AccountDomain
import AccountStore
import ArgumentParser
import AuthServer
import GatehouseServer
import GatehouseWire

struct HookCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hooks", abstract: "Lists hooks, webhooks and deliveries, and tests or replays them.",
        discussion: "Finished deliveries are kept for a week and can be replayed until then.",
        subcommands: [ListHooks.self, TestHook.self, ReplayDeliveries.self])
}

struct ListHooks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists hooks and webhooks, and the newest deliveries.",
        discussion: "EXAMPLES:\n  gatehouse hooks list --to crm --limit 10")

    @OptionGroup var options: DataOptions
    @Option(help: ArgumentHelp("Only deliveries to this webhook.", valueName: "webhook")) var to: String?
    @Option(help: ArgumentHelp("The maximum number of deliveries.", valueName: "n")) var limit = 50
    @Flag(help: "Print the deliveries, one JSON object per line.") var json = false

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be positive.") }
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let deliveries = try await opened.accounts.events.deliveries(to: to, limit: limit)
        if json {
            for delivery in deliveries { try Output.line(line(delivery)) }
            return
        }
        try await listEndpoints(opened)
        var table = TextTable(["ID", "WEBHOOK", "EVENT", "CREATED", "STATE", "ATTEMPTS", "REASON"])
        for delivery in deliveries {
            table.add([
                delivery.id, delivery.endpoint, delivery.kind, "\(delivery.createdAt)", delivery.state,
                "\(delivery.attempts)", delivery.reason ?? "-",
            ])
        }
        try Output.send(table.text)
    }

    private func listEndpoints(_ opened: OpenedAccounts) async throws {
        var table = TextTable(["NAME", "KIND", "STATE", "QUEUED", "URL"])
        for endpoint in try await EndpointStatus.all(opened.settings.hooks, opened.accounts) {
            table.add([
                endpoint.name, endpoint.kind.rawValue, endpoint.state, endpoint.waiting.map { "\($0)" } ?? "-",
                endpoint.url,
            ])
        }
        try Output.send(table.text + "\n")
    }

    private func line(_ delivery: DeliveryStatus) -> String {
        let members: [String: AuthJSON?] = [
            "id": .string(delivery.id), "webhook": .string(delivery.endpoint), "event": .string(delivery.kind),
            "user_id": .string(delivery.user), "created_at": .string("\(delivery.createdAt)"),
            "state": .string(delivery.state), "attempts": .integer(Int64(delivery.attempts)),
            "next_at": .string("\(delivery.nextAt)"), "reason": delivery.reason.map(AuthJSON.string),
            "ended_at": delivery.endedAt.map { .string("\($0)") },
        ]
        return AuthJSON.object(AuthJSONObject(members.compactMapValues(\.self))).text
    }
}

struct TestHook: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Sends the event gatehouse.test to a webhook, once.",
        discussion: """
            A webhook that was disabled by status 410 is enabled again if it accepts the event.

            EXAMPLES:
              gatehouse hooks test crm
            """)

    @OptionGroup var options: DataOptions
    @Argument(help: "The webhook's name in the settings.") var name: String

    /// A `gatehouse dev` folder does not contain its webhooks, which may have secrets.
    private var remedy: String {
        guard options.data != nil else { return " List them with `gatehouse hooks list`." }
        let name = Setting.webhooks.environmentName
        return " `gatehouse dev` reads its webhooks from \(name). Set it here to the same value."
    }

    func run() async throws {
        let opened = try await OpenedAccounts(options)
        let configuration = opened.settings.hooks
        guard let endpoint = configuration.webhooks.first(where: { $0.name == name }) else {
            throw CommandFailure("The settings have no webhook \(name)." + remedy)
        }
        let now = System.now()
        let id = Identifier<DeliveryStatus>(random: System.randomBytes(16))
        let message = WebhookMessage.test(of: name, id: id.text, at: now)
        let calls = SignedCalls(configuration.rule, System.world())
        switch try await Webhooks.attempt(message, to: endpoint, at: now, send: calls.send) {
        case .delivered:
            try await opened.accounts.events.enable(endpoint)
            try Output.line("\(name) accepted \(message.id)")
        case .gone: throw CommandFailure("\(name) responded with status 410, which disables it.")
        case .failed(let reason): throw CommandFailure("\(name) did not accept the event: \(reason).")
        }
    }
}

struct ReplayDeliveries: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Repeats deliveries now, with the same ID: finished ones, or ones that wait.",
        discussion: "EXAMPLES:\n  gatehouse hooks replay --failed crm\n  gatehouse hooks replay --waiting crm")

    @OptionGroup var options: DataOptions
    @Argument(help: ArgumentHelp("The delivery's ID, from `gatehouse hooks list`.", valueName: "id")) var delivery:
        String?
    @Option(help: ArgumentHelp("Replay all failed deliveries to this webhook.", valueName: "webhook")) var failed:
        String?
    @Option(help: ArgumentHelp("Deliver all that wait for this webhook.", valueName: "webhook")) var waiting: String?

    func validate() throws {
        guard [delivery, failed, waiting].compactMap(\.self).count == 1 else {
            throw ValidationError("Specify a delivery, --failed or --waiting.")
        }
    }

    func run() async throws {
        let choice: DeliveryChoice
        if let delivery {
            guard let id = Identifier<DeliveryStatus>(delivery) else {
                throw CommandFailure("\(delivery) is not a delivery ID. List them with `gatehouse hooks list`.")
            }
            choice = .one(id.text)
        } else {
            choice = waiting.map { .waiting(endpoint: $0) } ?? .failed(endpoint: failed ?? "")
        }
        let opened = try await OpenedAccounts(options)
        let count = try await opened.accounts.events.replay(choice, at: System.now())
        guard count > 0 || delivery == nil else {
            throw CommandFailure(
                "No finished or waiting delivery has this ID. List them with `gatehouse hooks list`.")
        }
        // A removed webhook may still have deliveries, and a `gatehouse dev` folder does not name its webhooks.
        if count == 0, let name = failed ?? waiting, options.data == nil,
            !opened.settings.hooks.webhooks.contains(where: { $0.name == name })
        {
            throw CommandFailure(
                "The settings have no webhook \(name), and no delivery to it \(failed == nil ? "waits" : "has failed"). "
                    + "List them with `gatehouse hooks list`.")
        }
        try Output.line("\(count) deliveries queued")
    }
}
