import Foundation
import Testing

/// Programs that SwiftUI refuses, in the folder `Refused`. A file's first line is a part of the compiler's message.
/// Each line that ends with `// refused` has an error, and with `// warned` a warning, which is an error in the
/// screens' targets.
@Suite("Refused programs")
struct RefusedTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Refused")

    static var programs: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".swift") }
                .sorted()
        }
    }

    @Test("The compiler refuses it, for the reason in the file", arguments: try programs)
    func refused(_ program: String) async throws {
        let file = Self.folder.appending(path: program)
        let source = try String(contentsOf: file, encoding: .utf8)
        let reason = try #require(source.split(separator: "\n").first?.dropFirst(3))
        let (status, output) = try await compile(file)
        guard !program.hasPrefix("Accepted") else {
            #expect(status == 0 && output.isEmpty, "\(output)")
            return
        }
        #expect((status == 0) == program.hasPrefix("Warned"))
        #expect(output.contains(reason), "\(output)")
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            for (mark, kind) in [("// refused", " error: "), ("// warned", " warning: ")] where line.hasSuffix(mark) {
                let isFound = output.split(separator: "\n").contains {
                    $0.contains("\(program):\(index + 1):") && $0.contains(kind)
                }
                #expect(isFound, "line \(index + 1) has no\(kind)\n\(output)")
            }
        }
    }

    /// On a separate thread: waiting in Swift's pool, with one thread per core, delays concurrent tests.
    private func compile(_ file: URL) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { caller in
            Thread.detachNewThread { caller.resume(with: Result { try Self.compileBlocking(file) }) }
        }
    }

    /// With the modules of this test, like another package.
    private static func compileBlocking(_ file: URL) throws -> (status: Int32, output: String) {
        let modules = Bundle.module.bundleURL.deletingLastPathComponent().appending(path: "Modules")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-typecheck", "-swift-version", "6", "-enable-upcoming-feature", "MemberImportVisibility",
            "-package-name", "elsewhere", "-I", modules.path(), file.path(),
        ]
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
