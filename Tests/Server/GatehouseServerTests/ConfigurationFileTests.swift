import AuthServer
import Foundation
import GatehouseServer
import TestSupport
import Testing

@Suite("The YAML file")
struct ConfigurationFileTests {
    private func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(
            "gatehouse-\(UInt64.random(in: .min ... .max)).yaml")
        try Data(text.utf8).write(to: path)
        defer {
            // Ignored: the system cleans its temporary folder.
            try? FileManager.default.removeItem(at: path)
        }
        try body(path.path)
    }

    @Test("Its values apply where the environment has none")
    func reading() throws {
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
        try withFile(text) { path in
            let file = try ConfigurationFile(path: path)
            let settings = try ServerSettings(
                GivenSettings(environment: ["GOTRUE_JWT_EXP": "240", "GATEHOUSE_PORT": "1234"], file: file))
            #expect(settings.database.path == "from-file.sqlite")
            #expect(settings.auth.accessTokenLifetime == .seconds(240))
            #expect(settings.listen.port == 1_234)
            #expect(!settings.auth.allowsSignUp)
            #expect(settings.authPrefixes == ["", "/auth/v1"])
        }
    }

    @Test("A misspelled key is reported with the right one")
    func misspelt() throws {
        try withFile("databse: x\nport: 80\ngatehouse_port: 1\n") { path in
            let file = try ConfigurationFile(path: path)
            #expect(file.problems.map(\.name) == ["databse in \(path)", "gatehouse_port in \(path)"])
            #expect(file.problems.first?.expected == "is not a setting; did you mean database?")
        }
    }

    @Test("A wrong value is reported with its key and file")
    func wrongValue() throws {
        try withFile("jwt_exp: soon\n") { path in
            let given = GivenSettings(environment: GivenValues.least, file: try ConfigurationFile(path: path))
            #expect(throws: SettingsProblems.self) { try ServerSettings(given) }
            do throws(SettingsProblems) {
                _ = try ServerSettings(given)
            } catch {
                #expect(error.problems.map(\.name) == ["jwt_exp in \(path)"])
            }
        }
    }

    @Test("A secret and a file with it exclude each other", arguments: ["1:abc", "[1:abc, 2:def]"])
    func twice(secret: String) throws {
        try withFile("secrets: \(secret)\nsecrets_file: /etc/gatehouse/secrets\nport: 80\n") { path in
            let problems = try ConfigurationFile(path: path).problems
            #expect(problems.map(\.name) == ["secrets in \(path)"])
            #expect(problems.first?.expected == "is set together with secrets_file: keep one of them")
        }
    }

    @Test("Files with a secret are known: the named ones, and this one if it contains a secret")
    func secretFiles() throws {
        func found(_ path: String) throws -> Set<String> {
            let file = try ConfigurationFile(path: path)
            let environment = ["GATEHOUSE_JWT_SECRET_FILE": "jwt.txt"]
            return GivenSettings(environment: environment, file: file) { _ in "secret" }.secretFiles
        }
        try withFile("secrets_file: secrets.txt\ndatabase: postgres://gatehouse@db.example.org/x\n") { path in
            let files = try found(path)
            #expect(files == ["jwt.txt", "secrets.txt"])
        }
        for text in ["secrets: \"1:abc\"\n", "database: postgres://gatehouse:abc@db.example.org/x\n"] {
            try withFile(text) { path in
                let files = try found(path)
                #expect(files == ["jwt.txt", path])
            }
        }
    }

    @Test(
        "A file that is not a YAML mapping is one problem, with its place and none of its text",
        arguments: [
            ("- a\n- b\n", "is not a list of settings: expected lines such as port: 9999"),
            ("port: 80\nsecrets: \"1:hidden\nlisten: [", "is not valid YAML: see line 3, column 10"),
            ("port: 80\n\tlisten: x", "is not valid YAML: see line 2, column 1"),
            ("port: 80\nlisten: x\nport: 81\n", "has a key twice: see the lines from 1 on"),
            ("port: 80\n\"port\": 81\n", "has a key twice: see the lines from 1 on"),
            ("port: 80\n---\nport: 81\n", "is not valid YAML: see line 2, column 1"),
            ("port: 80\nhost: ä\u{7}\n", "is not valid YAML: see line 2, column 8"),
            ("", "is not a list of settings: expected lines such as port: 9999"),
            ("# port: 80\n", "is not a list of settings: expected lines such as port: 9999"),
            ("? [port]\n: 80\n", "is not a list of settings: expected lines such as port: 9999"),
        ])
    func malformed(text: String, expected: String) throws {
        try withFile(text) { path in
            #expect(throws: SettingsProblems([SettingsProblem(path, expected)])) {
                try ConfigurationFile(path: path)
            }
        }
    }

    @Test(
        "JSON without quotes, and a broken value, are problems of their key",
        arguments: [
            ("port:\n  x: 1\n", "port", 1), ("auth_paths: [[/]]\n", "auth_paths", 1),
            ("port: " + String(repeating: "[", count: 100_000), "port", 1),
            ("port: 80\nwebhooks: [{\"name\": \"crm\"}]\n", "webhooks", 2),
            ("port: 80\nwebhooks:\n- name: crm\n", "webhooks", 2),
            ("unknown: {a: b}\n", nil, 1),
        ])
    func nested(text: String, key: String?, line: Int) throws {
        try withFile(text) { path in
            let expected =
                "is not a text or a list of texts: see line \(line); put JSON in single quotes, or indented below `|`"
            #expect(throws: SettingsProblems([SettingsProblem(key.map { "\($0) in \(path)" } ?? path, expected)])) {
                try ConfigurationFile(path: path)
            }
        }
    }

    @Test(
        "YAML that breaks within a value is a problem of its key",
        arguments: [
            ("port: 80\nwebhooks: ['a' 'b']\n", "webhooks", "line 2, column 16"),
            ("port: 80\nwebhooks: [\n'a' 'b']\n", "webhooks", "line 3, column 5"),
            ("webhooks: 'it's'\n", "webhooks", "line 1, column 15"),
        ])
    func broken(text: String, key: String, place: String) throws {
        try withFile(text) { path in
            let problem = SettingsProblem("\(key) in \(path)", "is not valid YAML: see \(place)")
            #expect(throws: SettingsProblems([problem])) { try ConfigurationFile(path: path) }
        }
    }

    @Test(
        "Anchors and aliases, which could stand for more text than the file has, and tags are refused",
        arguments: [
            ("a: &a [x, x]\n", 1), ("port: 80\nhost: &a x\n", 2), ("port: 80\nhost: *a\n", 2),
            ("port: 80\n*a : 1\n", 2),
            ("&a port: 80\n", 1), ("--- &a\nport: 80\n", 1), ("port: 80\nauth_paths:\n- &a /\n- *a\n", 3),
            ("port: &a\n  x: 1\n", 1), ("port: !!int 80\n", 1), ("port: 80\nsecret: !vault |\n  ab\n", 2),
        ])
    func anchors(text: String, line: Int) throws {
        try withFile(text) { path in
            let expected = "has an anchor, an alias or a tag in line \(line): write the value itself"
            #expect(throws: SettingsProblems([SettingsProblem(path, expected)])) { try ConfigurationFile(path: path) }
        }
    }

    @Test("Scalars are text as written; text in several lines, quotes and indentation are YAML's")
    func scalars() throws {
        let text = """

              jwt_aud: ~
              jwt_default_group_name: 'it''s'
              "jwt_issuer": "https://a.example/\\u00e9"
              jwt_admin_roles: [1e3, yes, "a b"]
              password_required_characters: >-
                ab:
                cd
              site_url:
            """
        try withFile(text) { path in
            let given = GivenSettings(environment: [:], file: try ConfigurationFile(path: path))
            #expect(given.problems.isEmpty)
            #expect(given.shown(.jwtAudience) == "~")
            #expect(given.shown(.jwtRole) == "it's")
            #expect(given.shown(.jwtIssuer) == "https://a.example/é")
            #expect(given.shown(.jwtAdminRoles) == "1e3,yes,a b")
            #expect(given.shown(.passwordRequiredCharacters) == "ab: cd")
            #expect(given.shown(.siteURL) == nil)
        }
    }

    @Test("A file of one mebibyte is read, a longer one is not")
    func size() throws {
        let comment = "port: 80\n#"
        let filling = String(repeating: "x", count: 1 << 20 - comment.utf8.count)
        try withFile(comment + filling) { path in
            let file = try ConfigurationFile(path: path)
            #expect(file.problems.isEmpty)
        }
        try withFile(comment + filling + "x") { path in
            #expect(throws: SettingsProblems([SettingsProblem(path, "cannot be read: it is longer than 1 MiB")])) {
                try ConfigurationFile(path: path)
            }
        }
    }

    @Test("An unreadable file is reported with the reason")
    func unreadable() throws {
        let folder = FileManager.default.temporaryDirectory.path
        let missing = folder + "/gatehouse-\(UInt64.random(in: .min ... .max)).yaml"
        for (path, reason) in [(missing, "there is no such file"), (folder, "it is a folder")] {
            #expect(throws: SettingsProblems([SettingsProblem(path, "cannot be read: \(reason)")])) {
                try ConfigurationFile(path: path)
            }
        }
        try withFile("secrets_file: \(missing)\njwt_algorithm: HS256\njwt_secret_file: \(missing)\n") { path in
            let environment = GivenValues.least.merging(["GATEHOUSE_SECRETS": ""]) { $1 }
            let given = GivenSettings(environment: environment, file: try ConfigurationFile(path: path))
            let expected = ["jwt_secret_file in \(path)", "secrets_file in \(path)"].map {
                SettingsProblem($0, "names a file that cannot be read: there is no such file")
            }
            do throws(SettingsProblems) {
                _ = try ServerSettings(given)
                Issue.record("a configuration without secrets was accepted")
            } catch {
                #expect(Set(error.problems) == Set(expected) && error.problems.count == 2)
            }
        }
    }
}
