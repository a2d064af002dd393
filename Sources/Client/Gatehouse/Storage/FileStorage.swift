import Dispatch
public import Foundation

/// Tells the app, once, where its session is stored.
public enum StorageNotice: Hashable, Sendable {
    /// Without keychain and secret service, tokens are in files readable by this user and root.
    case usesFiles(folder: String)
}

/// Stores each entry in a file of mode 0600, in a folder of mode 0700.
///
/// - Only a missing file is absent. If it is unreadable (permissions, disk error, link, other owner), the store is
///   unavailable, and the file is never replaced.
/// - Writes are durable and atomic.
/// - ``withLock(_:)`` works between processes.
public struct FileStorage: SecureStorage {
    private let folder: SecretFolder
    private let lock: FileLock
    private let queue = DispatchQueue(label: "gatehouse.file-storage")
    private let announcement: Announcement

    /// Creates a store without accessing files.
    ///
    /// - Parameters:
    ///   - folder: For this store only; created when needed.
    ///   - lockLimit: How long to wait for another process.
    ///   - notice: Called once, on first use.
    public init(
        folder: URL, clock: ClientClock = SystemDefaults.clock(), lockLimit: Duration = .seconds(120),
        notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) {
        self.folder = SecretFolder(path: folder.path, now: clock.now)
        lock = FileLock(folder: self.folder, clock: clock, limit: lockLimit)
        announcement = Announcement(.usesFiles(folder: folder.path), notice)
    }

    /// `$XDG_STATE_HOME/<name>`, or `~/.local/state/<name>` if that variable is not an absolute path.
    public static func userFolder(name: String, environment: [String: String]) -> URL {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        return URL(fileURLWithPath: state, isDirectory: true).appendingPathComponent(name, isDirectory: true)
    }

    public func read(_ key: String) async -> StoredValue {
        announcement.make()
        do { return try await queue.run { [folder] in folder.read(key) } } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    public func readNow(_ key: String) -> StoredValue? {
        announcement.make()
        return folder.read(key)
    }

    /// Writes durably. A POSIX error leaves the old value.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        announcement.make()
        try await queue.run { [folder] in try folder.write(bytes, for: key) }
    }

    /// Deletes durably. Throws POSIX errors.
    public func remove(_ key: String) async throws {
        announcement.make()
        try await queue.run { [folder] in try folder.remove(key) }
    }

    /// Waits for earlier callers, then for other processes.
    ///
    /// - Throws: Errors of `body`. Without running it: `CancellationError`, or a POSIX error, `ETIMEDOUT` after the
    ///   lock limit.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        announcement.make()
        return try await lock.run(body)
    }
}

private final class Announcement: Sendable {
    private let isMade = Locked(false)
    private let notice: StorageNotice
    private let hear: @Sendable (StorageNotice) -> Void

    init(_ notice: StorageNotice, _ hear: @escaping @Sendable (StorageNotice) -> Void) {
        self.notice = notice
        self.hear = hear
    }

    func make() {
        let wasMade = isMade.withLock { isMade in
            defer { isMade = true }
            return isMade
        }
        if !wasMade { hear(notice) }
    }
}
