import Dispatch
import Foundation
public import Gatehouse

/// Stores entries in the keychain on Apple's systems; elsewhere in a working Secret Service, or else in files.
///
/// The first write chooses; the app stays with that store until signing out deletes everything. A signed-out start does
/// not prompt for a password. Without the service's response, entries are "unavailable", never absent.
public struct DesktopStorage: SecureStorage {
    private let service: SecretServiceStorage
    private let files: FileStorage
    private let folder: SecretFolder
    private let isServiceLikely: Bool
    private let lock: FileLock
    private let choice: FileLock
    private let queue = DispatchQueue(label: "gatehouse.desktop-storage")

    /// Creates the store without accessing anything.
    ///
    /// ```swift
    /// let environment = ProcessInfo.processInfo.environment
    /// let storage = DesktopStorage.make(name: "com.example.app", environment: environment) { notice in
    ///     if case .usesFiles(let folder) = notice { print("Sessions are stored in \(folder).") }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The app's name, such as `com.example.app`; ASCII letters, digits, `.` and `-`.
    ///   - environment: The process's environment.
    ///   - serviceLimit: The time limit of each call to the service, including its prompt.
    ///   - notice: Called once, on the first use of a file.
    public static func make(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock(),
        serviceLimit: Duration = .seconds(10), notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) -> any SecureStorage {
        systemKeychain(service: name, accessibility: .whenUnlockedThisDeviceOnly, clock: clock)
            ?? DesktopStorage(
                name: name, environment: environment, clock: clock, serviceLimit: serviceLimit, notice: notice)
    }

    /// The store without a keychain.
    init(
        name: String, environment: [String: String], clock: ClientClock, serviceLimit: Duration,
        notice: @escaping @Sendable (StorageNotice) -> Void
    ) {
        let folder = FileStorage.userFolder(name: name, environment: environment)
        service = SecretServiceStorage(
            name: name, folder: Self.serviceFolder(below: folder), environment: environment, limit: serviceLimit,
            clock: clock)
        files = FileStorage(folder: folder, clock: clock, notice: notice)
        self.folder = SecretFolder(path: folder.path, now: clock.now)
        isServiceLikely = SecretServiceStorage.isLikely(environment: environment)
        lock = FileLock(folder: self.folder, clock: clock)
        choice = FileLock(folder: self.folder, clock: clock, name: ".choice")
    }

    /// Abandons a secret service that will not return, such as a deleted keyring.
    ///
    /// The next start is signed out and chooses again. The service's items remain until the app next writes there.
    ///
    /// - Parameters: As for ``make(name:environment:clock:serviceLimit:notice:)``.
    /// - Throws: A POSIX error; retry.
    public static func forgetSecretService(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock()
    ) throws {
        let user = FileStorage.userFolder(name: name, environment: environment)
        let folder = SecretFolder(path: serviceFolder(below: user).path, now: clock.now)
        for key in try folder.keys() { try folder.remove(key) }
    }

    public func read(_ key: String) async -> StoredValue {
        do {
            switch try await queue.run({ [self] in try holder() }) {
            case .service: return await service.read(key)
            case .files: return await files.read(key)
            case .nobody: return .absent
            }
        } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    /// - Returns: nil if the secret service contains the value.
    public func readNow(_ key: String) -> StoredValue? {
        do {
            switch try holder() {
            case .service: return service.readNow(key)
            case .files: return files.readNow(key)
            case .nobody: return .absent
            }
        } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    /// - Throws: `StoreProblem` or a POSIX error; the old value is unchanged.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        // Cancellation would lose a session that the server has rotated.
        try await Task {
            // Two processes must not choose differently.
            try await choice.run {
                switch try await queue.run({ [self] in try holder() }) {
                case .service: try await service.write(bytes, for: key)
                case .files: try await files.write(bytes, for: key)
                case .nobody: try await writeFirst(bytes, for: key)
                }
            }
        }.value
    }

    /// - Throws: `StoreProblem` or a POSIX error; the value still exists.
    public func remove(_ key: String) async throws {
        try await service.remove(key)
        if try await queue.run({ [folder] in try folder.keys() }).contains(key) { try await files.remove(key) }
    }

    /// Waits for earlier callers of this store, then for other processes.
    ///
    /// - Throws: Errors of `body`. If it did not run: `CancellationError`, or a POSIX error, `ETIMEDOUT` after 120
    ///   seconds.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }

    /// A usable service returns the stored value.
    private func writeFirst(_ bytes: [UInt8], for key: String) async throws {
        guard isServiceLikely else { return try await files.write(bytes, for: key) }
        do {
            try await service.write(bytes, for: key)
        } catch is StoreProblem {
            try await files.write(bytes, for: key)
        }
    }

    private enum Holder { case service, files, nobody }

    /// Reads small files only.
    private func holder() throws -> Holder {
        if try service.holdsValues() { return .service }
        return try folder.keys().isEmpty ? .nobody : .files
    }

    private static func serviceFolder(below folder: URL) -> URL {
        folder.appendingPathComponent(".secret-service", isDirectory: true)
    }
}
