import AuthenticationServices
public import Foundation
public import Gatehouse
public import GatehouseModel
public import SwiftUI

extension View {
    /// Provides the account screens below with their dependencies. Apply it once, at the app's root. It also handles
    /// links of mails and asks for a new password after a password reset.
    ///
    /// ```swift
    /// HomeView()
    ///     .accountSheet(isPresented: $showsAccount)
    ///     .gatehouse(
    ///         manager, googleRedirect: redirectTo,
    ///         calls: AccountCalls(client: client, redirectTo: redirectTo))
    /// ```
    ///
    /// - Parameters:
    ///   - googleRedirect: The redirect URL of the system's browser sheet for Google, such as
    ///     `com.example.app://callback`; the server must allow it. nil hides Google.
    ///   - clock: Measures the time limit of 60 seconds in the browser.
    ///   - calls: The calls that the screens need in addition to the manager.
    public func gatehouse(
        _ manager: AuthManager, branding: Branding = Branding(), googleRedirect: URL?,
        clock: ClientClock = SystemDefaults.clock(), calls: AccountCalls = AccountCalls()
    ) -> some View {
        modifier(
            GoogleSheet(manager: manager, branding: branding, redirectTo: googleRedirect, clock: clock, calls: calls))
    }

    /// The same with a browser that the app provides, as in tests and previews.
    ///
    /// - Parameter google: The browser for Google; nil hides Google.
    public func gatehouse(
        _ manager: AuthManager, branding: Branding = Branding(),
        google: (any WebAuthenticator)? = nil,
        calls: AccountCalls = AccountCalls()
    ) -> some View {
        modifier(NewPasswordSheet(manager: manager))
            .modifier(MailLinks(redirectTo: calls.redirectTo, finish: calls.openLink))
            .environment(manager)
            .environment(\.branding, branding)
            .environment(\.googleBrowser, google)
            .environment(\.accountCalls, calls)
    }
}

/// Reads the system's browser sheet from SwiftUI's environment.
private struct GoogleSheet: ViewModifier {
    @Environment(\.webAuthenticationSession) private var browser
    let manager: AuthManager
    let branding: Branding
    let redirectTo: URL?
    let clock: ClientClock
    let calls: AccountCalls

    func body(content: Content) -> some View {
        content.gatehouse(
            manager, branding: branding,
            google: redirectTo.map { BrowserSheet(redirectTo: $0, browser: browser, clock: clock) }, calls: calls)
    }
}

/// Asks for a new password after a password reset mail.
private struct NewPasswordSheet: ViewModifier {
    @Bindable var manager: AuthManager

    func body(content: Content) -> some View {
        content.sheet(isPresented: $manager.needsNewPassword) { NewPasswordView().modifier(MailLinksInSheet()) }
    }
}

private struct BrandingKey: EnvironmentKey {
    static let defaultValue = Branding()
}

private struct GoogleBrowserKey: EnvironmentKey {
    static let defaultValue: (any WebAuthenticator)? = nil
}

private struct AccountCallsKey: EnvironmentKey {
    static let defaultValue = AccountCalls()
}

extension EnvironmentValues {
    var branding: Branding {
        get { self[BrandingKey.self] }
        set { self[BrandingKey.self] = newValue }
    }

    var googleBrowser: (any WebAuthenticator)? {
        get { self[GoogleBrowserKey.self] }
        set { self[GoogleBrowserKey.self] = newValue }
    }

    var accountCalls: AccountCalls {
        get { self[AccountCallsKey.self] }
        set { self[AccountCallsKey.self] = newValue }
    }
}

extension Text {
    /// A text in this package's catalogue.
    init(ui key: LocalizedStringKey) { self.init(key, bundle: .module) }

    /// A model's English text, which is its key in the catalogue.
    init(of model: String) { self.init(LocalizedStringKey(model), bundle: .module) }
}

/// Announces a text of this package's catalogue with VoiceOver.
func announce(_ key: String) {
    AccessibilityNotification.Announcement(Bundle.module.localizedString(forKey: key, value: nil, table: nil)).post()
}
