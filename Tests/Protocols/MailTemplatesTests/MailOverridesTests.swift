import Foundation
import GatehouseWire
import Testing

@testable import MailTemplates

@Suite("Files of operators")
struct MailOverridesTests {
    private func problems(_ files: [String: String], _ overrides: MailOverrides = MailOverrides()) throws -> [String] {
        try withFolder(files) { folder in
            var overrides = overrides
            overrides.folder = folder
            do throws(MailTemplateProblems) {
                _ = try MailWriter(overrides)
                return []
            } catch {
                return error.problems.map { $0.description.replacing(folder.path + "/", with: "") }
            }
        }
    }

    @Test("A file replaces its part of a mail, in its language before all languages")
    func replaced() throws {
        let files = [
            "recovery.html": "<p>All {{ .Token }}</p>", "recovery.de.html": "<p>Deutsch {{ .Token }}</p>",
            "recovery.subject": "Reset {{ .AppName }}\n", "recovery.ja.txt": "日本語 {{ .Token }}",
        ]
        let templates = try withFolder(files) { try MailWriter(MailOverrides(folder: $0)) }
        let (english, german) = (try templates.sample(.recovery), try templates.sample(.recovery, .german))
        #expect(english.html == "<p>All 042917</p>" && german.html == "<p>Deutsch 042917</p>")
        #expect(english.subject == "Reset Example" && german.subject == "Reset Example")
        #expect(try templates.sample(.recovery, .japanese).text == "日本語 042917")
        #expect(try templates.sample(.invite) == MailWriter().sample(.invite))
    }

    @Test("Names of any length keep no mail from being sent: the subject is cut")
    func longNames() throws {
        let files = ["password_changed_notification.subject": "{{ .Data.first }}\t{{ .Data.last }}: new password"]
        let templates = try withFolder(files) { try MailWriter(MailOverrides(folder: $0)) }
        var values = MailValues.sample(.passwordChanged)
        func subject(_ last: String) throws -> String {
            let name = String(repeating: "é", count: 300)
            values.data = ["first": .string(name), "last": .string(last)]
            return try templates.render(.passwordChanged, language: .english, values: values).subject
        }
        let first = String(repeating: "é", count: 256)
        #expect(try subject("Ada") == first + " Ada: new password")
        let cut = try subject(String(repeating: "ü", count: 300))
        #expect(cut == first + " " + String(repeating: "ü", count: 192) + "…")
        #expect(cut.utf8.count == 900)
    }

    @Test("Without a text of its own, a template's text is made from its HTML")
    func text() throws {
        let templates = try withFolder(["recovery.html": "<h1>Reset</h1><p>Code: <b>{{ .Token }}</b></p>"]) {
            try MailWriter(MailOverrides(folder: $0))
        }
        #expect(try templates.sample(.recovery).text == "Reset\n\nCode: 042917\n")
    }

    @Test("One template serves both mails of a change of address")
    func change() throws {
        let templates = try withFolder(["email_change.html": "{{ .SendingTo }} {{ .Token }}"]) {
            try MailWriter(MailOverrides(folder: $0))
        }
        #expect(try templates.sample(.emailChangeCurrent).html == "ana@example.org 042917")
        #expect(try templates.sample(.emailChangeNew).html == "ana@example.com 042917")
    }

    @Test("Settings replace subjects and files for all languages, and nothing is replaced twice")
    func settings() throws {
        let subjects: [String: MailOverrides.Subject] = [
            "invite": ("Join {{ .AppName }}", "GOTRUE_MAILER_SUBJECTS_INVITE")
        ]
        let templates = try withFolder(["x.html": "<p>{{ .Token }}</p>"]) { folder in
            try MailWriter(
                MailOverrides(subjects: subjects, files: ["invite": folder.appending(path: "x.html")]))
        }
        #expect(try templates.sample(.invite, .arabic).subject == "Join Example")
        #expect(try templates.sample(.invite, .arabic).html == "<p>042917</p>")
        let twice = try problems(["invite.subject": "x"], MailOverrides(subjects: subjects))
        #expect(twice == ["invite.subject: replaces what another setting replaces already: keep one of them"])
    }

    @Test("Every problem of every file is reported with its line")
    func all() throws {
        let found = try problems([
            "recovery.html": "<p>\n{{ .Tokn }}\n{{ if .Token }}</p>", "invite.txt": "{{ .NewEmail }} {{ .Token }}",
            "recover.html": "x", "recovery.da.html": "x", "recovery.pdf": "x", "README": "x",
            "magic_link.subject": "{{ .Email",
        ])
        #expect(found.count == 8)
        #expect(found.contains { $0.hasPrefix("recovery.html:2: unknown variable .Tokn") })
        #expect(found.contains { $0.hasPrefix("recovery.html:3: the action \"if\" is not supported") })
        #expect(found.contains { $0.hasPrefix("invite.txt:1: a mail of the kind invite has no .NewEmail") })
        #expect(found.contains { $0.hasPrefix("recover.html: recover is no kind of mail; there are confirmation") })
        let languages = "en, es, de, ja, ar, fr, it, pt-BR, zh-Hans, ko"
        #expect(found.contains("recovery.da.html: da is no language of these mails; there are \(languages)"))
        #expect(found.contains("recovery.pdf: expected the ending .html, .txt or .subject"))
        #expect(found.contains("magic_link.subject:1: {{ without }}"))
    }

    @Test("A file that is too long or not UTF-8, and a folder that is none, are refused")
    func unreadable() throws {
        let found = try problems(["recovery.html": String(repeating: "x", count: 256 * 1_024 + 1)])
        #expect(found == ["recovery.html: is longer than 256 KiB"])
        let missing = MailOverrides(folder: URL(fileURLWithPath: "/nowhere/mails"))
        #expect(throws: MailTemplateProblems.self) { try MailWriter(missing) }
        try withFolder([:]) { folder in
            try Data([0x3C, 0xFF]).write(to: folder.appending(path: "invite.html"))
            #expect(throws: MailTemplateProblems.self) { try MailWriter(MailOverrides(folder: folder)) }
        }
    }
}

@Suite("The text of an HTML mail")
struct PlainTextTests {
    @Test(
        "Blocks become lines, and links addresses",
        arguments: [
            ("<p>a  b\n c</p><p>d</p>", "a b c\n\nd\n"), ("a<br>b", "a\nb\n"),
            ("<a href='https://x/?a=1&amp;b=2'>Go</a> now", "Go: https://x/?a=1&b=2 now\n"),
            ("<a href=\"https://x/\">https://x/</a>", "https://x/\n"),
            ("<head><title>t</title><style>p{}</style></head><body><h1>H</h1>x", "H\n\nx\n"),
            ("<head><meta charset=utf-8><body>x", "x\n"),
            ("1 &lt; 2 &amp;&#38; &#x41; &copy; &unknown; & ;", "1 < 2 && A © &unknown; & ;\n"),
            ("<b>a</b><i>b</i> <i>c</i>", "ab c\n"),
            ("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>", "a\nb\n"),
            ("<script>x</script><!-- y -->z", "z\n"), ("1 < 2 <3", "1 < 2 <3\n"), ("", "\n"),
        ])
    func converted(_ html: String, _ text: String) {
        #expect(PlainText.text(of: html) == text)
    }

    @Test("A mail of ours says the same in both forms", arguments: Case.all)
    func same(_ mail: Case) throws {
        let rendered = try MailWriter().sample(mail.kind, mail.language)
        let words = Set(PlainText.text(of: rendered.html).split { $0.isWhitespace || $0 == ":" || $0 == "：" })
        for word in rendered.text.split(whereSeparator: { $0.isWhitespace || $0 == ":" || $0 == "：" })
        where word != "--" {
            #expect(words.contains(word), "\(word)")
        }
    }
}
