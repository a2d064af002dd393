import AccountDomain
import Foundation
import GatehouseServer
import MailTemplates
import TestSupport
import Testing

@Suite("Settings of mail templates")
struct MailTemplateSettingsTests {
    @Test("Every kind of email has texts of its own", arguments: MailKind.allCases.filter { $0.lane != .texts })
    func texts(_ kind: MailKind) throws {
        let template = try #require(kind.template)
        #expect(template.isNotice == kind.isNotice)
        // All others have a code, for which a person waits.
        let isOnlyRead = kind.isNotice || kind == .accountExists
        #expect((kind.slot == nil) == isOnlyRead && (kind.lane == .notices) == isOnlyRead)
        #expect(MailKind.allCases.filter { $0.template == template } == [kind])
    }

    private func withFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
        let name = "mail-settings-\(ProcessInfo.processInfo.globallyUniqueString)"
        let folder = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { do { try FileManager.default.removeItem(at: folder) } catch {} }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        try body(folder.path)
    }

    private func notice(_ settings: ServerSettings) throws -> RenderedMail {
        let values = MailValues(appName: "Example", siteURL: "https://app.example.org", email: "ana@example.org")
        return try #require(settings.mailWriter).render(.passwordChanged, language: .english, values: values)
    }

    @Test("Supabase's variables replace subjects and HTML, and a folder the rest")
    func replaced() throws {
        try withFolder(["own.html": "<p>Changed for {{ .Email }}</p>"]) { path in
            let mail = try notice(
                GivenValues.settings([
                    "GOTRUE_MAILER_SUBJECTS_PASSWORD_CHANGED_NOTIFICATION": "New password at {{ .AppName }}",
                    "GOTRUE_MAILER_TEMPLATES_PASSWORD_CHANGED_NOTIFICATION": path + "/own.html",
                ]))
            #expect(mail.subject == "New password at Example" && mail.html == "<p>Changed for ana@example.org</p>")
        }
        try withFolder(["password_changed_notification.txt": "Changed for {{ .Email }}"]) { path in
            let mail = try notice(GivenValues.settings(["GATEHOUSE_MAILER_TEMPLATES": path]))
            #expect(mail.text == "Changed for ana@example.org" && mail.subject.contains("password"))
        }
    }

    @Test("A template's fault is reported with file and line, among all other problems")
    func faults() throws {
        try withFolder(["recovery.html": "<p>\n{{ if .Token }}</p>"]) { path in
            let problems = GivenValues.problems([
                "GATEHOUSE_MAILER_TEMPLATES": path, "GOTRUE_MAILER_SUBJECTS_INVITE": "{{ .Tokn }}",
                "GOTRUE_MAILER_TEMPLATES_INVITE": "https://example.org/invite.html", "GATEHOUSE_PORT": "x",
            ]).map { "\($0.name): \($0.expected)" }
            #expect(problems.contains { $0.hasPrefix(path + "/recovery.html:2: the action \"if\" is not supported") })
            #expect(problems.contains { $0.hasPrefix("GOTRUE_MAILER_SUBJECTS_INVITE:1: unknown variable .Tokn") })
            #expect(
                problems.contains(
                    "GOTRUE_MAILER_TEMPLATES_INVITE: expected the path of a file; a URL is not fetched"))
            #expect(problems.contains { $0.hasPrefix("GATEHOUSE_PORT") })
        }
    }
}
