package import Foundation

/// The blocking part of ``FileStorage``.
package struct SecretFolder: Sendable {
    package let path: String
    /// For the age of incomplete files.
    let now: @Sendable () -> Date

    package init(path: String, now: @escaping @Sendable () -> Date) { (self.path, self.now) = (path, now) }

    private static let largestEntry: off_t = 1 << 20
    private static let torn = ".new-"

    package func read(_ key: String) -> StoredValue {
        do { return try contents(of: key).map(StoredValue.value) ?? .absent } catch {
            return .unavailable(StoreProblem(error))
        }
    }

    /// Writes a new file to disk, then renames it.
    package func write(_ bytes: [UInt8], for key: String) throws {
        try make()
        // It may contain a session, so it is not replaced.
        _ = try contents(of: key)
        sweep()
        let name = try file(key)
        var template = Array("\(path)/\(Self.torn)\(key)-XXXXXX".utf8CString)
        let file = try check(mkstemp(&template))
        do {
            defer { close(file) }
            try check(fcntl(file, F_SETFD, FD_CLOEXEC))
            try check(fchmod(file, 0o600))
            try write(bytes, to: file)
            try check(fsync(file))
            try check(rename(template, name))
        } catch {
            unlink(template)
            throw error
        }
        try sync()
    }

    package func remove(_ key: String) throws {
        guard unlink(try file(key)) != 0 else { return try sync() }
        if errno != ENOENT { throw Self.problem() }
    }

    /// For this user only, with missing parents.
    package func make() throws {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES { throw Self.problem() }
        }
        var status = stat()
        try check(stat(path, &status))
        guard status.st_mode & S_IFMT == S_IFDIR else { throw Self.problem(ENOTDIR) }
        guard status.st_uid == geteuid() else { throw Self.problem(EPERM) }
        if status.st_mode & 0o077 != 0 { try check(chmod(path, 0o700)) }
    }

    package func keys() throws -> [String] {
        if access(path, F_OK) != 0, errno == ENOENT { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") }
    }

    /// nil if there is no file.
    package func contents(of key: String) throws -> [UInt8]? {
        // Non-blocking, in case it is a pipe.
        let file = open(try file(key), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        try check(file)
        defer { close(file) }
        var status = stat()
        try check(fstat(file, &status))
        guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { throw Self.problem(EPERM) }
        guard status.st_size <= Self.largestEntry else { throw Self.problem(EFBIG) }
        if status.st_mode & 0o077 != 0 { try check(fchmod(file, 0o600)) }
        return try readAll(file, size: Int(status.st_size))
    }

    private func readAll(_ descriptor: Int32, size: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = Foundation.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.problem() }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.problem() }
            rest = rest.dropFirst(count)
        }
    }

    /// Makes a rename or deletion durable.
    private func sync() throws {
        let folder = try check(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        defer { close(folder) }
        try check(fsync(folder))
    }

    /// Deletes files that writers left before the rename. None takes an hour.
    private func sweep() {
        // Ignored: the next write retries.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where name.hasPrefix(Self.torn) {
            // Ignored: as above.
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/" + name)
            guard let changed = attributes?[.modificationDate] as? Date else { continue }
            if now().timeIntervalSince(changed) > 3_600 { unlink(path + "/" + name) }
        }
    }

    private func file(_ key: String) throws -> String {
        let isName = key.utf8.allSatisfy { $0.isAlphanumeric || ".-".utf8.contains($0) }
        // Dotted names are the lock and incomplete files.
        guard isName, !key.isEmpty, !key.hasPrefix(".") else { throw Self.problem(EINVAL) }
        return path + "/" + key
    }

    @discardableResult
    private func check(_ result: Int32) throws -> Int32 {
        guard result >= 0 else { throw Self.problem() }
        return result
    }

    /// Names no path.
    package static func problem(_ number: Int32 = errno) -> any Error {
        NSError(domain: NSPOSIXErrorDomain, code: Int(number))
    }
}
