import Foundation
import Gatehouse

/// libsecret's `secret-tool`.
///
/// A missing item, a locked collection and an unanswered prompt all exit with 1 and no message, so this never means
/// "absent".
struct SecretTool: Sendable {
    /// nil if not installed.
    let path: String?
    let environment: [String: String]
    let limit: Duration
    let clock: ClientClock

    /// In bytes. Some versions truncate longer items silently.
    static let largestSecret = 8_191

    /// Readable by every client of the service, so never secret.
    typealias Attributes = [(name: String, value: String)]

    enum Answer: Hashable, Sendable {
        case done([UInt8])
        /// Missing, or not visible now.
        case nothing
        /// For logs, without the tool's output.
        case failed(String)
    }

    func lookUp(_ attributes: Attributes) async -> Answer { await run("lookup", [], attributes) }

    /// - Parameter secret: At most ``largestSecret`` bytes, on standard input: other users can see arguments.
    func store(_ secret: [UInt8], label: String, _ attributes: Attributes) async -> Answer {
        await run("store", ["--label=" + label], attributes, input: secret)
    }

    /// Ignores further attributes.
    func clear(_ attributes: Attributes) async -> Answer { await run("clear", [], attributes) }

    private func run(
        _ command: String, _ options: [String], _ attributes: Attributes, input: [UInt8] = []
    ) async -> Answer {
        guard let path else { return .failed("secret-tool is not installed") }
        let words = [command] + options + ["--"] + attributes.flatMap { [$0.name, $0.value] }
        let child = ChildProcess(path: path, arguments: words, environment: environment)
        do {
            let exit = try await child.run(input: input, limit: limit, clock: clock)
            if exit.code == 0 { return .done(exit.output) }
            if exit.code == 1, command != "store", exit.output.isEmpty, exit.errors.isEmpty { return .nothing }
            return .failed("secret-tool \(command): " + (exit.code.map { "exit \($0)" } ?? "ended by a signal"))
        } catch let problem as ChildProblem {
            return .failed("secret-tool \(command): " + problem.text)
        } catch {
            return .failed("secret-tool \(command): " + error.shortText)
        }
    }
}

extension ChildProblem {
    /// For logs.
    var text: String {
        switch self {
        case .notStarted(let number): "not started, error \(number)"
        case .tookTooLong: "no answer in time"
        case .saidTooMuch: "an answer too long"
        }
    }
}
