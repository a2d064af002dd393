import Foundation
import GatehouseServer
import GatehouseWire

/// Problem and remedy, as sentences.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Contains one `gatehouse dev`'s accounts and secrets.
struct DevFolder: Sendable {
    static let usualPath = ".gatehouse"
    let path: String

    var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }
    var database: String { path + "/gatehouse.sqlite" }
    var inbox: String { path + "/inbox" }
    private var secretsFile: String { path + "/secrets.json" }
    private var lockFile: String { path + "/lock" }

    /// Readable only by its owner.
    func make() throws {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("The folder \(path) cannot be created: \(error.localizedDescription)")
        }
    }

    /// Until the process ends.
    ///
    /// - Throws: ``CommandFailure`` if another process holds the lock.
    func lock() throws {
        let descriptor = open(lockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("The folder \(path) is not writable.") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(
                "Another `gatehouse dev` is using the folder \(path). Stop it, or use another folder: "
                    + "gatehouse dev --data OTHER --port 0")
        }
    }

    /// - Throws: ``CommandFailure`` if the secrets are missing or damaged.
    func secrets() throws -> DevSecrets {
        guard FileManager.default.fileExists(atPath: secretsFile) else {
            throw CommandFailure("\(path) is not a folder of `gatehouse dev`: it has no secrets.json.")
        }
        let text: String
        do throws(UnreadableFile) {
            text = try GivenSettings.readSecret(secretsFile)
        } catch {
            throw CommandFailure("\(secretsFile) cannot be read: \(error).")
        }
        guard let secrets = DevSecrets(json: text) else {
            throw CommandFailure(
                "\(secretsFile) is damaged. Restore it, or delete the folder \(path) to start without accounts.")
        }
        return secrets
    }

    var running: RunningStack? {
        guard case .running(let stack) = RunningFile.read(path + "/" + RunningFile.name) else { return nil }
        return stack
    }

    func secretsMadeIfNeeded() throws -> DevSecrets {
        guard !FileManager.default.fileExists(atPath: secretsFile) else { return try secrets() }
        let made = DevSecrets(at: System.now(), randomBytes: System.randomBytes)
        let file = secretsFile + ".new"
        unlink(file)
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("The folder \(path) is not writable.") }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: Data(made.json.utf8))
        try handle.synchronize()
        // Renamed when complete, so that a crash leaves no partial secrets.
        guard rename(file, secretsFile) == 0 else {
            throw CommandFailure("The folder \(path) is not writable.")
        }
        return made
    }
}
