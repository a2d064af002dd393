import GatehouseWire
import HTTPTypes
import ScreenDriver
import TestSupport
import Testing

@testable import LiveScreens

@MainActor @Suite("The app in a browser: use", .timeLimit(.minutes(5)))
struct UsingTests {
    @Test("A user signs up by typing; no secret is sent to the browser")
    func signUp() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            try await world.tap(phone, "Sign in")
            try await world.tap(phone, "Create Account")
            try await world.type(phone, LiveWorld.password, into: "Password")
            let (password, name) = (try phone.screen.id(of: "Password"), try phone.screen.id(of: "Name"))
            let json = phone.frame.json()
            #expect(!json.contains(LiveWorld.password) && !json.contains("•"))
            #expect(try phone.screen.value(of: "Password") == LiveWorld.password)
            #expect(json.contains("data-filled=\\\"true\\\"") && json.contains("autocomplete=\\\"new-password\\\""))
            // Return moves to the next field.
            #expect(try await world.act(phone, "focus", ["id": name]).status == 200)
            #expect(phone.frame.page.focused == name)
            #expect(try await world.act(phone, "submit", ["id": name]).status == 200)
            let email = try phone.screen.id(of: "Email")
            #expect(phone.frame.page.focused == email)
            #expect(try await world.act(phone, "blur", ["id": email]).status == 200)
            #expect(phone.frame.page.focused == nil && password != email)
        }
    }

    @Test("A restarted app keeps its session, and a removed phone does not")
    func restart() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            try await world.signUp(phone)
            let (run, ticket) = (phone.frame.run, phone.ticket)
            #expect(try await world.act(phone, "restart").status == 200)
            try await phone.screen.wait(for: "Welcome back, Ada")
            #expect(phone.frame.run != run && phone.ticket != ticket)
            // For the app before its restart.
            #expect(try await world.act(phone, "dismiss", ["run": run]).status == 410)
            #expect(try await world.act(phone, "dismiss", ["run": phone.frame.run]).status == 200)
            #expect(try await world.act(phone, "forget").status == 200)
            #expect(world.app.phones.count == 0)
            let next = try await world.phone(phone.name)
            #expect(next.frame.run != run && next.screen.has(button: "Sign in"))
        }
    }

    @Test("Two apps of a browser are two phones: each has its own session, screens and settings")
    func twoApps() async throws {
        try await LiveWorld.with { world in
            let scores = try await world.phone()
            let journal = try world.app.phones.open(scores.name, .dailyRitual)
            try await journal.screen.wait { $0.title == "Today" }
            try await world.signUp(scores)
            #expect(try await world.act(journal, "set", ["name": "appearance", "value": "dark"]).status == 200)
            #expect(journal.frame.settings.isDark && !scores.frame.settings.isDark)
            #expect(journal.screen.has(button: "Sign in") && !scores.screen.has(button: "Sign in"))
            #expect(try await world.act(journal, "forget").status == 200)
            #expect(world.app.phones.phone(scores.name, .boxScore) === scores && world.app.phones.count == 1)
        }
    }

    @Test("Elements keep unique ids while they exist")
    func ids() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            let button = try phone.screen.id(of: "Sign in")
            try await world.tap(phone, "Menu")
            let ids = phone.frame.page.html.matches(of: #/ id="([^"]*)"/#).map { String($0.output.1) }
            #expect(ids.count > 50 && Set(ids).count == ids.count)
            #expect(phone.frame.page.top.isEmpty == false)
            // Below the menu's sheet.
            #expect(try await world.act(phone, "tap", ["id": button]).status == 409)
            #expect(try await world.act(phone, "dismiss").status == 200)
            #expect(try phone.screen.id(of: "Sign in") == button && phone.frame.page.top.isEmpty)
        }
    }

    @Test("Language, appearance and network are settings of the phone")
    func settings() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            for (name, value) in [
                ("language", "ar"), ("appearance", "dark"), ("offline", "true"), ("size", "xxxLarge"),
            ] {
                #expect(try await world.act(phone, "set", ["name": name, "value": value]).status == 200)
            }
            let json = phone.frame.json()
            #expect(json.contains(#""direction":"rtl""#) && json.contains(#""appearance":"dark""#))
            #expect(json.contains(#""offline":true"#) && !json.contains("Sign in to follow"))
            #expect(try await world.act(phone, "set", ["name": "language", "value": "en"]).status == 200)
            try await world.tap(phone, "Sign in")
            try await world.tap(phone, "Sign in with Email")
            try await world.type(phone, LiveWorld.email, into: "Email")
            try await world.type(phone, LiveWorld.password, into: "Password")
            try await world.tap(phone, "submit")
            try await phone.screen.wait { !$0.announcements.isEmpty }
            #expect(phone.screen.has(button: "Retry"))
            try await phone.screen.wait { _ in !phone.frame.announcements.isEmpty }
            #expect(phone.frame.announcements.last?.text == phone.screen.announcements.last)
        }
    }

    @Test("Apple's sheet: the user chooses a person, closes it, fails, or types an invalid address")
    func apple() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            try await world.tap(phone, "Sign in")
            for way in ["Cancel", "Let the sheet fail"] {
                try await world.tap(phone, "Sign in with Apple")
                try await phone.screen.wait { $0.has(button: way) }
                try await world.tap(phone, way)
                try await phone.screen.wait { !$0.has(button: way) && $0.progress.isEmpty }
            }
            #expect(phone.screen.announcements.count == 1)
            try await world.tap(phone, "Sign in with Apple")
            try await phone.screen.wait { $0.has(field: "Email address") }
            try await world.type(phone, "nobody", into: "Email address")
            try await world.tap(phone, "Continue with this address")
            try await phone.screen.wait { $0.texts.contains { $0.hasPrefix("email: ") } }
            let verified = try #require(phone.screen.buttons.first { $0.hasPrefix("Verified") })
            try await world.tap(phone, verified)
            try await phone.screen.wait(for: "Welcome, Verified")
        }
    }

    @Test("Google's page opens from a link and returns to the waiting phone, once")
    func google() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            try await world.tap(phone, "Sign in")
            try await world.tap(phone, "Sign in with Google")
            try await phone.screen.wait { $0.has(button: "Open the browser") }
            try await phone.screen.wait { _ in phone.frame.page.html.contains("href=") }
            #expect(phone.frame.page.html.contains("href=\"http://127.0.0.1:9999/auth/v1/authorize?"))
            #expect(phone.frame.page.html.contains("target=\"_blank\" rel=\"noopener\""))
            #expect(try await world.send(.get, "/app/callback/\(phone.name)").status == 404)
            let path = "/app/callback/\(phone.ticket)?error=access_denied&error_description=No"
            #expect(try await world.send(.get, path).status == 200)
            try await phone.screen.wait { !$0.has(button: "Open the browser") && $0.progress.isEmpty }
            #expect(!phone.screen.announcements.isEmpty || phone.screen.has(button: "Sign in with Google"))
        }
    }

    @Test("Closing the browser window cancels")
    func closedBrowser() async throws {
        try await LiveWorld.with { world in
            let phone = try await world.phone()
            try await world.tap(phone, "Sign in")
            try await world.tap(phone, "Sign in with Google")
            try await phone.screen.wait { $0.has(button: "Open the browser") }
            #expect(try await world.act(phone, "browserClosed").status == 200)
            try await phone.screen.wait { $0.has(button: "Sign in with Google") && $0.progress.isEmpty }
            #expect(phone.screen.announcements.isEmpty)
        }
    }
}
