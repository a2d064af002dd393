import Foundation
import GatehouseServer
import GatehouseWire

/// A settings file, replaced as a whole: other programs read the old text or the new one.
package struct SettingsFile: Sendable {
    /// Of the file itself, if a symbolic link was named.
    package let path: String
    /// Empty for a new file.
    package let text: String

    /// - Throws: ``SettingsProblems`` if it exists and cannot be read.
    package init(_ path: String) throws {
        let resolved = realpath(path, nil)
        defer { free(resolved) }
        self.path = resolved.map { String(cString: $0) } ?? path
        do throws(UnreadableFile) {
            text = try GivenSettings.readText(self.path)
        } catch {
            guard error == .system(ENOENT) else {
                throw SettingsProblems([SettingsProblem(path, "cannot be read: \(error)")])
            }
            text = ""
        }
    }

    /// A new file is readable only by its owner. An existing one keeps owner and mode, but hides secrets from others.
    ///
    /// - Throws: ``CommandFailure``. The file is unchanged.
    package func replace(with new: String, holdsSecret: Bool) throws {
        let name = (path as NSString).deletingLastPathComponent
        let folder = open(name.isEmpty ? "." : name, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { throw failure() }
        defer { close(folder) }
        guard flock(folder, LOCK_EX | LOCK_NB) == 0, try SettingsFile(path).text == text else {
            throw CommandFailure("\(path) is being changed, or was since the plan. Run the command again.")
        }
        let draft = path + ".new"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure() }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            var old = stat()
            if stat(path, &old) == 0 {
                let mode = old.st_mode & (holdsSecret ? 0o770 : 0o777)
                guard fchown(descriptor, old.st_uid, old.st_gid) == 0, fchmod(descriptor, mode) == 0 else {
                    throw failure()
                }
            }
            try handle.write(contentsOf: Data(new.utf8))
            try handle.synchronize()
            guard rename(draft, path) == 0 else { throw failure() }
        } catch {
            unlink(draft)
            throw error
        }
        // The new name survives a power cut.
        fsync(folder)
    }

    private func failure() -> CommandFailure {
        CommandFailure("\(path) cannot be replaced (\(String(cString: strerror(errno)))).")
    }
}
