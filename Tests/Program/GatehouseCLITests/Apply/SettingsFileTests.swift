import Foundation
import GatehouseCLI
import GatehouseServer
import Testing

@Suite("Replacing a settings file")
struct SettingsFileTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().appendingPathComponent(
            "gatehouse-\(UInt64.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // Ignored: the system cleans its temporary folder.
            try? FileManager.default.removeItem(at: folder)
        }
        try body(folder.path)
    }

    private func mode(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("A new file is its owner's; an existing one keeps its mode, but hides secrets from others")
    func modes() throws {
        try withFolder { folder in
            let path = folder + "/gatehouse.yaml"
            try SettingsFile(path).replace(with: "port: 80\n", holdsSecret: false)
            #expect(try mode(path) == 0o600)
            for (mode, holdsSecret, expected) in [(0o644, false, 0o644), (0o644, true, 0o640), (0o600, true, 0o600)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                try SettingsFile(path).replace(with: "port: 81\n", holdsSecret: holdsSecret)
                #expect(try self.mode(path) == expected)
            }
            #expect(try SettingsFile(path).text == "port: 81\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["gatehouse.yaml"])
        }
    }

    @Test("A file that was changed since the plan stays as it is")
    func changed() throws {
        try withFolder { folder in
            let path = folder + "/gatehouse.yaml"
            let (new, other) = (try SettingsFile(path), try SettingsFile(path))
            try other.replace(with: "port: 80\n", holdsSecret: false)
            #expect(throws: (any Error).self) { try new.replace(with: "port: 81\n", holdsSecret: false) }
            #expect(try SettingsFile(path).text == "port: 80\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["gatehouse.yaml"])
        }
    }

    @Test("A symbolic link stays, and the file that it names is replaced")
    func link() throws {
        try withFolder { folder in
            try SettingsFile(folder + "/real.yaml").replace(with: "port: 80\n", holdsSecret: false)
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/link.yaml", withDestinationPath: "real.yaml")
            try SettingsFile(folder + "/link.yaml").replace(with: "port: 81\n", holdsSecret: false)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.yaml") == "real.yaml")
            #expect(try SettingsFile(folder + "/real.yaml").text == "port: 81\n")
        }
    }

    @Test("A folder in its place is a problem of the configuration")
    func folder() throws {
        try withFolder { folder in
            #expect(throws: SettingsProblems([SettingsProblem(folder, "cannot be read: it is a folder")])) {
                try SettingsFile(folder)
            }
        }
    }
}
