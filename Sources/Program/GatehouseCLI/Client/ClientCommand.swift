import ArgumentParser
import Foundation
import Gatehouse
import GatehouseModel
import GatehouseServer
import GatehouseWire

struct ClientOptions: ParsableArguments {
    static let urlName = ClientVariables.url
    static let keyName = ClientVariables.key

    @Option(
        help: ArgumentHelp(
            "The server, such as https://accounts.example.com (default: \(urlName), else the `gatehouse dev` of this "
                + "folder or machine).", valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "The server's publishable key (default: \(keyName); found automatically for a local `gatehouse dev`).",
            valueName: "key"))
    var key: String?

    @Flag(help: "Print one JSON object, and errors as JSON on standard error.") var json = false

    func target(environment: [String: String], stacks: DevStacks) throws(ClientFailure) -> ClientTarget {
        func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let key = key ?? given(Self.keyName)
        guard let address = url ?? given(Self.urlName) else { return try Self.target(stacks.find(), key) }
        let target = try ClientTarget(address: address, key: key ?? "")
        guard let stack = stacks.stack(at: target.url) else { return target }
        return try Self.target(stack, key)
    }

    private static func target(_ stack: RunningStack, _ key: String?) throws(ClientFailure) -> ClientTarget {
        var target = try ClientTarget(address: stack.url, key: key ?? stack.publishableKey)
        target.inbox = stack.inbox
        return target
    }
}

protocol ClientCommand: AsyncParsableCommand {
    var options: ClientOptions { get }

    func perform(_ client: Client) async throws
}

extension ClientCommand {
    func run() async throws {
        let isJSON = options.json
        let terminal = await Terminal.watched {
            if isJSON { ClientFailure.interrupted.tell(asJSON: true) } else { Output.part("\n") }
        }
        var server = ""
        do {
            let environment = System.environment
            let target = try options.target(environment: environment, stacks: DevStacks(environment: environment))
            server = target.text
            try await perform(try Client(target, terminal: terminal, isJSON: isJSON, environment: environment))
        } catch {
            let failure = ClientFailure(error, at: server)
            failure.tell(asJSON: isJSON)
            throw ExitCode(failure.exit)
        }
    }
}

extension ClientFailure {
    /// To standard error.
    func tell(asJSON isJSON: Bool) { Output.note(isJSON ? json.text.escaped : "Error: \(message)") }
}
