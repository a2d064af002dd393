import Foundation

/// A folder that is removed with the test.
package final class Scratch: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gatehouse-test-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        // Ignored: the system cleans its temporary folder.
        try? FileManager.default.removeItem(atPath: path)
    }

    package func write(_ text: String, to name: String, mode: Int = 0o600) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: url, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
    }

    package func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }
}
