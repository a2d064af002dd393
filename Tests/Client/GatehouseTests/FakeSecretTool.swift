import Foundation
import Gatehouse
import GatehouseDesktop

/// Keeps its items in files, with faults set by a test.
struct FakeSecretTool: Sendable {
    let folder: TestFolder

    init(in folder: TestFolder) async throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder.below("items"), withIntermediateDirectories: false)
        try await folder.install(Self.script, as: "secret-tool")
    }

    /// With the fake first in its path.
    var environment: [String: String] {
        [
            "PATH": folder.path + ":/usr/bin:/bin", "HOME": folder.path,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + folder.below("bus"),
        ]
    }

    func storage(clock: ClientClock = HandClock().clock) -> SecretServiceStorage {
        SecretServiceStorage(
            name: "app", folder: folder.url.appendingPathComponent("state"), environment: environment, clock: clock)
    }

    /// `fails`, `is locked`, `is garbled`, `floods`, `forgets`, `cuts`, `breaks at part 1`, `hangs` or `hangs hard`;
    /// nil for no fault.
    func meet(_ fault: String?) throws { try folder.write(fault ?? "", to: "fault") }

    /// The arguments of its runs so far.
    func calls() throws -> [String] {
        guard FileManager.default.fileExists(atPath: folder.below("calls")) else { return [] }
        return try folder.text("calls").split(separator: "\n").map(String.init)
    }

    /// The attributes of all items.
    func items() throws -> [String] { try folder.names("items") }

    private static let script = #"""
        #!/bin/sh
        here=${0%/*}
        printf '%s\n' "$*" >> "$here/calls"
        env >> "$here/environment"
        command=$1
        shift
        case "$1" in --label=*) shift ;; esac
        [ "$1" = -- ] && shift
        item=$here/items/
        while [ $# -gt 1 ]; do
            item=$item$1=$2,
            shift 2
        done
        fault=
        [ -f "$here/fault" ] && fault=$(cat "$here/fault")
        hang() {
            exec 9> "$here/alive"
            sleep 1000 &
            echo $$ > "$here/pid.new"
            mv "$here/pid.new" "$here/pid"
            wait
            exit 7
        }
        case "$fault:$command" in
        fails:*)
            echo "Could not connect" >&2
            exit 1 ;;
        "is locked:store")
            echo "Cannot create an item in a locked collection" >&2
            exit 1 ;;
        "is locked:"*) exit 1 ;;
        "is garbled:lookup")
            echo "anything"
            exit 0 ;;
        floods:lookup) exec yes ;;
        forgets:store)
            cat > "$here/forgotten"
            exit 0 ;;
        cuts:store)
            head -c 40 > "$item"
            exit 0 ;;
        "breaks at part 1:store")
            case "$item" in *part=1,) kill -9 $$ ;; esac ;;
        hangs:*) hang ;;
        "hangs hard:"*)
            trap "" TERM
            hang ;;
        esac
        case $command in
        store) cat > "$item" ;;
        lookup)
            [ -f "$item" ] || exit 1
            cat "$item" ;;
        clear)
            found=1
            for one in "$item"*; do
                [ -f "$one" ] && rm -f "$one" && found=0
            done
            exit $found ;;
        *) exit 2 ;;
        esac

        """#
}

/// Long waits end on the test's command. The clock does not move, so a short wait for a lock never expires.
final class HandClock: Sendable {
    private struct State {
        var hasStruck = false
        var shortWaits = 0
        var waiting: [AsyncStream<Never>.Continuation] = []
    }

    private let state = Locked(State())

    /// The number of waits for the limit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The number of other waits.
    var shortWaits: Int { state.withLock { $0.shortWaits } }

    /// From now on.
    func strike() {
        let waiting = state.withLock { state in
            state.hasStruck = true
            return state.waiting
        }
        for one in waiting { one.finish() }
    }

    var clock: ClientClock {
        ClientClock(
            now: { Date(timeIntervalSince1970: 1_767_225_600) }, uptime: { .zero },
            sleep: { [state] duration in
                try Task.checkCancellation()
                guard duration >= .seconds(3) else {
                    state.withLock { $0.shortWaits += 1 }
                    return await Task.yield()
                }
                let (stream, continuation) = AsyncStream<Never>.makeStream()
                let hasStruck = state.withLock { state in
                    state.waiting.append(continuation)
                    return state.hasStruck
                }
                if hasStruck { continuation.finish() }
                for await _ in stream {}
                try Task.checkCancellation()
            })
    }
}
