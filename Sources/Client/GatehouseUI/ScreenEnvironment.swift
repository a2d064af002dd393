import AuthenticationServices
import Foundation
public import Gatehouse
public import GatehouseModel
public import SwiftUI

extension View {
    /// Provides the account to the screens below. Apply it once, at the app's root.
    ///
    /// Also opens emailed links, asks for a new password after a password reset, loads the server's settings, and shows
    /// apps' and agents' requests for access (``AuthorizationRequestView``).
    ///
    /// ```swift
    /// HomeView().gatehouse(account)
    /// ```
    public func gatehouse(_ account: AuthManager, branding: Branding = Branding()) -> some View {
        WithSystemPasskeys { modifier(SystemBrowser(account: account, branding: branding, passkeys: $0)) }
    }

    /// Provides the account, with custom passkeys, as in tests.
    public func gatehouse(
        _ account: AuthManager, branding: Branding = Branding(), passkeys: any PasskeyAuthenticator
    ) -> some View {
        modifier(SystemBrowser(account: account, branding: branding, passkeys: passkeys))
    }

    /// Provides the account, with a custom browser, as in tests and previews.
    ///
    /// - Parameter browser: For providers other than Apple; nil hides them.
    public func gatehouse(
        _ account: AuthManager, branding: Branding = Branding(), browser: (any WebAuthenticator)?
    ) -> some View {
        modifier(AccountParents(account: account, branding: branding, browser: browser, passkeys: nil))
    }

    /// Provides the account, with a custom browser and custom passkeys, as in tests and previews.
    ///
    /// - Parameters:
    ///   - browser: For providers other than Apple; nil hides them.
    ///   - passkeys: nil hides passkeys.
    public func gatehouse(
        _ account: AuthManager, branding: Branding = Branding(), browser: (any WebAuthenticator)?,
        passkeys: (any PasskeyAuthenticator)?
    ) -> some View {
        modifier(AccountParents(account: account, branding: branding, browser: browser, passkeys: passkeys))
    }
}

private struct AccountParents: ViewModifier {
    let account: AuthManager
    let branding: Branding
    let browser: (any WebAuthenticator)?
    let passkeys: (any PasskeyAuthenticator)?

    func body(content: Content) -> some View {
        content
            .modifier(NewPasswordSheet(manager: account))
            .modifier(MailLinks(account: account))
            .modifier(TelemetryFlush(account: account))
            .modifier(ConsentWatch(account: account))
            .onAppear { account.questionRoots += 1 }
            .onDisappear { account.questionRoots -= 1 }
            .task(id: account.phase == .unauthenticated) {
                // The login screen then knows its buttons in its first frame.
                if account.phase == .unauthenticated { await account.loadServerSettings() }
            }
            .environment(account)
            .environment(\.branding, branding)
            .environment(\.browser, browser)
            .environment(\.passkeys, passkeys)
    }
}

private struct SystemBrowser: ViewModifier {
    @Environment(\.webAuthenticationSession) private var browser
    let account: AuthManager
    let branding: Branding
    let passkeys: (any PasskeyAuthenticator)?

    func body(content: Content) -> some View {
        content.gatehouse(
            account, branding: branding,
            browser: account.redirectTo.flatMap {
                // The system's sheet returns to a custom scheme.
                $0.scheme == "https"
                    ? nil
                    : BrowserSheet(
                        redirectTo: $0, browser: browser, limit: account.browserLimit, clock: account.clock)
            }, passkeys: passkeys)
    }
}

/// In the background, the system may terminate the app.
private struct TelemetryFlush: ViewModifier {
    @Environment(\.scenePhase) private var phase
    let account: AuthManager

    func body(content: Content) -> some View {
        content.onChange(of: phase) {
            if phase == .background { account.flushTelemetry() }
        }
    }
}

private struct NewPasswordSheet: ViewModifier {
    let manager: AuthManager

    func body(content: Content) -> some View {
        content.sheet(isPresented: isPresented) {
            NewPasswordView().modifier(AccountQuestions(offersPasskey: false)).sheetSize()
        }
    }

    /// Without the second factor, no password can be set.
    private var isPresented: Binding<Bool> {
        Binding {
            manager.needsNewPassword && manager.secondFactor == nil
        } set: {
            manager.needsNewPassword = $0
        }
    }
}

private struct BrandingKey: EnvironmentKey {
    static let defaultValue = Branding()
}

private struct PasskeysKey: EnvironmentKey {
    static let defaultValue: (any PasskeyAuthenticator)? = nil
}

private struct BrowserKey: EnvironmentKey {
    static let defaultValue: (any WebAuthenticator)? = nil
}

extension EnvironmentValues {
    var branding: Branding {
        get { self[BrandingKey.self] }
        set { self[BrandingKey.self] = newValue }
    }

    var passkeys: (any PasskeyAuthenticator)? {
        get { self[PasskeysKey.self] }
        set { self[PasskeysKey.self] = newValue }
    }

    var browser: (any WebAuthenticator)? {
        get { self[BrowserKey.self] }
        set { self[BrowserKey.self] = newValue }
    }
}
