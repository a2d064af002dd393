import ScreenDriver
import Testing

extension AcceptanceTests {
    @MainActor @Suite("The fields of the email screen")
    struct FormTests {
        /// The sign-up form's input, and the error below a field.
        struct Entry: Sendable, CustomTestStringConvertible {
            var name = "G"
            var email = "g@x.yz"
            var password = World.password
            var confirmation: String?
            var hint: String?

            var testDescription: String { hint ?? "\(name), \(email)" }
        }

        private nonisolated static let address = "Please enter a valid email address."

        // Criteria: 004.6
        @Test(
            "004, E5: an invalid field shows its error while typing, and the form cannot be submitted",
            arguments: [
                Entry(name: "   ", hint: "Please enter your name."), Entry(name: ""),
                Entry(email: "g", hint: address), Entry(email: "g@x", hint: address),
                Entry(email: "@x.yz", hint: address), Entry(email: "g@.yz", hint: address),
                Entry(email: "g@x.", hint: address), Entry(email: "a b@x.yz", hint: address),
                Entry(email: "g@@x.yz", hint: address), Entry(email: ""),
                Entry(password: "7 chars", hint: "Password must be at least 8 characters."), Entry(password: ""),
                Entry(confirmation: "eight cH", hint: "Passwords don't match."), Entry(confirmation: ""),
            ])
        func refused(_ entry: Entry) async throws {
            try await World.with { world in
                try await world.typeSignUp(
                    entry.email, name: entry.name, entry.password, again: entry.confirmation ?? entry.password)
                if let hint = entry.hint { #expect(world.screen.shows(hint)) }
                #expect(try !world.screen.isEnabled("submit"))
                try await world.screen.submit("Confirm Password")
                await world.screen.settle()
                #expect(world.screen.presentations == ["sheet"], "no alert")
                #expect(world.network.count("POST") == 0)
            }
        }

        // Criteria: 004.6
        @Test("004, E5: a valid form shows no errors and creates the account")
        func mended() async throws {
            try await World.with { world in
                try await world.typeSignUp("grace@example", name: " ", "short", again: "other")
                for (field, text) in [
                    ("Name", "Grace"), ("Email", "grace@example.com"), ("Password", World.password),
                    ("Confirm Password", World.password),
                ] {
                    #expect(try !world.screen.isEnabled("submit"))
                    try await world.screen.type(text, into: field)
                }
                for hint in ["Please enter your name.", Self.address, "Passwords don't match."] {
                    #expect(!world.screen.shows(hint))
                }
                try await world.screen.tap("submit")
                try await world.waitForUser()
            }
        }

        // Criteria: 003.5, 004.8
        @Test("004, E5: during a request progress shows and nothing can be tapped; a second tap sends nothing")
        func twice() async throws {
            try await World.with { world in
                world.network.hold("/signup")
                try await world.typeSignUp()
                try await world.screen.tapTwice("submit")
                try await world.screen.wait { _ in world.network.heldCount == 1 }
                #expect(world.screen.progress == ["Creating account…"])
                #expect(try !world.screen.isEnabled("submit"))
                for field in world.screen.fields { #expect(try !world.screen.isEnabled(field), "\(field)") }
                #expect(!world.screen.has(button: "BackButton"))
                #expect(await !world.screen.swipeDown())
                world.network.release()
                try await world.waitForUser()
                #expect(world.network.count("POST /auth/v1/signup") == 1)
            }
        }

        // Criteria: 004.9
        @Test("004, E3: the link at the bottom switches the mode in place and clears the fields, without a new screen")
        func flip() async throws {
            try await World.with { world in
                try await world.typeSignIn()
                #expect(world.screen.title == "Sign In")
                for _ in 1...3 {
                    try await world.screen.tap("Don't have an account? Create one")
                    #expect(world.screen.title == "Create Account")
                    #expect(world.screen.fields == ["Name", "Email", "Password", "Confirm Password"])
                    for field in world.screen.fields { #expect(try world.screen.value(of: field) == "", "\(field)") }
                    try await world.screen.type("grace@example.com", into: "Email")
                    try await world.screen.tap("Already have an account? Sign in")
                    #expect(world.screen.fields == ["Email", "Password"])
                    for field in world.screen.fields { #expect(try world.screen.value(of: field) == "", "\(field)") }
                }
                try await world.screen.goBack()
                #expect(world.screen.has(button: "Continue as Guest"))
            }
        }

        // Criteria: 004.11
        @Test("004, E3: both buttons of the login sheet open the form in their mode, and Back returns to the sheet")
        func back() async throws {
            try await World.with { world in
                try await world.openLogin()
                for (button, title) in [("Sign in with Email", "Sign In"), ("Create Account", "Create Account")] {
                    try await world.screen.tap(button)
                    #expect(world.screen.title == title)
                    try await world.screen.goBack()
                    #expect(world.screen.has(button: "Continue as Guest"))
                }
                #expect(world.screen.presentations == ["sheet"])
            }
        }

        // Criteria: 004.10
        @Test("004, E4: a tap outside the fields and a scroll hide the keyboard")
        func keyboard() async throws {
            try await World.with { world in
                try await world.openLogin()
                try await world.screen.tap("Sign in with Email")
                try await world.screen.focus("Password")
                #expect(world.screen.focused == "Password")
                try await world.screen.tapOutside()
                #expect(world.screen.focused == nil)
                try await world.screen.focus("Email")
                await world.screen.scroll()
                #expect(world.screen.focused == nil)
            }
        }

        // Criteria: 004.16
        @Test("004, E4: Return moves from field to field and submits from the last")
        func order() async throws {
            try await World.with { world in
                try await world.typeSignUp()
                try await world.screen.focus("Name")
                for (field, next) in [("Name", "Email"), ("Email", "Password"), ("Password", "Confirm Password")] {
                    try await world.screen.submit(field)
                    #expect(world.screen.focused == next)
                }
                try await world.screen.submit("Confirm Password")
                try await world.waitForUser()
                try await world.signOut()
                try await world.typeSignIn()
                try await world.screen.focus("Email")
                try await world.screen.submit("Email")
                #expect(world.screen.focused == "Password")
                try await world.screen.submit("Password")
                try await world.waitForUser()
            }
        }

        // Criteria: 004.17
        @Test("004, E4: each field has its keyboard, content type and capitalization")
        func traits() async throws {
            try await World.with { world in
                try await world.openLogin()
                try await world.screen.tap("Create Account")
                #expect(try world.screen.attribute("inputmode", of: "Email") == "email")
                #expect(try world.screen.attribute("autocapitalize", of: "Email") == "none")
                #expect(try world.screen.attribute("autocomplete", of: "Email") == "username")
                #expect(try world.screen.attribute("autocomplete", of: "Name") == "given-name")
                #expect(try world.screen.attribute("autocomplete", of: "Password") == "new-password")
                #expect(try world.screen.attribute("autocomplete", of: "Confirm Password") == "new-password")
                try await world.screen.tap("Already have an account? Sign in")
                #expect(try world.screen.attribute("autocomplete", of: "Password") == "current-password")
            }
        }
    }
}
