import Foundation

/// libsecret's `secret-tool`, which speaks to the Secret Service of the person's desktop.
///
/// Its exit says less than it seems to: it gives 1 and says nothing for an item that is not there, for one in a
/// locked collection, and for one whose owner did not answer the question for the password. So "it found nothing" is
/// never taken for "there is nothing" (see ``SecretServiceStorage``).
struct SecretTool: Sendable {
    /// Nil when it is not installed.
    let path: String?
    let environment: [String: String]
    let limit: Duration
    let clock: ClientClock

    /// What one item can hold is 8,191 bytes; of more, some versions keep the beginning and report success.
    static let largestSecret = 8_191

    /// One item's attributes. Everybody who may use the service can read them: none is secret.
    typealias Attributes = [(name: String, value: String)]

    enum Answer: Hashable, Sendable {
        case done([UInt8])
        /// Not there, or not to be seen now.
        case nothing
        /// The text is for a log; it repeats nothing that the tool said.
        case failed(String)
    }

    func lookUp(_ attributes: Attributes) async -> Answer { await run("lookup", [], attributes) }

    /// - Parameter secret: Text of at most ``largestSecret`` bytes, passed on standard input: an argument and the
    ///   environment can be seen by others.
    func store(_ secret: [UInt8], label: String, _ attributes: Attributes) async -> Answer {
        await run("store", ["--label=" + label], attributes, input: secret)
    }

    /// Removes all items that have these attributes, whatever others they have.
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
    /// For a log.
    var text: String {
        switch self {
        case .notStarted(let number): "not started, error \(number)"
        case .tookTooLong: "no answer in time"
        case .saidTooMuch: "an answer too long"
        }
    }
}
