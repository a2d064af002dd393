import Foundation

/// Entries that outlive the app's deletion, such as the keychain's on iOS.
///
/// Each installation's first access deletes them. Otherwise a reinstalled app would start signed in, and a backup would
/// make two devices rotate one refresh token. A marker, excluded from backups, records that access. Until both succeed,
/// the store is unavailable.
///
/// Only the app deletes them: an extension lacks the marker, so it would mistake the app's session for an earlier
/// installation's.
struct OutlivingStorage: Sendable {
    /// They block for about a millisecond.
    struct Entries: Sendable {
        var read: @Sendable (_ key: String) -> StoredValue
        var write: @Sendable (_ bytes: [UInt8], _ key: String) throws -> Void
        var remove: @Sendable (_ key: String) throws -> Void
        var removeAll: @Sendable () throws -> Void
    }

    private let entries: Entries
    /// nil if other programs share the entries.
    private let marker: InstallationMarker?
    private let isOwner: Bool
    private let isChecked = Locked(false)

    /// - Parameter isOwner: May delete an earlier installation's entries.
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

    func write(_ bytes: [UInt8], for key: String) throws {
        try check()
        try entries.write(bytes, key)
    }

    func remove(_ key: String) throws {
        try check()
        try entries.remove(key)
    }

    /// Only the app may delete earlier entries.
    static let notStarted: StoreProblem = "the app has not used this store since its installation"

    private func check() throws {
        guard let marker else { return }
        try isChecked.withLock { isChecked in
            guard !isChecked else { return }
            if try !marker.isSet() {
                guard isOwner else { throw Self.notStarted }
                try entries.removeAll()
                // Last, so a crash before it deletes nothing newer.
                try marker.set()
            }
            isChecked = true
        }
    }
}

/// A file in the app's container: this installation has used its store.
struct InstallationMarker: Sendable {
    /// The folder shared with extensions, or else an app's own.
    static func container(shared: URL?, own: URL?, isApp: Bool) -> URL? { shared ?? (isApp ? own : nil) }

    /// Not an extension, service or bare program.
    static func isApp(_ bundle: URL) -> Bool { bundle.pathExtension == "app" }

    let folder: URL
    /// Distinguishes an app's stores; any text.
    let name: String
    let excludeFromBackup: @Sendable (URL) throws -> Void

    /// Throws a POSIX error if unknown.
    func isSet() throws -> Bool {
        if access(path, F_OK) == 0 { return true }
        guard errno == ENOENT || errno == ENOTDIR else { throw SecretFolder.problem() }
        return false
    }

    /// May be repeated after an error.
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
