import Foundation
import GatehouseCLI
import GatehouseServer
import TestSupport
import Testing

@Suite("Checks of doctor")
struct DoctorTests {
    @Test("Files that others can open are reported, and folders stay accessible to their owner")
    func permissions() throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appendingPathComponent("gatehouse-\(UInt64.random(in: .min ... .max))")
        try manager.createDirectory(at: folder, withIntermediateDirectories: false)
        defer {
            // Ignored: the system cleans its temporary folder.
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

    @Test("Behind an untrusted proxy all callers look like one, and that is reported")
    func untrustedProxy() throws {
        let finding = try #require(try findings([:]).first)
        #expect(finding.name == "callers" && finding.state == .warning)
        #expect(finding.advice?.hasPrefix("GATEHOUSE_TRUSTED_PROXIES=127.0.0.0/8,::1/128") == true)
        let inNetwork = try #require(try findings(["GATEHOUSE_LISTEN": "0.0.0.0:9999"]).first)
        #expect(inNetwork.advice?.hasPrefix("GATEHOUSE_TRUSTED_PROXIES=the proxy's network") == true)
    }

    @Test(
        "Distinct callers, and an address of this machine, are no finding",
        arguments: [
            ["GATEHOUSE_TRUSTED_PROXIES": "127.0.0.0/8"], ["GOTRUE_RATE_LIMIT_HEADER": "X-Real-Ip"],
            ["GATEHOUSE_LIMITS": "off"],
            ["API_EXTERNAL_URL": "http://127.0.0.1:9999/auth/v1"],
        ])
    func toldApart(changes: [String: String]) throws {
        #expect(try findings(changes).map(\.text) == [])
    }

    @Test("Properties of PostgreSQL that lose data, refuse names or refuse connections are reported")
    func postgres() {
        func found(_ change: (inout PostgresFacts) -> Void) -> Finding {
            var facts = PostgresFacts()
            change(&facts)
            return .postgres(facts, connections: 11)
        }
        let encoding = found { $0.encoding = "SQL_ASCII" }
        #expect(encoding.state == .problem && encoding.advice?.contains("--encoding=UTF8") == true)
        let good = [
            found { _ in }, found { $0.synchronousCommit = "remote_apply" }, found { $0.connectionLimit = 11 },
        ]
        let lossy = [
            found { $0.fsync = "off" }, found { $0.synchronousCommit = "off" }, found { $0.connectionLimit = 10 },
        ]
        let unusable = [found { $0.version = 14 }, found { $0.standardStrings = "off" }]
        #expect(good.map(\.state) == [.ok, .ok, .ok])
        #expect(lossy.map(\.state) == [.warning, .warning, .warning])
        #expect(unusable.map(\.state) == [.problem, .problem])
    }

    @Test("Requests through an untrusted proxy are reported as soon as they occur")
    func forwarded() {
        let name = "gatehouse_untrusted_forwarded_requests_total"
        #expect(TrafficChecks.proxies(in: "# TYPE \(name) counter\n\(name) 0\n") == nil)
        #expect(TrafficChecks.proxies(in: "") == nil)
        let found = TrafficChecks.proxies(in: "# TYPE \(name) counter\n\(name) 32\nother 5\n")
        #expect(found?.state == .warning && found?.text.hasPrefix("32 requests") == true)
    }

    @Test("A fresh sign-in before sensitive changes is recommended")
    func recommendation() throws {
        func names(_ changes: [String: String]) throws -> [String] {
            let given = GivenValues.given(changes)
            return SettingsChecks(given, try ServerSettings(given)).recommendations.map(\.name)
        }
        #expect(try names([:]) == ["fresh sign-in"])
        let texts = [
            "GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GOTRUE_SMS_PROVIDER": "textlocal",
            "GOTRUE_SMS_TEXTLOCAL_API_KEY": "key", "GOTRUE_SMS_TEXTLOCAL_SENDER": "BoxScore",
            "GATEHOUSE_SMS_ALLOWED_COUNTRIES": "+49",
        ]
        #expect(try names(texts) == ["fresh sign-in", "captcha"])
        #expect(try names(["GATEHOUSE_SECURITY_FRESH_SIGN_IN": "10m"]) == [])
    }

    @Test("An address without TLS that others use is reported")
    func withoutTLS() throws {
        let found = try findings(["API_EXTERNAL_URL": "http://api.example.org/auth/v1"])
        #expect(found.map(\.name) == ["external_url"])
        #expect(found.first?.state == .warning && found.first?.text.contains("unencrypted") == true)
    }

    @Test("A server on which no new user can sign in is reported")
    func signUp() throws {
        func names(_ changes: [String: String]) throws -> [String] {
            try findings(["GOTRUE_MAILER_AUTOCONFIRM": "false", "GATEHOUSE_LIMITS": "off"].merging(changes) { $1 })
                .map(\.name)
        }
        #expect(try names([:]) == ["sign-up"])
        let server = ["GOTRUE_SMTP_HOST": "127.0.0.1", "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.com"]
        for changes in [
            server, ["GATEHOUSE_MAIL_FOLDER": "mails"], ["GOTRUE_DISABLE_SIGNUP": "true"],
            ["GOTRUE_EXTERNAL_EMAIL_ENABLED": "false"],
        ] {
            #expect(try names(changes) == [])
        }
    }

    @Test("Settings that make text messages costly, or numbers free to claim, are reported")
    func texts() throws {
        func names(_ changes: [String: String]) throws -> [String] {
            let phone = ["GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "API_EXTERNAL_URL": "http://127.0.0.1:9999/auth/v1"]
            return try findings(phone.merging(changes) { $1 }).map(\.name)
        }
        #expect(try names(["GOTRUE_SMS_AUTOCONFIRM": "true"]) == ["phone"])
        let provider = [
            "GOTRUE_SMS_PROVIDER": "textlocal", "GOTRUE_SMS_TEXTLOCAL_API_KEY": "key",
            "GOTRUE_SMS_TEXTLOCAL_SENDER": "BoxScore", "GATEHOUSE_SMS_ALLOWED_COUNTRIES": "*",
            "GOTRUE_SMS_TEST_OTP": "15550001111:123456",
        ]
        #expect(try names(provider) == ["test numbers", "countries"])
        #expect(
            try names(["GOTRUE_MFA_PHONE_ENROLL_ENABLED": "true", "GOTRUE_SMS_AUTOCONFIRM": "true"]).last
                == "phone factors")
        let careful = [
            "GATEHOUSE_SMS_ALLOWED_COUNTRIES": "+49", "GOTRUE_SMS_TEST_OTP_VALID_UNTIL": "2027-01-31T00:00:00Z",
            "GOTRUE_SECURITY_CAPTCHA_ENABLED": "true", "GOTRUE_SECURITY_CAPTCHA_PROVIDER": "turnstile",
            "GOTRUE_SECURITY_CAPTCHA_SECRET": "secret",
        ]
        #expect(try names(provider.merging(careful) { $1 }) == [])
    }

    @Test(
        "Settings of text messages that cannot work are named",
        arguments: [
            (["GOTRUE_EXTERNAL_PHONE_ENABLED": "true"], "GATEHOUSE_SMS_PROVIDER"),
            (
                ["GOTRUE_EXTERNAL_PHONE_ENABLED": "true", "GATEHOUSE_MAIL_FOLDER": "texts"],
                "GATEHOUSE_SMS_ALLOWED_COUNTRIES"
            ),
            (["GATEHOUSE_SMS_ALLOWED_COUNTRIES": "49"], "such as +49"), (["GOTRUE_SMS_PROVIDER": "pigeon"], "twilio"),
            (["GOTRUE_SMS_PROVIDER": "twilio"], "GATEHOUSE_SMS_TWILIO_AUTH_TOKEN"),
            (["GOTRUE_SMS_TEST_OTP": "1555:12"], "six digits"), (["GOTRUE_SMS_TEMPLATE": "Hello"], "{{ .Code }}"),
            (["GOTRUE_SMS_TEST_OTP_VALID_UNTIL": "soon"], "a time"),
        ] as [([String: String], String)])
    func invalidTexts(_ changes: [String: String], _ part: String) throws {
        do throws(SettingsProblems) {
            _ = try ServerSettings(GivenValues.given(changes))
            Issue.record("accepted")
        } catch {
            #expect("\(error)".contains(part), "\(error)")
        }
    }

    private func findings(_ changes: [String: String]) throws -> [Finding] {
        let given = GivenValues.given(["GOTRUE_MAILER_AUTOCONFIRM": "true"].merging(changes) { $1 })
        return SettingsChecks(given, try ServerSettings(given)).all
    }
}
