import Dispatch
public import Foundation

/// What an app should know, once, about where its session is kept.
public enum StorageNotice: Hashable, Sendable {
    /// There is no keychain and no secret service: the tokens lie in files that only this user (and root) can read.
    case usesFiles(folder: String)
}

/// Keeps each entry in a file of mode 0600, in a folder of mode 0700: what is left where no secret service runs.
///
/// - A file that is not there is absent. Everything else that keeps an entry from being read (rights, a disk fault,
///   a folder or link in its place, another owner) is unavailable, and such a file is never replaced.
/// - A write is durable when it returns, and a crash leaves the old value or the new one.
/// - ``withLock(_:)`` holds between processes.
public struct FileStorage: SecureStorage {
    private let folder: SecretFolder
    private let lock: FileLock
    private let queue = DispatchQueue(label: "gatehouse.file-storage")
    private let announcement: Announcement

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - folder: For this store alone. It is made when needed.
    ///   - lockLimit: How long to wait for another process.
    ///   - notice: Hears once, at the first use, that files are used.
    public init(
        folder: URL, clock: ClientClock = SystemDefaults.clock(), lockLimit: Duration = .seconds(120),
        notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) {
        self.folder = SecretFolder(path: folder.path, now: clock.now)
        lock = FileLock(folder: self.folder, clock: clock, limit: lockLimit)
        announcement = Announcement(.usesFiles(folder: folder.path), notice)
    }

    /// `$XDG_STATE_HOME/<name>`, or `~/.local/state/<name>` when that is not set or is not absolute.
    public static func userFolder(name: String, environment: [String: String]) -> URL {
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/state"
        return URL(fileURLWithPath: state, isDirectory: true).appendingPathComponent(name, isDirectory: true)
    }

    public func read(_ key: String) async -> StoredValue {
        announcement.make()
        do { return try await queue.run { [folder] in folder.read(key) } } catch {
            return .unavailable(reason: error.shortText)
        }
    }

    /// - Throws: A POSIX error; the old value is then still there.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        announcement.make()
        try await queue.run { [folder] in try folder.write(bytes, for: key) }
    }

    /// - Throws: A POSIX error.
    public func remove(_ key: String) async throws {
        announcement.make()
        try await queue.run { [folder] in try folder.remove(key) }
    }

    /// Waits for its turn among the callers of this value, then for the other processes.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        announcement.make()
        return try await lock.run(body)
    }
}

/// Said once.
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
