import Foundation
import XCTest

/// Taps through BoxScore in a simulator. Needs `make run` on the same Mac, or another server that the app and
/// `TEST_RUNNER_GATEHOUSE_SERVER` name, which confirms addresses itself.
final class SignInUITests: XCTestCase {
    private static let password = "correct horse battery"
    /// For what waits for the server.
    private static let patience: TimeInterval = 30

    override func setUp() { continueAfterFailure = false }

    @MainActor
    func testAGuestSeesTheTeamsAndIsAskedToSignInToFollowThem() {
        let app = launch()
        XCTAssertTrue(app.cells.element(boundBy: 1).waitForExistence(timeout: Self.patience), "a team")
        tap(app.buttons["Sign in to follow your teams"])
        wait(for: app.buttons["Sign in with Email"])
        keepPicture(of: app, named: "Sign-in")
        tap(app.buttons["Continue as Guest"])
        wait(for: app.buttons["Sign in to follow your teams"])
    }

    @MainActor
    func testASessionOutlivesARestartAndEndsWithASignOut() async throws {
        let email = try await signUp(firstName: "Ada")
        var app = launch()
        signIn(app, email, Self.password)
        tap(app.buttons["Not Now"], ifItComesFor: app.staticTexts["Welcome back, Ada"])
        keepPicture(of: app, named: "Signed in")

        app.terminate()
        app = launch()
        wait(for: app.staticTexts["Welcome back, Ada"])

        tap(app.buttons["Your profile"])
        wait(for: app.staticTexts["Profile"])
        keepPicture(of: app, named: "Profile")
        tap(app.buttons["Sign Out"])
        let questions = app.buttons.matching(NSPredicate(format: "label == %@", "Sign Out"))
        tap(questions.element(boundBy: questions.count - 1))
        wait(for: app.buttons["Sign in to follow your teams"])
    }

    @MainActor
    func testAWrongPasswordIsSaidOnTheScreenAndSignsNobodyIn() async throws {
        let email = try await signUp(firstName: "Grace")
        var app = launch()
        signIn(app, email, "another horse battery")
        let message = NSPredicate(format: "label CONTAINS %@", "Incorrect email or password. Please try again.")
        wait(for: app.descendants(matching: .any).matching(message).firstMatch)
        keepPicture(of: app, named: "Wrong password")

        app.terminate()
        app = launch()
        wait(for: app.buttons["Sign in to follow your teams"])
    }

    /// In English, whatever the language of the simulator.
    @MainActor
    private func launch() -> XCUIApplication {
        let app = XCUIApplication()
        app.launchArguments = ["-AppleLanguages", "(en)", "-AppleLocale", "en_US"]
        app.launch()
        return app
    }

    @MainActor
    private func signIn(_ app: XCUIApplication, _ email: String, _ password: String) {
        tap(app.buttons["Sign in to follow your teams"])
        tap(app.buttons["Sign in with Email"])
        type(email, into: app.textFields["Email"])
        type(password, into: app.secureTextFields["Password"])
        tap(app.buttons["submit"])
    }

    @MainActor
    private func type(_ text: String, into field: XCUIElement) {
        tap(field)
        field.typeText(text)
    }

    @MainActor
    private func tap(_ element: XCUIElement) {
        wait(for: element)
        element.tap()
    }

    /// The system asks to save a password, and the app for a passkey, on some devices: both are declined.
    @MainActor
    private func tap(_ refusal: XCUIElement, ifItComesFor goal: XCUIElement) {
        for _ in 0..<Int(Self.patience) where !isInFront(goal) {
            if refusal.waitForExistence(timeout: 1) { refusal.tap() }
        }
        XCTAssertTrue(isInFront(goal), "\(goal)")
    }

    @MainActor
    private func isInFront(_ element: XCUIElement) -> Bool {
        // A missing element is a failure when it is asked whether it can be tapped.
        element.exists && element.isHittable
    }

    @MainActor
    private func wait(for element: XCUIElement) {
        XCTAssertTrue(element.waitForExistence(timeout: Self.patience), "\(element)")
    }

    @MainActor
    private func keepPicture(of app: XCUIApplication, named name: String) {
        let picture = XCTAttachment(screenshot: app.screenshot())
        (picture.name, picture.lifetime) = (name, .keepAlways)
        add(picture)
    }

    /// Creates an account at the server, as another device would.
    ///
    /// - Returns: Its address.
    @MainActor
    private func signUp(firstName: String) async throws -> String {
        let server = ProcessInfo.processInfo.environment["GATEHOUSE_SERVER"] ?? "http://localhost:9999"
        let email = "\(ProcessInfo.processInfo.globallyUniqueString.lowercased())@example.com"
        var request = URLRequest(url: try XCTUnwrap(URL(string: server)).appending(path: "auth/v1/signup"))
        request.httpMethod = "POST"
        request.httpBody = try JSONSerialization.data(withJSONObject: [
            "email": email, "password": Self.password, "data": ["first_name": firstName],
        ])
        let (answer, response) = try await URLSession.shared.data(for: request)
        XCTAssertEqual((response as? HTTPURLResponse)?.statusCode, 200, String(decoding: answer, as: UTF8.self))
        return email
    }
}
