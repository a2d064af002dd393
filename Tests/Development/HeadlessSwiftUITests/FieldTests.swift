import ScreenDriver
import SwiftUI
import Testing

@MainActor @Suite("Fields and the keyboard")
struct FieldTests {
    @Test("Return moves on and then submits")
    func submit() async throws {
        let screen = Screen(Fields())
        #expect(screen.focused == "Email")
        try await screen.submit("Email")
        #expect(screen.focused == "Password")
        try await screen.submit("Password")
        #expect(screen.focused == nil)
        #expect(screen.shows("sent"))
        #expect(screen.complaints.isEmpty)
    }

    @Test("Tapping into a field moves the focus property, tapping outside clears it")
    func focus() async throws {
        let screen = Screen(Fields())
        try await screen.type("x", into: "Password")
        #expect(screen.shows("focus password"))
        try await screen.tapOutside()
        #expect(screen.focused == nil)
        #expect(screen.shows("focus none"))
    }

    @Test("Scrolling a form hides the keyboard")
    func scroll() async throws {
        let screen = Screen(Fields())
        #expect(screen.focused == "Email")
        await screen.scroll()
        #expect(screen.focused == nil)
    }

    @Test("A disabled field loses the keyboard and cannot be typed into")
    func disabled() async throws {
        let screen = Screen(Fields())
        try await screen.tap("Disable")
        #expect(screen.focused == nil)
        #expect(screen.shows("focus none"))
        await #expect(throws: ScreenError.self) { try await screen.type("x", into: "Email") }
        #expect(try !screen.isEnabled("Email"))
    }

    @Test("A modifier above the fields applies to all of them")
    func traits() throws {
        let screen = Screen(Fields())
        #expect(try screen.attribute("inputmode", of: "Email") == "email")
        #expect(try screen.attribute("autocapitalize", of: "Email") == "none")
        #expect(try screen.attribute("autocorrect", of: "Email") == "off")
        #expect(try screen.attribute("autocomplete", of: "Email") == "email")
        #expect(try screen.attribute("autocomplete", of: "Password") == "current-password")
        #expect(try screen.attribute("enterkeyhint", of: "Email") == "next")
        #expect(try screen.attribute("enterkeyhint", of: "Password") == "go")
    }

    @Test("A focus value without a field is not kept")
    func absentField() async throws {
        let screen = Screen(Fields())
        try await screen.tap("Focus the absent")
        #expect(screen.shows("focus none"))
    }

    @Test("VoiceOver's focus follows the screen, and announcements are recorded")
    func voiceOver() async throws {
        let screen = Screen(Spoken())
        try await screen.tap("Fail")
        #expect(screen.spokenFocus == "It failed.")
        #expect(screen.announcements == ["It failed."])
        let other = Screen(Spoken())
        #expect(other.announcements.isEmpty)
    }

    @Test("A toggle, a picker and a menu change their values")
    func choices() async throws {
        let screen = Screen(Choices())
        try await screen.tap("Sounds")
        #expect(try screen.isOn("Sounds"))
        try await screen.tap("Basketball")
        #expect(screen.shows("league nba"))
        #expect(try screen.isOn("Basketball"))
        try await screen.tap("More")
        try await screen.tap("Reset")
        #expect(screen.shows("league nfl"))
        #expect(!screen.has(button: "Reset"))
    }

    @Test("VoiceOver: labels, hints, traits, hidden and combined elements")
    func spoken() throws {
        let screen = Screen(Spoken())
        #expect(screen.has(button: "Close"))
        #expect(try screen.hint(of: "Close") == "Goes back")
        #expect(!screen.shows("decoration"))
        #expect(screen.shows("Ada, ada@example.com"))
    }
}

private struct Fields: View {
    private enum Field: String, Hashable {
        case email, password, absent
    }

    @State private var email = ""
    @State private var password = ""
    @State private var isDisabled = false
    @State private var isSent = false
    @FocusState private var focus: Field?

    var body: some View {
        Form {
            Group {
                TextField("Email", text: $email)
                    .focused($focus, equals: .email)
                    .textContentType(.emailAddress)
                    .keyboardType(.emailAddress)
                    .submitLabel(.next)
                    .onSubmit { focus = .password }
                SecureField("Password", text: $password)
                    .focused($focus, equals: .password)
                    .textContentType(.password)
                    .submitLabel(.go)
                    .onSubmit { (isSent, focus) = (true, nil) }
            }
            .textInputAutocapitalization(.never)
            .autocorrectionDisabled()
            .disabled(isDisabled)
            Text("focus \(focus?.rawValue ?? "none")")
            if isSent { Text("sent") }
            Button("Disable") { isDisabled = true }
            Button("Focus the absent") { focus = .absent }
        }
        .onTapGesture { focus = nil }
        .onAppear { focus = .email }
    }
}

private struct Spoken: View {
    @State private var hasFailed = false
    @AccessibilityFocusState private var isOnError: Bool

    var body: some View {
        VStack {
            Button("Fail") {
                (hasFailed, isOnError) = (true, true)
                AccessibilityNotification.Announcement("It failed.").post()
            }
            if hasFailed { Text("It failed.").accessibilityFocused($isOnError) }
            Button {
            } label: {
                Image(systemName: "xmark")
            }
            .accessibilityLabel("Close")
            .accessibilityHint(Text("Goes back"))
            Text("decoration").accessibilityHidden(true)
            HStack {
                Text("Ada")
                Text("ada@example.com")
            }
            .accessibilityElement(children: .combine)
        }
    }
}

private struct Choices: View {
    @State private var hasSounds = false
    @State private var league = "nfl"

    var body: some View {
        Form {
            Toggle("Sounds", isOn: $hasSounds)
            Picker("League", selection: $league) {
                Text("Football").tag("nfl")
                Text("Basketball").tag("nba")
            }
            Menu("More") {
                Button("Reset") { league = "nfl" }
            }
            Text("league \(league)")
        }
    }
}
