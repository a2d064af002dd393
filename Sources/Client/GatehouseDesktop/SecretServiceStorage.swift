import Dispatch
public import Foundation
public import Gatehouse

/// Stores entries in a Linux desktop's Secret Service (GNOME Keyring, KWallet, KeePassXC), with libsecret's
/// `secret-tool`.
///
/// - A small file without secrets locates each entry; without it, the entry is absent. Any failure to read a located
///   entry is "unavailable": the service also "finds nothing" in a locked collection.
/// - A value has at most 384,000 bytes. A crash during a write leaves the old or the new value.
/// - Values pass only through pipes.
/// - ``withLock(_:)`` works between processes.
public struct SecretServiceStorage: SecureStorage {
    private let name: String
    let folder: SecretFolder
    private let tool: SecretTool
    private let randomBytes: @Sendable (Int) -> [UInt8]
    private let lock: FileLock
    private let changes: FileLock
    private let queue = DispatchQueue(label: "gatehouse.secret-service-storage")

    /// Creates a store without accessing anything.
    ///
    /// - Parameters:
    ///   - name: The app's name, in its items' attributes and labels.
    ///   - folder: A folder exclusively for this store, created when needed. Without it, the items are lost.
    ///   - environment: The process's, for the session bus, the display and `secret-tool`.
    ///   - tool: Overrides the `secret-tool` in `PATH`.
    ///   - limit: The time limit of one run of the tool, including its prompt.
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
        // Retries if the value was replaced while its parts were read.
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
            // Ignored: an unreadable file also means unavailable.
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

    /// - Throws: `StoreProblem` or a POSIX error; the old value is unchanged.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        guard let values = SecretParts.split(bytes) else { throw SecretFolder.problem(EFBIG) }
        try await change {
            let old = try await index(of: key)
            guard case .value(let live) = old else {
                // Items without a value are leftovers.
                try await clear(key, nil)
                return try await put(values, bytes.count, in: .a, of: key)
            }
            try await clear(key, live.slot.other)
            try await put(values, bytes.count, in: live.slot.other, of: key)
            // Ignored: leftovers are deleted before the next write but one.
            _ = await tool.clear(items(of: key, in: live.slot))
        }
    }

    /// Deletes the value.
    ///
    /// Items in a locked collection remain, unreadable, until the key's next write, so users can always sign out.
    ///
    /// - Throws: `StoreProblem` or a POSIX error; the value still exists.
    public func remove(_ key: String) async throws {
        // Otherwise deleting a missing value would create the folder.
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
    /// - Throws: Errors of `body`. If it did not run: `CancellationError`, or a POSIX error, `ETIMEDOUT` after 120
    ///   seconds.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }

    /// True if unknown. Reads small files only.
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

    /// Verifies the parts, then replaces the file.
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

    /// One at a time across processes. Cancellation would lose a session that the server has rotated.
    private func change(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await Task { try await changes.run(body) }.value
    }

    private func onDisk<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await queue.run(work)
    }
}
