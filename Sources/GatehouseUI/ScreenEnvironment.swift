public import Gatehouse
public import GatehouseModel
public import SwiftUI

extension View {
    /// Gives the account's screens below what they need.
    ///
    /// - Parameters:
    ///   - google: Signs in with Google in a browser; nil offers no Google.
    ///   - calls: What the screens ask for beside the manager.
    public func gatehouse(
        _ manager: AuthManager, branding: Branding = Branding(),
        google: (any Gatehouse.WebAuthenticationSession)? = nil,
        calls: AccountCalls = AccountCalls()
    ) -> some View {
        environment(manager)
            .environment(\.branding, branding)
            .environment(\.googleBrowser, google)
            .environment(\.accountCalls, calls)
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
