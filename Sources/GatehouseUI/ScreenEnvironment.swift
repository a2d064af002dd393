import AuthenticationServices
public import Gatehouse
public import GatehouseModel
public import SwiftUI

extension View {
    /// Gives the account's screens below what they need, once, at the app's root. From then on the links of mails are
    /// finished, and whoever came by one for a new password is asked for it.
    ///
    /// - Parameters:
    ///   - googleRedirect: Where Google's pages come back to in the system's browser sheet, such as
    ///     `com.example.app://callback`; registered at the server. Nil offers no Google.
    ///   - clock: Measures the 60 seconds that a person has in the browser.
    ///   - calls: What the screens ask for beside the manager.
    public func gatehouse(
        _ manager: AuthManager, branding: Branding = Branding(), googleRedirect: URL?,
        clock: ClientClock = SystemDefaults.clock(), calls: AccountCalls = AccountCalls()
    ) -> some View {
        modifier(
            GoogleSheet(manager: manager, branding: branding, redirectTo: googleRedirect, clock: clock, calls: calls))
    }

    /// The same with a browser of the app's own, as in tests and previews.
    ///
    /// - Parameter google: Signs in with Google; nil offers no Google.
    public func gatehouse(
        _ manager: AuthManager, branding: Branding = Branding(),
        google: (any Gatehouse.WebAuthenticationSession)? = nil,
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

/// Takes the system's browser sheet out of the environment, where SwiftUI keeps it.
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

/// Asks whoever came by a mail for a new password for one.
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
    static let defaultValue: (any Gatehouse.WebAuthenticationSession)? = nil
}

private struct AccountCallsKey: EnvironmentKey {
    static let defaultValue = AccountCalls()
}

extension EnvironmentValues {
    var branding: Branding {
        get { self[BrandingKey.self] }
        set { self[BrandingKey.self] = newValue }
    }

    var googleBrowser: (any Gatehouse.WebAuthenticationSession)? {
        get { self[GoogleBrowserKey.self] }
        set { self[GoogleBrowserKey.self] = newValue }
    }

    var accountCalls: AccountCalls {
        get { self[AccountCallsKey.self] }
        set { self[AccountCallsKey.self] = newValue }
    }
}

extension Text {
    /// A text of this package's catalogue.
    init(ui key: LocalizedStringKey) { self.init(key, bundle: .module) }

    /// A text that a model decided on, in English: the catalogue's key.
    init(of model: String) { self.init(LocalizedStringKey(model), bundle: .module) }
}

/// Says a text of this package's catalogue to VoiceOver.
func announce(_ key: String) {
    AccessibilityNotification.Announcement(Bundle.module.localizedString(forKey: key, value: nil, table: nil)).post()
}
