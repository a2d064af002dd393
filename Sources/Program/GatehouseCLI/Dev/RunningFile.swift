import Foundation
package import GatehouseServer
import GatehouseWire

/// Public facts only.
package struct RunningStack: Hashable, Sendable {
    /// Without a trailing slash.
    package let url: String
    package let publishableKey: String
    /// An absolute path.
    package let folder: String
    package let inbox: String?

    package init(url: String, publishableKey: String, folder: String, inbox: String? = nil) {
        (self.url, self.publishableKey, self.folder, self.inbox) = (url, publishableKey, folder, inbox)
    }
}

extension RunningStack {
    /// nil if the URL is not one of `gatehouse dev`.
    package var address: ListenAddress? {
        url.hasPrefix("http://") ? ListenAddress(String(url.dropFirst("http://".count))) : nil
    }

    /// Parses ``json``.
    package init?(json text: String) {
        // Ignored: other text is not this program's file.
        guard let json = try? JSONReader.read(text), let url = json["url"]?.stringValue,
            let key = json["publishable_key"]?.stringValue, let folder = json["folder"]?.stringValue
        else { return nil }
        self.init(url: url, publishableKey: key, folder: folder, inbox: json["inbox"]?.stringValue)
    }

    package var json: String {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("url", url)
        writer.member("publishable_key", publishableKey)
        writer.member("folder", folder)
        if let inbox { writer.member("inbox", inbox) }
        writer.endObject()
        return writer.text + "\n"
    }
}

/// The running process holds a lock on the file. After a crash the file is recognized as stale even if another program
/// uses the address.
package struct RunningFile: Sendable {
    package enum Content: Hashable, Sendable {
        /// No file, or one that another user could have written.
        case absent
        case running(RunningStack)
        /// Its process has ended.
        case stale(RunningStack)
    }

    package static let name = "running.json"
    private static let largest: off_t = 65_536

    let path: String
    /// Never closed: the process holds the lock as long as it lives.
    private let descriptor: Int32

    /// Writes and locks the file before giving it its name.
    ///
    /// - Returns: nil if it cannot be written; clients must then be given the URL.
    package init?(_ stack: RunningStack, at path: String) {
        let new = path + ".new"
        unlink(new)
        let descriptor = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return nil }
        let bytes = Array(stack.json.utf8)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, write(descriptor, bytes, bytes.count) == bytes.count,
            rename(new, path) == 0
        else {
            close(descriptor)
            unlink(new)
            return nil
        }
        self.path = path
        self.descriptor = descriptor
    }

    /// Deletes the file, unless another process has replaced it.
    package func withdraw() {
        var (mine, there) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, lstat(path, &there) == 0, mine.st_ino == there.st_ino,
            mine.st_dev == there.st_dev
        else { return }
        unlink(path)
    }

    /// Also checks whether the file's process still holds the lock.
    package static func read(_ path: String) -> Content {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .absent }
        defer { close(descriptor) }
        var status = stat()
        // Clients send a password to this URL, so the file must belong to the current user.
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o022 == 0, status.st_size <= Self.largest
        else { return .absent }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = Foundation.read(descriptor, &bytes, bytes.count)
        guard count > 0, let stack = RunningStack(json: String(decoding: bytes.prefix(count), as: UTF8.self)) else {
            return .absent
        }
        return flock(descriptor, LOCK_SH | LOCK_NB) == 0 ? .stale(stack) : .running(stack)
    }
}

/// One in the stack's folder, and one in the user's state folder for calls from elsewhere.
struct RunningFiles {
    private let files: [RunningFile]
    let isComplete: Bool

    /// - Parameter stateFolder: As in ``DevStacks``; created if needed.
    init(_ stack: RunningStack, address: ListenAddress, stateFolder: String) {
        // Ignored: writing the file reports a missing folder.
        try? FileManager.default.createDirectory(
            atPath: stateFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        Self.sweep(stateFolder)
        let paths = [stack.folder + "/" + RunningFile.name, "\(stateFolder)/\(address.host)-\(address.port).json"]
        files = paths.compactMap { RunningFile(stack, at: $0) }
        isComplete = files.count == paths.count
    }

    func withdraw() { for file in files { file.withdraw() } }

    private static func sweep(_ folder: String) {
        for path in DevStacks.files(in: folder) {
            if case .stale = RunningFile.read(path) { unlink(path) }
        }
    }
}
