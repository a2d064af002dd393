package import Foundation
import Gatehouse
import GatehouseWire

/// Finds the `gatehouse dev` that a command without a server refers to.
package struct DevStacks: Sendable {
    package var folder: String
    /// Where every `gatehouse dev` of this user registers.
    package var stateFolder: String
    package var read: @Sendable (_ path: String) -> RunningFile.Content = RunningFile.read

    package init(folder: String, stateFolder: String) {
        self.folder = folder
        self.stateFolder = stateFolder
    }

    init(environment: [String: String]) {
        self.init(
            folder: FileManager.default.currentDirectoryPath, stateFolder: Self.stateFolder(environment: environment))
    }

    /// Not the sessions' folder, which belongs to the session storage.
    static func stateFolder(environment: [String: String]) -> String {
        FileStorage.userFolder(name: "gatehouse-dev", environment: environment).path
    }

    static func files(in folder: String) -> [String] {
        // Ignored: an unreadable folder has no stack.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted().map { folder + "/" + $0 }
    }

    /// This folder's or the nearest parent's stack, otherwise the only running one.
    ///
    /// - Throws: ``ClientFailure`` if no stack runs, if this folder's stack has stopped, or if several run.
    package func find() throws(ClientFailure) -> RunningStack {
        switch nearest() {
        case .running(let stack): return stack
        case .stale(let stack): throw Self.ended(stack)
        case .absent: break
        }
        let running = running()
        if running.count > 1 {
            let list = running.map { "\($0.url) (\($0.folder))" }.joined(separator: ", ")
            throw .usage("Several `gatehouse dev` run on this machine. Choose one with --url: \(list).")
        }
        if let stack = running.first { return stack }
        for path in Self.files(in: stateFolder) {
            if case .stale(let stack) = read(path) { throw Self.ended(stack) }
        }
        throw ClientFailure(
            "no_server",
            "No server was specified. Pass --url or set GATEHOUSE_URL, or start a server with `gatehouse dev`.",
            exit: .usage)
    }

    package func stack(at url: URL) -> RunningStack? {
        var stacks = running()
        if case .running(let stack) = nearest() { stacks.append(stack) }
        return stacks.first { $0.url == url.absoluteString }
    }

    private func nearest() -> RunningFile.Content {
        var parts = folder.split(separator: "/")
        while true {
            let path = parts.map(String.init) + [DevFolder.usualPath, RunningFile.name]
            let content = read("/" + path.joined(separator: "/"))
            if content != .absent || parts.isEmpty { return content }
            parts.removeLast()
        }
    }

    private func running() -> [RunningStack] {
        Self.files(in: stateFolder).compactMap { path in
            if case .running(let stack) = read(path) { stack } else { nil }
        }
    }

    private static func ended(_ stack: RunningStack) -> ClientFailure {
        ClientFailure(
            "dev_stack_ended",
            "The `gatehouse dev` in \(stack.folder) at \(stack.url) is not running. Start it again, or pass another "
                + "server with --url.",
            exit: .unavailable)
    }
}
