import Dispatch
public import Foundation
public import Gatehouse

/// Stores entries in the Secret Service of a Linux desktop (GNOME Keyring, KWallet, KeePassXC), with libsecret's
/// `secret-tool`.
///
/// - A small file for each entry, without secrets, says where its parts are. The file is authoritative: without it the
///   entry is absent. With it, any failure to get the parts (no bus, a locked collection, an unanswered prompt, another
///   desktop's service) is "unavailable". The service's own "nothing found" is not reliable, because a locked
///   collection gives the same answer.
/// - A value of up to 384,000 bytes is written as parts of a new generation, which are read back; then the file is
///   replaced; then the old parts are deleted. A crash leaves either the old or the new value.
/// - Values pass through pipes, never through arguments, the environment or a file.
/// - A tool that does not answer is killed at the time limit.
/// - ``withLock(_:)`` works between processes.
public struct SecretServiceStorage: SecureStorage {
    private let name: String
    let folder: SecretFolder
    private let tool: SecretTool
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let lock: FileLock
    private let changes: FileLock
    private let queue = DispatchQueue(label: "gatehouse.secret-service-storage")

    /// Creates a store without accessing anything yet.
    ///
    /// - Parameters:
    ///   - name: The app's name, in the attributes and labels of its items.
    ///   - folder: A folder exclusively for the files of this store, created when needed. Without it the items are
    ///     lost.
    ///   - environment: The process's environment, for the session bus, the display and `secret-tool`.
    ///   - tool: Overrides the `secret-tool` in `PATH`.
    ///   - limit: The time limit of one run of the tool, including a prompt to the user.
    public init(
        name: String, folder: URL, environment: [String: String], tool: URL? = nil, limit: Duration = .seconds(10),
        clock: ClientClock = SystemDefaults.clock(),
        randomness: @escaping @Sendable (Int) -> [UInt8] = SystemDefaults.randomBytes
    ) {
        self.name = name
        self.folder = SecretFolder(path: folder.path, now: clock.now)
        self.tool = SecretTool(
            path: tool?.path ?? ChildProcess.find("secret-tool", environment: environment), environment: environment,
            limit: limit, clock: clock)
        randomBytes = randomness
        lock = FileLock(folder: self.folder, clock: clock)
        changes = FileLock(folder: self.folder, clock: clock, name: ".changes")
    }

    /// Whether a tool and a session bus exist.
    ///
    /// - Parameter environment: The process's environment.
    public static func isLikely(environment: [String: String]) -> Bool {
        guard ChildProcess.find("secret-tool", environment: environment) != nil else { return false }
        if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
        guard let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") else { return false }
        return access(runtime + "/bus", F_OK) == 0
    }

    public func read(_ key: String) async -> StoredValue {
        // If the value was replaced while its parts were read, read it again.
        for _ in 0..<4 {
            let parts: SecretParts
            do {
                guard case .value(let found) = try await index(of: key) else { return .absent }
                parts = found
            } catch {
                return .unavailable(StoreProblem(error))
            }
            let value = await read(parts, of: key)
            if case .value = value { return value }
            // Ignored: a file that is unreadable now makes the store unavailable in any case.
            if let again = try? await index(of: key), again == .value(parts) { return value }
        }
        return .unavailable("replaced repeatedly")
    }

    /// - Returns: nil if there is a value, which only the tool can read.
    public func readNow(_ key: String) -> StoredValue? {
        do {
            guard let bytes = try folder.contents(of: key), SecretIndex(bytes) != .leaving else { return .absent }
            return nil
        } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    /// - Throws: `StoreProblem` or a POSIX error. The old value is then unchanged.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        guard let values = SecretParts.split(bytes) else { throw SecretFolder.problem(EFBIG) }
        try await change {
            let old = try await index(of: key)
            guard case .value(let live) = old else {
                // There is no current value, so any items are leftovers.
                try await clear(key, nil)
                return try await put(values, bytes.count, in: .a, of: key)
            }
            try await clear(key, live.slot.other)
            try await put(values, bytes.count, in: live.slot.other, of: key)
            // The new value is in use. Items that a failure leaves here are deleted before the next write but one.
            _ = await tool.clear(items(of: key, in: live.slot))
        }
    }

    /// Deletes the value. Items in a locked collection that the service does not show remain there, unreadable for this
    /// store, until the key's next write. This allows users to sign out at any time.
    ///
    /// - Throws: `StoreProblem` or a POSIX error. The value then still exists.
    public func remove(_ key: String) async throws {
        // Deleting a missing value does not create the folder.
        guard try await entry(of: key) != nil else { return }
        try await change {
            guard let old = try await entry(of: key) else { return }
            try await onDisk { try folder.write(SecretIndex.leaving.bytes, for: key) }
            do {
                try await clear(key, nil)
            } catch {
                try await onDisk { try folder.write(old, for: key) }
                throw error
            }
            try await onDisk { try folder.remove(key) }
        }
    }

    /// Waits for earlier callers of this store, then for other processes.
    ///
    /// - Throws: Errors of `body`; `CancellationError`; or a POSIX error, `ETIMEDOUT` if another process held the lock
    ///   for 120 seconds. In the latter cases `body` did not run.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }

    /// Whether a value is stored, or may be. Reads small files only.
    func holdsValues() throws -> Bool {
        for key in try folder.keys() {
            guard let bytes = try folder.contents(of: key) else { continue }
            if SecretIndex(bytes) != .leaving { return true }
        }
        return false
    }

    private func entry(of key: String) async throws -> [UInt8]? { try await onDisk { try folder.contents(of: key) } }

    /// - Returns: nil if nothing is stored.
    private func index(of key: String) async throws -> SecretIndex? {
        guard let bytes = try await entry(of: key) else { return nil }
        guard let index = SecretIndex(bytes) else { throw StoreProblem("no index") }
        return index
    }

    private func read(_ parts: SecretParts, of key: String) async -> StoredValue {
        var bytes: [UInt8] = []
        for number in 0..<parts.count {
            switch await tool.lookUp(item(number, parts, key)) {
            case .done(let text):
                guard let part = SecretParts.part(text) else {
                    return .unavailable("secret-tool: not what was stored")
                }
                bytes += part
            case .nothing:
                return .unavailable(
                    StoreProblem("secret-tool: locked, or removed by another program", cause: .locked))
            case .failed(let reason): return .unavailable(StoreProblem(reason))
            }
        }
        guard bytes.count == parts.bytes else { return .unavailable("secret-tool: not what was stored") }
        return .value(bytes)
    }

    /// Writes the parts, verifies that they are readable, and replaces the file.
    private func put(_ values: [[UInt8]], _ count: Int, in slot: SecretParts.Slot, of key: String) async throws {
        let generation = randomBytes(16).hexadecimal
        let parts = SecretParts(slot: slot, generation: generation, count: values.count, bytes: count)
        for (number, value) in values.enumerated() {
            let (text, attributes) = (SecretParts.text(value), item(number, parts, key))
            if case .failed(let reason) = await tool.store(text, label: name, attributes) {
                throw StoreProblem(reason)
            }
            // Some failures of the tool look like success.
            guard case .done(let kept) = await tool.lookUp(attributes), SecretParts.part(kept) == value else {
                throw StoreProblem("secret-tool: the stored value cannot be read")
            }
        }
        try await onDisk { try folder.write(SecretIndex.value(parts).bytes, for: key) }
    }

    private func clear(_ key: String, _ slot: SecretParts.Slot?) async throws {
        if case .failed(let reason) = await tool.clear(items(of: key, in: slot)) {
            throw StoreProblem(reason)
        }
    }

    private func item(_ number: Int, _ parts: SecretParts, _ key: String) -> SecretTool.Attributes {
        items(of: key, in: parts.slot) + [("generation", parts.generation), ("part", String(number))]
    }

    private func items(of key: String, in slot: SecretParts.Slot?) -> SecretTool.Attributes {
        let all: SecretTool.Attributes = [("application", name), ("key", key)]
        return slot.map { all + [("slot", $0.rawValue)] } ?? all
    }

    /// Makes one change at a time, between processes. Cancellation does not interrupt a change: a session that the
    /// server has rotated must not be lost with the screen that requested it.
    private func change(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await changes.run(body) }.value
    }

    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await queue.run(work)
    }
}
