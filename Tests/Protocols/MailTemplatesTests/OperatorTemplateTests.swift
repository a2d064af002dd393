import GatehouseWire
import Testing

@testable import MailTemplates

@Suite("Templates of operators")
struct OperatorTemplateTests {
    private func render(
        _ text: String, _ format: OperatorTemplate.Format = .html, _ kind: MailTemplateKind = .recovery,
        _ change: (inout MailValues) -> Void = { _ in }
    ) throws -> String {
        var values = MailValues.sample(kind)
        change(&values)
        // The required proof, out of the way.
        let proof = format == .subject ? "" : "{{#Token}}{{/Token}}<!-- {{ .Token }}-->"
        let whole = try OperatorTemplate(text + proof, format, for: [kind])
            .render(MailScope(values: values, language: .english))
        return String(whole.dropLast(proof.isEmpty ? 0 : "<!-- 042917-->".count))
    }

    private func faults(
        _ text: String, _ format: OperatorTemplate.Format = .html, _ kinds: [MailTemplateKind] = [.recovery]
    ) -> [TemplateFaults.Located] {
        do throws(TemplateFaults) {
            _ = try OperatorTemplate(text, format, for: kinds)
            return []
        } catch {
            return error.faults
        }
    }

    @Test(
        "Supabase's plain values work unchanged",
        arguments: [
            ("{{ .Token }}", "042917"), ("{{.Token}}", "042917"), ("{{\n.Token\t}}", "042917"),
            ("{{ Token }}", "042917"),
            ("{{ .TokenHash }}", "pkce_5f2a"), ("{{ .SiteURL }}", "https://app.example.org"),
            ("{{ .RedirectTo }}", "https://app.example.org/welcome"), ("{{ .Email }}", "ana@example.org"),
            ("{{ .ConfirmationURL }}", "https://api.example.org/auth/v1/verify?token=pkce_5f2a&amp;type=signup"),
            ("{{ .Data.first_name }} {{ .Data.address.city }}", "Ana Linz"),
            ("{{ .Data.age }}{{ .Data.is_vip }}", "31true"),
            ("{{ .Data.nothing }}{{ .Data.list }}{{ .Data.address }}", ""), ("a{b}c { { } }", "a{b}c { { } }"),
        ])
    func accepted(_ text: String, _ expected: String) throws {
        let result = try render(text) {
            $0.data = ["first_name": "Ana", "age": 31, "is_vip": true, "list": [1], "address": ["city": "Linz"]]
        }
        #expect(result == expected)
    }

    @Test(
        "The templates of Supabase Auth are accepted for every kind of the same name", arguments: supabase.keys.sorted()
    )
    func original(_ name: String) throws {
        let kinds = MailTemplateKind.named(name)
        #expect(!kinds.isEmpty)
        let template = try OperatorTemplate(try #require(Self.supabase[name]), .html, for: kinds)
        for kind in kinds {
            #expect(!template.render(MailScope(values: .sample(kind), language: .english)).contains("{{"))
        }
    }

    static let supabase: [String: String] = [
        "invite":
            "<h2>You have been invited</h2>\n<p>to {{ .SiteURL }}:</p><a href=\"{{ .ConfirmationURL }}\">Accept</a>",
        "confirmation": "<p><a href=\"{{ .ConfirmationURL }}\">Confirm your mail</a></p>\n<p>Code: {{ .Token }}</p>",
        "recovery":
            "<a href=\"{{ .SiteURL }}/auth/confirm?token_hash={{ .TokenHash }}&type=recovery&next={{ .RedirectTo }}\">R</a>",
        "magic_link": "<p>Alternatively, enter the code: {{ .Token }}</p>",
        "email_change": "<p>from {{ .Email }} to {{ .NewEmail }}: <a href=\"{{ .ConfirmationURL }}\">Change</a></p>",
        "reauthentication": "<p>Enter the code: {{ .Token }}</p>",
        "password_changed_notification": "<p>for your account {{ .Email }} has just been changed.</p>",
        "email_changed_notification": "<p>changed from {{ .OldEmail }} to {{ .Email }}.</p>",
        "identity_linked_notification": "<p>({{ .Provider }}) has been linked to your account {{ .Email }}.</p>",
        "identity_unlinked_notification": "<p>({{ .Provider }}) has been unlinked from {{ .Email }}.</p>",
    ]

    @Test(
        "Anything else of Go's or Mustache's is refused by its name",
        arguments: [
            ("{{ if .Token }}x{{ end }}", "the action \"if\""), ("{{range .Data.x}}", "the action \"range\""),
            ("{{ with .Data.x }}", "the action \"with\""), ("{{ else }}", "the action \"else\""),
            ("{{ template \"x\" }}", "the action \"template\""), ("{{ define \"x\" }}", "the action \"define\""),
            ("{{ block \"x\" . }}", "the action \"block\""), ("{{ .Token | html }}", "a pipeline"),
            ("{{ printf \"%s\" .Token }}", "the function \"printf\""),
            ("{{ urlquery .Email }}", "the function \"urlquery\""),
            ("{{ index .Data \"x\" }}", "the function \"index\""),
            ("{{ $x := .Token }}", "a variable of the template ($)"),
            ("{{ \"x\" }}", "a literal text"), ("{{ 42 }}", "a number"),
            ("{{ (.Token) }}", "an expression in parentheses"),
            ("{{ . }}", "the value \".\""), ("{{- .Token }}", "a trim marker ({{- or -}})"),
            ("{{ .Token -}}", "a trim marker ({{- or -}})"), ("{{/* x */}}", "a comment"), ("{{! x }}", "a comment"),
            ("{{ .Token 3 }}", "more than one value"), ("{{ html(Token) }}", "the function \"html\""),
            ("{{{ .Token }}}", "a value without escaping ({{{)"), ("{{& Token }}", "a value without escaping (&)"),
            ("{{> x }}", "a partial template (>)"), ("{{< x }}", "a parent template (<)"),
            ("{{=<% %>=}}", "a change of the delimiters (=)"), ("{{% CONTENT_TYPE: TEXT }}", "a pragma (%)"),
        ])
    func refused(_ text: String, _ name: String) {
        #expect(faults("\n\n" + text).first == .init(.unsupported(name), 3))
    }

    @Test("Every fault has its line")
    func lines() {
        let text =
            "<p>{{ .Token }}\n{{ .Tokn }}</p>\n\n{{ .NewEmail }}\n{{ .Data }}{{ .Data.a-b }}\n{{\n.Email.x }}\n{{ }}\n{{ .Token"
        #expect(
            faults(text) == [
                .init(.unknown(".Tokn"), 2), .init(.absent(.newEmail, [.recovery]), 4), .init(.metadata, 5),
                .init(.metadata, 5), .init(.unknown(".Email.x"), 6), .init(.empty, 8), .init(.notClosed, 9),
            ])
    }

    @Test("A mail without link and code is refused; a notice needs neither")
    func proof() {
        #expect(
            faults("<p>Hello {{ .Email }}</p>") == [.init(.withoutProof([.confirmationURL, .token, .tokenHash]), 1)])
        #expect(
            faults("Hello {{ .Email }}", .text, [.reauthentication]) == [.init(.withoutProof([.token, .tokenHash]), 1)])
        #expect(faults("<p>Hello</p>", .html, [.passwordChanged]).isEmpty)
        #expect(faults("Hello", .subject).isEmpty)
    }

    @Test(
        "A value is escaped as its place needs, as in Go's html/template",
        arguments: [
            ("<p>{{ .Data.x }}</p>", "<p>&lt;a b=&quot;1&amp;2&quot;&gt;?#é</p>"),
            ("<p title='{{ .Data.x }}'>", "<p title='&lt;a b=&quot;1&amp;2&quot;&gt;?#é'>"),
            ("<a href=\"https://x/{{ .Data.x }}\">", "<a href=\"https://x/%3Ca%20b=%221&amp;2%22%3E?#%C3%A9\">"),
            ("<a href='/?n={{ .Data.x }}'>", "<a href='/?n=%3Ca%20b%3D%221%262%22%3E%3F%23%C3%A9'>"),
            (
                "<a href=\"{{ .SiteURL }}/c?r={{ .RedirectTo }}\">",
                "<a href=\"https://app.example.org/c?r=https%3A%2F%2Fapp.example.org%2Fwelcome\">"
            ),
            ("<title>{{ .Data.x }}</title>", "<title>&lt;a b=&quot;1&amp;2&quot;&gt;?#é</title>"),
            ("<!--[if mso]>{{ .Data.x }}<![endif]-->", "<!--[if mso]>&lt;a b=&quot;1&amp;2&quot;&gt;?#é<![endif]-->"),
            ("<!-- {{ .TokenHash }} {{ .Data.y }} -->", "<!-- pkce_5f2a &#45;&#45;&gt; -->"),
            (
                "<a href='{{ .ConfirmationURL }}&n={{ .Data.y }}'>",
                "<a href='https://api.example.org/auth/v1/verify?token=pkce_5f2a&amp;type=signup&n=--%3E'>"
            ),
            ("<a href='x{{ .Data.z }}'>", "<a href='xjavascript%3Aalert%281%29'>"),
            ("<a href='mailto:{{ .Email }}'>", "<a href='mailto:ana@example.org'>"),
            ("<title>x</title ><p>{{ .Token }}", "<title>x</title ><p>042917"),
            ("<!-- --!><p>{{ .Token }}", "<!-- --!><p>042917"), ("a < b {{ .Token }}", "a < b 042917"),
            (
                "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0--//EN\"><p>{{ .Token }}",
                "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0--//EN\"><p>042917"
            ),
        ])
    func places(_ text: String, _ expected: String) throws {
        let data: AuthJSONObject = ["x": "<a b=\"1&2\">?#é", "y": "-->", "z": "javascript:alert(1)"]
        #expect(try render(text) { $0.data = data } == expected)
    }

    @Test(
        "A value is refused where no escaping makes it safe",
        arguments: [
            "<p {{ .Data.x }}>", "<{{ .Data.x }}>", "<p class={{ .Data.x }}>", "<p style=\"color:{{ .Data.x }}\">",
            "<p onclick='{{ .Data.x }}'>", "<script>{{ .Data.x }}</script>", "<style>{{ .Data.x }}</style>",
            "<a href=\"{{ .Data.x }}\">", "<a href=\" {{ .Email }}\">", "<a HREF='{{ .Data.x }}'>",
            "<!DOCTYPE {{ .Data.x }}>",
            "<img src='{{ .Data.x }}'>", "<p a{{ .Token }}='x'>", "</{{ .Token }}>",
            // The first of two values may be empty.
            "<a href='{{ .RedirectTo }}{{ .Data.x }}'>", "<a href=' JavaScript:{{ .Data.x }}'>",
            "<a href='data:text/html,{{ .Data.x }}'>", "<!--{{ .Data.x }}>", "<!-- --{{ .Data.x }}>",
            "<title></{{ .Data.x }}title>", "<title>x</title ><p a={{ .Data.x }}>", "<!-- --!><p a={{ .Data.x }}>",
            "<!--><p a={{ .Data.x }}>", "<p a=1><p b={{ .Data.x }}>",
        ])
    func unsafePlaces(_ text: String) {
        guard case .place = faults(text).first?.fault else {
            Issue.record("\(faults(text))")
            return
        }
    }

    @Test("A section is shown if its value is there")
    func sections() throws {
        let text = "Hello{{#Data.name}} {{ .Data.name }}{{/Data.name}}{{^Data.name}} you{{/Data.name}}!"
        #expect(try render(text) { $0.data = ["name": "Ana"] } == "Hello Ana!")
        #expect(try render(text) { $0.data = ["name": ""] } == "Hello you!")
        #expect(try render(text) == "Hello you!")
    }

    @Test("Metadata inside of a section hides no variable")
    func sectionScope() throws {
        let text = "{{#Data.address}}<a href=\"{{ .SiteURL }}\">{{ .Data.city }}</a>{{/Data.address}}"
        let result = try render(text) {
            $0.data = ["city": "Linz", "address": ["SiteURL": "javascript:alert(1)", "Data": ["city": "Graz"]]]
        }
        #expect(result == "<a href=\"https://app.example.org\">Linz</a>")
    }

    @Test(
        "Sections have to be whole",
        arguments: [
            "{{#Data.a}}", "{{/Data.a}}", "{{#Data.a}}{{#Data.b}}{{/Data.a}}{{/Data.b}}", "<p {{#Data.a}}>{{/Data.a}}",
            "<a href=\"{{#Token}}https://x/{{/Token}}{{ .Data.x }}\">", "<p", "<!-- x", "<p title=\"",
        ])
    func unbalanced(_ text: String) {
        #expect(!faults("{{ .Token }}" + text).isEmpty)
    }

    @Test("Nesting and length are bounded before anything is rendered")
    func bounds() {
        let deep = String(repeating: "{{#Token}}", count: 17) + String(repeating: "{{/Token}}", count: 17)
        #expect(faults("{{ .Token }}" + deep).first == .init(.tooDeep, 1))
        #expect(faults("{{ .Token }}" + String(repeating: "{{ .Data.x }}", count: 400)).first == .init(.tooLong, 1))
    }

    @Test(
        "Braces that combine with a mark are refused: Mustache would not see them",
        arguments: ["\u{600}{{ .Token }}", "{{ .Token }}\u{301}"])
    func combining(_ text: String) {
        #expect(!faults(text).isEmpty)
    }

    @Test("A subject is plain text of one line")
    func subject() throws {
        #expect(
            try render("{{ .Data.x }} & co\n", .subject) { $0.data = ["x": "<b>\r\nBcc: eve"] } == "<b>  Bcc: eve & co")
        #expect(faults("a\nb", .subject) == [.init(.notOneLine, 2)])
        #expect(faults("a\rBcc: eve", .subject) == [.init(.control, 1)])
        #expect(faults("{{ .Token }}\r\n\u{0}") == [.init(.control, 2)])
    }

    @Test("Text of strangers changes no markup of an operator's template")
    func hostile() throws {
        let text = """
            <html><head><title>{{ .Data.name }}</title></head><body title="{{ .Email }}" data-x='{{ .Data.address.city }}'>
            <a href="{{ .ConfirmationURL }}">x</a><a href="/{{ .Data.name }}/?q={{ .Data.name }}#{{ .Email }}">y</a>
            {{#Data.name}}<p>{{ .Data.name }}</p>{{/Data.name}}<textarea>{{ .Data.name }}</textarea><!-- {{ .Data.name }}-->
            </body></html>
            """
        let template = try OperatorTemplate(text, .html, for: [.recovery])
        let render = { (text: String) in
            template.render(MailScope(values: .all("x" + text, .recovery), language: .english))
        }
        let expected = structure(of: render(""))
        for text in HostileTexts() { #expect(structure(of: render(text)) == expected, "\(text.debugDescription)") }
    }
}
