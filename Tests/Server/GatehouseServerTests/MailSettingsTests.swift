import Foundation
import GatehouseServer
import GatehouseWire
import SMTP
import TestSupport
import Testing

@Suite("Settings of the server that takes mails")
struct MailSettingsTests {
    private static let least = [
        "GOTRUE_SMTP_HOST": "mail.example.com", "GOTRUE_SMTP_ADMIN_EMAIL": "no-reply@example.com",
    ]

    private func mail(_ changes: [String: String] = [:]) throws -> MailSettings {
        try #require(try GivenValues.settings(Self.least.merging(changes) { $1 }).mail)
    }

    private func problems(_ changes: [String: String]) -> [String] {
        GivenValues.problems(Self.least.merging(changes) { $1 }).map(\.name)
    }

    @Test("D11: Supabase's names suffice; STARTTLS is required")
    func supabase() throws {
        let mail = try mail([
            "GOTRUE_SMTP_USER": "ada", "GOTRUE_SMTP_PASS": "secret", "GOTRUE_SMTP_SENDER_NAME": "Box Score",
        ])
        let server = mail.server
        #expect(server.host == "mail.example.com" && server.port == 587 && server.security == .startTLS)
        #expect(server.connections == 4 && server.timeLimit == .seconds(120) && server.authorityFile == nil)
        #expect(server.clientName == "api.example.org")
        guard case .password("ada", let password) = server.credential else {
            Issue.record("no password")
            return
        }
        #expect(password.reveal() == "secret")
        #expect(mail.sender.address.text == "no-reply@example.com" && mail.sender.name == "Box Score")
    }

    @Test("Without a server there is none, whatever else Supabase's example has")
    func none() throws {
        let others = [
            "GOTRUE_SMTP_USER": "fake_mail_user", "GOTRUE_SMTP_PORT": "2500",
            "GOTRUE_SMTP_ADMIN_EMAIL": "admin@example.com", "GOTRUE_SMTP_HOST": "",
        ]
        #expect(try GivenValues.settings(others).mail == nil)
        // A gateway without accounts sends nothing.
        let remote = Self.least.merging([
            "GATEHOUSE_JWKS_URL": "https://a.example/jwks.json", "GATEHOUSE_JWT_ISSUER": "https://a.example",
            "GATEHOUSE_ISSUER_SECRET_KEY": "sb_secret_0123456789abcdef",
        ]) { $1 }
        #expect(try ServerSettings(GivenValues.given(remote), parts: [.gateway]).mail == nil)
    }

    @Test(
        "TLS is off only on this machine, or by its own setting",
        arguments: [
            (["GOTRUE_SMTP_PORT": "465"], .tls), (["GOTRUE_SMTP_PORT": "25"], .startTLS),
            (["GOTRUE_SMTP_HOST": "localhost"], .off), (["GOTRUE_SMTP_HOST": "::1", "GOTRUE_SMTP_PORT": "465"], .off),
            (["GOTRUE_SMTP_HOST": "127.0.0.1", "GATEHOUSE_SMTP_TLS": "starttls"], .startTLS),
            (["GATEHOUSE_SMTP_TLS": "off"], .off), (["GATEHOUSE_SMTP_TLS": "TLS"], .tls),
        ] as [([String: String], SMTPServer.Security)])
    func security(changes: [String: String], expected: SMTPServer.Security) throws {
        #expect(try mail(changes).server.security == expected)
    }

    @Test("The name of a server is in A-labels; an address has no brackets")
    func hosts() throws {
        #expect(try mail(["GOTRUE_SMTP_HOST": "mail.münchen.example"]).server.host == "mail.xn--mnchen-3ya.example")
        #expect(try mail(["GOTRUE_SMTP_HOST": "2001:DB8::1"]).server.host == "2001:db8::1")
        for host in ["[::1]", "mail.example.com:25", "smtp://mail.example.com", "a b", "mail.example.com/x"] {
            #expect(problems(["GOTRUE_SMTP_HOST": host]) == ["GOTRUE_SMTP_HOST"], "\(host)")
        }
    }

    @Test("An external URL with an address gives no name for EHLO")
    func clientName() throws {
        #expect(try mail(["API_EXTERNAL_URL": "http://127.0.0.1:9999/auth/v1"]).server.clientName == nil)
        #expect(try mail(["API_EXTERNAL_URL": "http://localhost:9999/auth/v1"]).server.clientName == nil)
    }

    @Test("A token comes from its file, each time anew")
    func token() throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("gatehouse-token-\(UInt64.random(in: .min ... .max))")
        defer {
            // Ignored: the system cleans its temporary folder.
            try? FileManager.default.removeItem(at: file)
        }
        let changes = ["GOTRUE_SMTP_USER": "ada", "GATEHOUSE_SMTP_TOKEN_FILE": file.path]
        guard case .token("ada", let token) = try mail(changes).server.credential else {
            Issue.record("no token")
            return
        }
        #expect(throws: UnreadableFile.system(ENOENT)) { try token() }
        for text in ["first\n", "second\n"] {
            try Data(text.utf8).write(to: file)
            #expect(try token().reveal() + "\n" == text)
        }
        let both = changes.merging(["GOTRUE_SMTP_PASS": "secret"]) { $1 }
        #expect(problems(both) == ["GATEHOUSE_SMTP_TOKEN_FILE"])
    }

    @Test(
        "What cannot work is refused",
        arguments: [
            (["GOTRUE_SMTP_ADMIN_EMAIL": ""], "GATEHOUSE_SMTP_ADMIN_EMAIL"),
            (["GOTRUE_SMTP_ADMIN_EMAIL": "nobody"], "GOTRUE_SMTP_ADMIN_EMAIL"),
            (["GOTRUE_SMTP_ADMIN_EMAIL": "a@b.c\r\nBcc: d@e.f"], "GOTRUE_SMTP_ADMIN_EMAIL"),
            (["GOTRUE_SMTP_SENDER_NAME": "A\r\nBcc: d@e.f"], "GOTRUE_SMTP_SENDER_NAME"),
            (["GOTRUE_SMTP_USER": "ada"], "GATEHOUSE_SMTP_PASS"),
            (["GOTRUE_SMTP_USER": "ada", "GOTRUE_SMTP_PASS": "a\0b"], "GOTRUE_SMTP_PASS"),
            (["GATEHOUSE_SMTP_TOKEN_FILE": "token"], "GATEHOUSE_SMTP_USER"),
            (["GOTRUE_SMTP_PORT": "0"], "GOTRUE_SMTP_PORT"), (["GATEHOUSE_SMTP_TLS": "yes"], "GATEHOUSE_SMTP_TLS"),
            (["GATEHOUSE_SMTP_CA_FILE": "/nowhere/a.pem"], "GATEHOUSE_SMTP_CA_FILE"),
            (["GATEHOUSE_SMTP_CONNECTIONS": "65"], "GATEHOUSE_SMTP_CONNECTIONS"),
            (["GATEHOUSE_SMTP_TIMEOUT": "11m"], "GATEHOUSE_SMTP_TIMEOUT"),
            (["GATEHOUSE_SMTP_TIMEOUT": "500ms"], "GATEHOUSE_SMTP_TIMEOUT"),
        ])
    func refused(changes: [String: String], name: String) {
        #expect(problems(changes) == [name])
    }
}
