import AuthServer
import Foundation
import GatehouseCLI
import Testing

@Suite("The YAML file")
struct ConfigurationFileTests {
    /// Runs `body` with a file of this text, which is gone afterwards.
    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gatehouse-\(UInt64.random(in: .min ... .max)).yaml")
        try Data(text.utf8).write(to: path)
        defer {
            // Lost: that a temporary file could not be removed.
            try? FileManager.default.removeItem(at: path)
        }
        try await body(path.path)
    }

    @Test("Its values count where the environment has none")
    func reading() async throws {
        let text = """
            # the least
            database: from-file.sqlite
            external_url: "https://file.example.org/auth/v1"
            secrets: "1:\(GivenValues.secret)"
            jwt_exp: 120
            disable_signup: true
            auth_paths:
              - /
              - /auth/v1
            """
        try await withFile(text) { path in
            let file = try await ConfigurationFile(path: path)
            let settings = try ServerSettings(
                GivenSettings(environment: ["GOTRUE_JWT_EXP": "240", "GATEHOUSE_PORT": "1234"], file: file))
            #expect(settings.database.path == "from-file.sqlite")
            #expect(settings.auth.accessTokenLifetime == .seconds(240))
            #expect(settings.listen.port == 1_234)
            #expect(!settings.auth.allowsSignUp)
            #expect(settings.authPrefixes == ["", "/auth/v1"])
        }
    }

    @Test("A misspelt key is told, with the word that was meant")
    func misspelt() async throws {
        try await withFile("databse: x\nport: 80\ngatehouse_port: 1\n") { path in
            let file = try await ConfigurationFile(path: path)
            #expect(file.problems.map(\.name) == ["databse in \(path)", "gatehouse_port in \(path)"])
            #expect(file.problems.first?.expected == "is not a setting; did you mean database?")
        }
    }

    @Test("A wrong value is told with its key and file")
    func wrongValue() async throws {
        try await withFile("jwt_exp: soon\n") { path in
            let given = GivenSettings(environment: GivenValues.least, file: try await ConfigurationFile(path: path))
            #expect(throws: SettingsProblems.self) { try ServerSettings(given) }
            do throws(SettingsProblems) {
                _ = try ServerSettings(given)
            } catch {
                #expect(error.problems.map(\.name) == ["jwt_exp in \(path)"])
            }
        }
    }

    @Test("What is no YAML mapping is one problem", arguments: ["- a\n- b\n", "a: [", "\tb"])
    func malformed(text: String) async throws {
        try await withFile(text) { path in
            await #expect(throws: SettingsProblems([SettingsProblem(path, "cannot be read as YAML")])) {
                try await ConfigurationFile(path: path)
            }
        }
    }
}
