import Foundation
import GatehouseCLI
import Testing

@Suite("What doctor looks at")
struct DoctorTests {
    @Test("Files that others can open are to be closed, and folders stay passable for their owner")
    func permissions() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("gatehouse-\(UInt64.random(in: .min ... .max))")
        try manager.createDirectory(at: folder, withIntermediateDirectories: false)
        defer {
            // Lost: that a temporary folder could not be removed.
            try? manager.removeItem(at: folder)
        }
        let file = folder.path + "/secrets.json"
        try Data("{}".utf8).write(to: URL(fileURLWithPath: file))
        try manager.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        try manager.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
        let finding = MachineChecks().permissions(of: [folder.path, file, folder.path + "/missing"])
        #expect(finding.state == .warning)
        #expect(finding.advice == "chmod 600 \(file) && chmod 700 \(folder.path)")
        try manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        #expect(MachineChecks().permissions(of: [folder.path, file]).advice == "chmod 600 \(file)")
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
        #expect(MachineChecks().permissions(of: [folder.path, file]).state == .ok)
    }

    @Test("Behind a proxy that nobody trusts everybody is one caller, and that is told")
    func untrustedProxy() throws {
        let finding = try #require(try callers([:]))
        #expect(finding.state == .warning)
        #expect(finding.advice?.hasPrefix("GATEHOUSE_TRUSTED_PROXIES=127.0.0.0/8,::1/128") == true)
    }

    @Test(
        "Callers that are told apart, or need not be, are no finding",
        arguments: [
            ["GATEHOUSE_TRUSTED_PROXIES": "127.0.0.0/8"], ["GOTRUE_RATE_LIMIT_HEADER": "X-Real-Ip"],
            ["GATEHOUSE_LIMITS": "off"], ["GATEHOUSE_LISTEN": "0.0.0.0:9999"],
            ["API_EXTERNAL_URL": "http://127.0.0.1:9999/auth/v1"],
        ])
    func toldApart(changes: [String: String]) throws {
        #expect(try callers(changes) == nil)
    }

    private func callers(_ changes: [String: String]) throws -> Finding? {
        let given = GivenValues.given(changes)
        return MachineChecks().callers(given, try ServerSettings(given))
    }
}
