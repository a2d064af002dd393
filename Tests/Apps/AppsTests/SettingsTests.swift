import Foundation
import Gatehouse
import GatehouseUI
import Testing

@testable import AppSupport

@MainActor @Suite("An app's settings")
struct SettingsTests {
    private let whole = [
        "GatehouseServer": "https://accounts.example.com", "GatehousePublishableKey": "sb_publishable_1",
        "GatehouseRedirect": "boxscore://auth-callback",
    ]

    private func account(_ values: [String: String]) -> AuthManager {
        AuthManager(ServerSettings { values[$0] }, storage: MemoryStorage())
    }

    @Test("The values of the xcconfig reach the manager; the gateway is the server itself unless configured")
    func values() {
        var values = whole
        let account = account(values)
        #expect(account.setupProblem == nil && account.gateway != nil)
        #expect(account.redirectTo == URL(string: "boxscore://auth-callback"))
        #expect(ServerSettings { values[$0] }.gateway == nil)
        values["GatehouseGateway"] = "https://api.example.com"
        #expect(ServerSettings { values[$0] }.gateway == "https://api.example.com")
    }

    @Test("A missing or empty value is named", arguments: [nil, "", "  "])
    func missing(_ value: String?) {
        for (key, parameter) in ["GatehouseServer": "url", "GatehousePublishableKey": "publishableKey"] {
            var values = whole
            values[key] = value
            #expect(account(values).setupProblem?.parameter == parameter)
        }
    }

    @Test("A URL without a host is invalid: an xcconfig reduces `https://…` to `https:`")
    func comment() {
        var values = whole
        values["GatehouseServer"] = "https:"
        #expect(account(values).setupProblem?.parameter == "url")
    }
}

@Suite("The apps' sources")
struct AppSourcesTests {
    @Test("Nothing of GatehouseTesting is in a shipped app: files that import it are left out of it")
    func previews() throws {
        let folder = World.sources.appending(path: "../../../Apps").standardizedFileURL
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("import GatehouseTesting") else { continue }
            count += 1
            #expect(text.hasPrefix("#if DEBUG\n") && text.hasSuffix("#endif\n"), "\(file.lastPathComponent)")
        }
        #expect(count == 4)
    }
}
