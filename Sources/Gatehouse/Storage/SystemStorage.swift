import Dispatch
import Foundation

/// The store that fits the system: the keychain on Apple's systems; elsewhere the Secret Service when there is one
/// that works, else files.
///
/// Which of the two it is decides the first write, and only then is the service asked: a guest's start asks nobody
/// for a password. From then on the app stays with the store that holds something. So a start at which the service
/// does not answer says "unavailable", never "signed out", and starts no second session in a file; and a session in
/// files is found there although a service has come meanwhile. When everything is removed, by signing out, the next
/// first write decides anew.
public struct SystemStorage: SecureStorage {
    private let service: SecretServiceStorage
    private let files: FileStorage
    private let folder: SecretFolder
    private let isServiceLikely: Bool
    private let lock: FileLock
    private let choice: FileLock
    private let queue = DispatchQueue(label: "gatehouse.system-storage")

    /// Touches nothing yet.
    ///
    /// - Parameters:
    ///   - name: The app's, such as `com.example.app`; ASCII letters, digits, `.` and `-`.
    ///   - environment: The process's own.
    ///   - serviceLimit: How long one question to the secret service may take, a person's answer included.
    ///   - notice: Hears once, at the first use of a file, that files are used.
    public static func make(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock(),
        serviceLimit: Duration = .seconds(10), notice: @escaping @Sendable (StorageNotice) -> Void = { _ in }
    ) -> any SecureStorage {
        systemKeychain(service: name, clock: clock)
            ?? SystemStorage(
                name: name, environment: environment, clock: clock, serviceLimit: serviceLimit, notice: notice)
    }

    /// The store without a keychain; as ``make(name:environment:clock:serviceLimit:notice:)``.
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

    /// Gives up what lies in a secret service that will not come back, such as a deleted keyring: the next start is
    /// a guest's, and decides anew. What the service still holds stays in it until the app writes there again.
    ///
    /// - Parameters: As for ``make(name:environment:clock:serviceLimit:notice:)``.
    /// - Throws: A POSIX error.
    public static func forgetSecretService(
        name: String, environment: [String: String], clock: ClientClock = SystemDefaults.clock()
    ) throws {
        let user = FileStorage.userFolder(name: name, environment: environment)
        let folder = SecretFolder(path: serviceFolder(below: user).path, now: clock.now)
        for key in try folder.keys() { try folder.remove(key) }
    }

    public func read(_ key: String) async -> StoredValue {
        do {
            switch try await holder() {
            case .service: return await service.read(key)
            case .files: return await files.read(key)
            case .nobody: return .absent
            }
        } catch {
            return .unavailable(reason: error.shortText)
        }
    }

    /// - Throws: ``SecretServiceProblem`` or a POSIX error; the old value is then still there.
    public func write(_ bytes: [UInt8], for key: String) async throws {
        // In a task of its own: a cancelled one would lose a session that the server has changed.
        try await Task {
            // Two processes must not decide differently.
            try await choice.run {
                switch try await holder() {
                case .service: try await service.write(bytes, for: key)
                case .files: try await files.write(bytes, for: key)
                case .nobody: try await writeFirst(bytes, for: key)
                }
            }
        }.value
    }

    /// - Throws: ``SecretServiceProblem`` or a POSIX error; the value is then still there.
    public func remove(_ key: String) async throws {
        try await service.remove(key)
        if try await keysInFiles().contains(key) { try await files.remove(key) }
    }

    /// Waits for its turn among the callers of this value, then for the other processes.
    public func withLock<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await lock.run(body)
    }

    /// The write is the proof: what the service takes and gives back, it can keep.
    private func writeFirst(_ bytes: [UInt8], for key: String) async throws {
        guard isServiceLikely else { return try await files.write(bytes, for: key) }
        do {
            try await service.write(bytes, for: key)
        } catch is SecretServiceProblem {
            try await files.write(bytes, for: key)
        }
    }

    private enum Holder { case service, files, nobody }

    private func holder() async throws -> Holder {
        if try await service.holdsValues() { return .service }
        return try await keysInFiles().isEmpty ? .nobody : .files
    }

    private func keysInFiles() async throws -> [String] { try await queue.run { [folder] in try folder.keys() } }

    private static func serviceFolder(below folder: URL) -> URL {
        folder.appendingPathComponent(".secret-service", isDirectory: true)
    }
}
