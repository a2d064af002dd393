import GatehouseModel
import Testing

@Suite("The email form")
struct FormTests {
    @Test(
        "An address looks like x@y.z",
        arguments: [
            ("a@b.c", true), (" ada@example.com ", true), ("a.b+c@mail.example.org", true), ("", false), ("a", false),
            ("a@b", false), ("@b.c", false), ("a@b.", false), ("a@.c", false), ("a@@b.c", false), ("a b@c.d", false),
            ("a@b..c", false),
        ])
    func addresses(_ text: String, _ isValid: Bool) {
        var form = EmailAuthForm()
        form.email = text
        #expect(form.isValid(.email, password: "", confirmation: "") == isValid)
        #expect(form.isValid(password: "12345678") == isValid)
    }

    @Test(
        "A sign-up needs a name, an address, a password of 8 characters, and its repetition",
        arguments: [
            ("Ada", "12345678", "12345678", true), (" ", "12345678", "12345678", false),
            ("", "12345678", "12345678", false), ("Ada", "1234567", "1234567", false),
            ("Ada", "12345678", "12345679", false), ("Ada", "pässwört", "pässwört", true),
            ("Ada", "pa\u{308}sswo\u{308}rt", "p\u{E4}ssw\u{F6}rt", true),
            ("Ada", "pa\u{308}sswo\u{308}r", "pässwör", false),
            ("Ada", "\u{1F1E9}\u{1F1EA}\u{1F1EB}\u{1F1F7}\u{1F1EF}\u{1F1F5}\u{1F1EE}\u{1F1F9}", "🇩🇪🇫🇷🇯🇵🇮🇹", true),
        ])
    func signUp(_ name: String, _ password: String, _ confirmation: String, _ isValid: Bool) {
        var form = EmailAuthForm(mode: .signUp)
        (form.email, form.name) = ("ada@example.com", name)
        #expect(form.isValid(password: password, confirmation: confirmation) == isValid)
    }

    @Test(
        "A sign-in takes a password of any length, without a hint",
        arguments: [("1234567", true), ("1", true), ("", false)])
    func signIn(_ password: String, _ isValid: Bool) {
        var form = EmailAuthForm(mode: .signIn)
        form.email = "ada@example.com"
        #expect(form.isValid(password: password) == isValid)
        #expect(form.hint(for: .password, password: password, confirmation: "") == nil)
    }

    @Test("A name keeps at most 40 characters after trimming")
    func longName() {
        var form = EmailAuthForm(mode: .signUp)
        form.name = "  " + String(repeating: "a", count: 50)
        #expect(form.keptName == String(repeating: "a", count: 40))
    }

    @Test("Errors appear below invalid fields, not below empty ones")
    func hints() {
        var form = EmailAuthForm(mode: .signUp)
        for field in form.fields { #expect(form.hint(for: field, password: "", confirmation: "") == nil) }
        (form.name, form.email) = (" ", "a@b")
        let hints = form.fields.map { form.hint(for: $0, password: "short", confirmation: "other") }
        #expect(
            hints == [
                "Please enter your name.", "Please enter a valid email address.",
                "Password must be at least 8 characters.", "Passwords don't match.",
            ])
    }

    @Test("Switching the mode clears the fields and changes the link")
    func flip() {
        var form = EmailAuthForm(mode: .signIn)
        form.email = "ada@example.com"
        #expect(form.footer == "Don't have an account? Create one")
        #expect(form.fields == [.email, .password])
        form.flip()
        #expect(form == EmailAuthForm(mode: .signUp))
        #expect(form.footer == "Already have an account? Sign in")
        #expect(form.fields == [.name, .email, .password, .confirmation])
    }

    @Test(
        "The initial is the name's first letter, else the address's, else a question mark",
        arguments: [
            ("ada", "x@y.z", "A"), ("  éva ", nil, "É"), ("  ", "x@y.z", "X"), (nil, "x@y.z", "X"), (nil, nil, "?"),
            ("", "", "?"), ("ßa", nil, "SS"),
        ] as [(String?, String?, String)])
    @MainActor
    func initials(_ name: String?, _ email: String?, _ initial: String) {
        let user = AuthenticatedUser(id: People.someID, email: email, firstName: name)
        #expect(user.initial == initial)
    }
}
