import Foundation
import Gatehouse
import GatehouseDesktop
import Testing

/// Needs the Debian packages `libsecret-tools`, `gnome-keyring` and `dbus`.
@Suite(
    "GNOME Keyring as a store", .serialized,
    .enabled(if: Keyring.isInstalled, "needs secret-tool, gnome-keyring and dbus"))
struct RealSecretServiceTests {
    @Test("B5: Values of any size survive a restart of the service, and can be replaced and removed")
    func roundTrip() async throws {
        try await TestFolder.with { folder in
            let sizes = [0, 1, 5_999, 6_000, 6_001, 20_000]
            try await Keyring.with(folder, isUnlocked: true) { storage in
                for size in sizes {
                    try await storage.write([UInt8](repeating: 1, count: 7_000), for: "-k.\(size)")
                    try await storage.write([UInt8](repeating: 0xC3, count: size), for: "-k.\(size)")
                }
            }
            try await Keyring.with(folder, isUnlocked: true) { storage in
                for size in sizes {
                    #expect(await storage.read("-k.\(size)") == .value([UInt8](repeating: 0xC3, count: size)))
                }
                try await storage.remove("-k.1")
                #expect(await storage.read("-k.1") == .absent)
                #expect(await storage.read("-k.6001") != .absent)
            }
        }
    }

    @Test("B5: A locked keyring, whose tool finds nothing or waits for a password, is unavailable")
    func locked() async throws {
        try await TestFolder.with { folder in
            try await Keyring.with(folder, isUnlocked: true) { try await $0.write([1], for: "k") }
            try await Keyring.with(folder, isUnlocked: false) { storage in
                guard case .unavailable = await storage.read("k") else {
                    Issue.record("signed out")
                    return
                }
                await #expect(throws: StoreProblem.self) { try await storage.write([2], for: "k") }
            }
            try await Keyring.with(folder, isUnlocked: true) { #expect(await $0.read("k") == .value([1])) }
        }
    }

    @Test("A missing bus is unavailable")
    func noBus() async throws {
        try await TestFolder.with { folder in
            try await Keyring.with(folder, isUnlocked: true) { try await $0.write([1], for: "k") }
            let storage = Keyring.storage(folder)
            #expect(await storage.read("k") == .unavailable("secret-tool lookup: exit 1"))
        }
    }
}

/// GNOME Keyring on a separate session bus, with its files in the test's folder.
private enum Keyring {
    static var isInstalled: Bool {
        ["secret-tool", "gnome-keyring-daemon", "dbus-daemon", "dbus-send"].allSatisfy {
            access("/usr/bin/" + $0, X_OK) == 0
        }
    }

    private static func environment(_ folder: TestFolder) -> [String: String] {
        [
            "PATH": "/usr/bin:/bin", "HOME": folder.path, "XDG_RUNTIME_DIR": folder.path,
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + folder.below("bus"),
        ]
    }

    static func storage(_ folder: TestFolder, limit: Duration = .seconds(10)) -> SecretServiceStorage {
        SecretServiceStorage(
            name: "app", folder: folder.url.appendingPathComponent("state"), environment: environment(folder),
            limit: limit)
    }

    /// On command, ends the daemon, the bus and itself. Messages go through files, because programs of concurrent tests
    /// may keep pipes open. KILL, without waiting: a `Process` does not receive the signals that its parent's thread
    /// blocks.
    private static let script = """
        dbus-daemon --session --nofork --nopidfile --address="$DBUS_SESSION_BUS_ADDRESS" &
        bus=$!
        owner="org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.freedesktop.secrets"
        until [ -S "$HOME/bus" ]; do
            kill -0 $bus || exit 1
        done
        printf test | gnome-keyring-daemon --foreground $1 --components=secrets &
        daemon=$!
        until dbus-send --print-reply --dest=$owner | grep -q true; do
            kill -0 $daemon || exit 1
        done
        echo > "$HOME/runs"
        read order < "$HOME/order"
        kill -9 $daemon $bus
        rm "$HOME/bus" "$HOME/runs"
        """

    static func with(
        _ folder: TestFolder, isUnlocked: Bool, _ test: (SecretServiceStorage) async throws -> Void
    ) async throws {
        if mkfifo(folder.below("order"), 0o600) != 0, errno != EEXIST { throw DiskFull() }
        // For both directions: opening does not wait for the shell, on a thread that concurrent tests need.
        let order = open(folder.below("order"), O_RDWR | O_CLOEXEC)
        if order < 0 { throw DiskFull() }
        defer { close(order) }
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The daemon reads its login keyring's password from standard input.
        shell.arguments = ["-c", script, "sh", isUnlocked ? "--unlock" : "--start"]
        shell.environment = environment(folder)
        shell.standardInput = FileHandle.nullDevice
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        await until { FileManager.default.fileExists(atPath: folder.below("runs")) }
        do { try await test(storage(folder, limit: isUnlocked ? .seconds(60) : .seconds(1))) } catch {
            Issue.record(error)
        }
        #expect(write(order, "end\n", 4) == 4)
        await until { !FileManager.default.fileExists(atPath: folder.below("runs")) }
    }
}
