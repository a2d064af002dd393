import Foundation

/// Entries that the system keeps when the user deletes the app, such as those of the keychain on iOS.
///
/// The first access of each installation deletes all entries. Otherwise a reinstalled app would start signed in, and an
/// entry that a backup carried to another device would make two devices rotate one refresh token. A marker that no
/// backup includes tells whether this installation has used its entries. While the entries cannot be deleted or the
/// marker cannot be written, the store is unavailable.
///
/// Only the app deletes them. An extension has its own container, without the app's marker, and would mistake the app's
/// session for one of an earlier installation.
struct OutlivingStorage: Sendable {
    /// The calls of the underlying store, which block for about a millisecond.
    struct Entries: Sendable {
        var read: @Sendable (_ key: String) -> StoredValue
        var write: @Sendable (_ bytes: [UInt8], _ key: String) throws -> Void
        var remove: @Sendable (_ key: String) throws -> Void
        var removeAll: @Sendable () throws -> Void
    }

    private let entries: Entries
    /// nil if other programs share the entries, so that no installation owns them.
    private let marker: InstallationMarker?
    private let isOwner: Bool
    private let isChecked = Locked(false)

    /// - Parameter isOwner: Whether this process may delete the entries of an earlier installation. Without the marker, the
    ///   store of any other process is unavailable.
    init(_ entries: Entries, marker: InstallationMarker?, isOwner: Bool) {
        self.entries = entries
        self.marker = marker
        self.isOwner = isOwner
    }

    func read(_ key: String) -> StoredValue {
        do {
            try check()
            return entries.read(key)
        } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    /// - Throws: Errors of the entries or of the marker. The old value is then unchanged.
    func write(_ bytes: [UInt8], for key: String) throws {
        try check()
        try entries.write(bytes, key)
    }

    /// - Throws: Errors of the entries or of the marker. The value then still exists.
    func remove(_ key: String) throws {
        try check()
        try entries.remove(key)
    }

    /// The entries may be those of an earlier installation, which only the app may delete.
    static let notStarted: StoreProblem = "the app has not used this store since its installation"

    private func check() throws {
        guard let marker else { return }
        try isChecked.withLock { isChecked in
            guard !isChecked else { return }
            if try !marker.isSet() {
                guard isOwner else { throw Self.notStarted }
                try entries.removeAll()
                // Last: a crash before it deletes nothing that was written since.
                try marker.set()
            }
            isChecked = true
        }
    }
}

/// A file in the app's container that says that this installation of the app has used its store. The system deletes it
/// with the app.
struct InstallationMarker: Sendable {
    /// The folder in which a process looks for its marker; nil if it has none.
    ///
    /// - Parameters:
    ///   - shared: The folder that the app shares with its extensions.
    ///   - own: The process's own folder, for entries that only the app uses.
    ///   - isApp: As ``isApp(_:)`` says.
    static func container(shared: URL?, own: URL?, isApp: Bool) -> URL? { shared ?? (isApp ? own : nil) }

    /// Whether a process with this main bundle is an app, and not an extension, a service or a program without a bundle.
    static func isApp(_ bundle: URL) -> Bool { bundle.pathExtension == "app" }

    /// A folder for markers only.
    let folder: URL
    /// Distinguishes the stores of one app; any text.
    let name: String
    /// Excludes a file or folder from backups.
    let excludeFromBackup: @Sendable (URL) throws -> Void

    /// - Throws: A POSIX error if the system does not say whether the file exists.
    func isSet() throws -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw SecretFolder.problem() }
        return false
    }

    /// - Throws: An error of the file system. Repeat the call then.
    func set() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // First: no backup may contain the file.
        try excludeFromBackup(folder)
        let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SecretFolder.problem() }
        close(file)
    }

    private var path: String { folder.path + "/" + Array(name.utf8).hexadecimal }
}
