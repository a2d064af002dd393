import Dispatch
import Foundation
public import Gatehouse

/// The store of a desktop's program: the keychain on Apple's systems; elsewhere a working Secret Service, otherwise files.
///
/// The first write decides between service and files, and only it calls the service, so that a signed-out start does
/// not prompt for a password. After that, the app stays with the store that contains data. A start at which the service
/// does not answer is therefore "unavailable", never "signed out", and does not begin a second session in a file; and a
/// session in files is found even if a service has appeared since. After everything is deleted by signing out, the next
/// first write decides again.
public struct DesktopStorage: SecureStorage {
    private let service: SecretServiceStorage
    private let files: FileStorage
    private let folder: SecretFolder
    private let isServiceLikely: Bool
    private let lock: FileLock
    private let choice: FileLock
    private let queue = DispatchQueue(label: "gatehouse.desktop-storage")

    /// Creates the store without accessing anything yet.
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
    ///   - serviceLimit: The time limit of one call to the secret service, including a prompt to the user.
    ///   - notice: Called once, on the first use of a file.
    public static func make(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock(),
        serviceLimit: Duration = .seconds(10), notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) -> any SecureStorage {
        systemKeychain(service: name, accessibility: .whenUnlockedThisDeviceOnly, clock: clock)
            ?? DesktopStorage(
                name: name, environment: environment, clock: clock, serviceLimit: serviceLimit, notice: notice)
    }

    /// The store without a keychain; see ``make(name:environment:clock:serviceLimit:notice:)``.
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

    /// Abandons data in a secret service that will not return, such as a deleted keyring. The next start is signed out
    /// and decides again. Items that the service still contains remain until the app writes there again.
    ///
    /// - Parameters: As for ``make(name:environment:clock:serviceLimit:notice:)``.
    /// - Throws: A POSIX error of the file system. Repeat the call then.
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

    /// - Throws: `StoreProblem` or a POSIX error. The old value is then unchanged.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        // In a separate task: cancellation would lose a session that the server has rotated.
        try await Task {
            // Two processes must not decide differently.
            try await choice.run {
                switch try await queue.run({ [self] in try holder() }) {
                case .service: try await service.write(bytes, for: key)
                case .files: try await files.write(bytes, for: key)
                case .nobody: try await writeFirst(bytes, for: key)
                }
            }
        }.value
    }

    /// - Throws: `StoreProblem` or a POSIX error. The value then still exists.
    public func remove(_ key: String) async throws {
        try await service.remove(key)
        if try await queue.run({ [folder] in try folder.keys() }).contains(key) { try await files.remove(key) }
    }

    /// Waits for earlier callers of this store, then for other processes.
    ///
    /// - Throws: Errors of `body`; `CancellationError`; or a POSIX error, `ETIMEDOUT` if another process held the lock
    ///   for 120 seconds. In the latter cases `body` did not run.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }

    /// Tries the service: if it stores the value and returns it, it is usable.
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
